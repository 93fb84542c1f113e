/** @file
 * What core asks of the layer while a command buffer records: the snapshots at a bracket's two ends, as two
 * timestamps and, where lawful, a statistics query. The begin timestamp lies before the query's begin:
 * lavapipe takes it only when the query's scene is flushed, behind the work, if it comes after (Mesa 22.3.6:
 * a dispatch of 310 us read 23 us). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/grow.h"
#include "core/log.h"
#include "layer/record.h"
#include "layer/split.h"

void
pp_vk_statistics_begin(struct pp_cmdbuf *cb, uint32_t bracket, uint32_t slots)
{
    if (!cb->statistics || cb->stat_open || bracket == PP_NO_BRACKET)
        return;
    if (__builtin_expect(cb->own_statistics, 0)) {
        pp_vk_statistics_gap(cb, bracket);
        pp_vk_statistics_missing(cb->dev);
        return;
    }
    if (__builtin_expect(cb->dev->needs_pipeline && !cb->bound, 0) &&
        (cb->in_pass || cb->scope == PP_VK_SCOPE_OUTSIDE)) {
        cb->awaiting = bracket;
        return;
    }
    if (__builtin_expect(cb->pushed, 0)) {
        pp_vk_statistics_gap(cb, bracket);
        pp_vk_statistics_unsafe(cb->dev);
        return;
    }
    struct pp_queries *queries = &cb->queries[PP_QUERY_STATISTICS];
    if (queries->count + slots >= cb->stat_cap) {
        int rc =
            pp_grow(&cb->stat_bracket, &cb->stat_cap, queries->count + slots + 1, sizeof(*cb->stat_bracket));
        if (rc != 0)
            return;
    }
    if (pp_queries_take(queries, cb->pool, PP_QUERY_STATISTICS, slots, &cb->open_stat) != 0)
        return;
    for (uint32_t i = 0; i < slots; i++)
        cb->stat_bracket[cb->open_stat.number + i] = (struct pp_vk_stat){bracket, i > 0};
    cb->next->CmdBeginQuery(cb->handle, cb->open_stat.pool, cb->open_stat.index, 0);
    cb->stat_open = true;
}

void
pp_vk_statistics_end(struct pp_cmdbuf *cb)
{
    if (!cb->stat_open)
        return;
    cb->next->CmdEndQuery(cb->handle, cb->open_stat.pool, cb->open_stat.index);
    cb->stat_open = false;
}

/** @return Number of the written timestamp, PP_NO_QUERY if there was no room. */
static uint32_t
write_time(struct pp_cmdbuf *cb, VkPipelineStageFlagBits stage)
{
    struct pp_query query;
    uint32_t slots = cb->in_pass ? cb->views : 1;
    if (pp_queries_take(&cb->queries[PP_QUERY_TIME], cb->pool, PP_QUERY_TIME, slots, &query) != 0)
        return PP_NO_QUERY;
    cb->next->CmdWriteTimestamp(cb->handle, stage, query.pool, query.index);
    return query.number;
}

/** Does a bracket of this kind write timestamps here? A secondary's pass is timed by its primary, a frame by
 * the command buffers around the submission, a draw only where that says something about it. */
static bool
is_timed(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    if (kind == PP_PASS_NONE)
        return cb->inject && !(cb->in_pass && cb->dev->no_draw_times != NULL);
    return cb->inject && kind != PP_PASS_FRAME && !cb->inherits_pass;
}

/** Timestamps of a bracket; its entry is made with the first call. @return NULL: no memory, this buffer is
 * not measured any more. */
static struct pp_vk_bracket *
find_entry(struct pp_cmdbuf *cb, uint32_t bracket)
{
    if (bracket >= cb->bracket_cap) {
        int rc = pp_grow(&cb->bracket, &cb->bracket_cap, bracket + 1, sizeof(*cb->bracket));
        if (rc != 0) {
            cb->inject = cb->statistics = false;
            return NULL;
        }
    }
    for (; cb->brackets <= bracket; cb->brackets++)
        cb->bracket[cb->brackets] = (struct pp_vk_bracket){PP_NO_QUERY, PP_NO_QUERY};
    return &cb->bracket[bracket];
}

/** --serialize: what stands outside of render passes waits for what was there before, or is in a part of its
 * own if it is @p bracket. Nothing may stand between a suspended pass and what resumes it; inside a pass a
 * barrier would be no part of the program's. */
static void
isolate(struct pp_cmdbuf *cb, enum pp_pass_kind kind, bool split, uint32_t bracket)
{
    if (kind == PP_PASS_FRAME || cb->in_pass || split || !cb->dev->serialize)
        return;
    if (cb->split == NULL || !pp_split_cut(cb, bracket))
        pp_vk_execution_barrier(cb->next, cb->handle);
}

/** Have the timestamps so far been taken before what is done at once? Render passes see to it themselves. */
static void
take_times(struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    if (cb->dev->late_times && kind != PP_PASS_RENDER && !cb->in_pass)
        pp_vk_execution_barrier(cb->next, cb->handle);
}

/** Before the first query: reset what is likely to follow, where that may stand. A secondary may run twice in
 * one primary, whose submission then resets; nothing may stand between a suspended pass and what resumes it.
 */
static void
prepare(struct pp_cmdbuf *cb, bool resumes)
{
    if (cb->queries[PP_QUERY_TIME].runs > 0 || cb->secondary || cb->in_pass || cb->suspended || resumes ||
        cb->perf.on)
        return;
    pp_queries_prepare(cb, PP_QUERY_TIME);
    if (cb->statistics)
        pp_queries_prepare(cb, PP_QUERY_STATISTICS);
}

/** May a draw's bracket take the short way? It lies in a pass, so nothing isolates it. */
static inline bool
is_plain_draw(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    return kind == PP_PASS_NONE && cb->in_pass && cb->inject && !cb->perf.on;
}

static void
begin_draw(struct pp_cmdbuf *cb, uint32_t bracket)
{
    struct pp_vk_bracket *entry = find_entry(cb, bracket);
    if (entry == NULL)
        return;
    if (cb->dev->no_draw_times == NULL)
        entry->begin = write_time(cb, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    pp_vk_statistics_begin(cb, bracket, cb->views);
}

static void
end_draw(struct pp_cmdbuf *cb, uint32_t bracket)
{
    if (cb->dev->no_draw_times == NULL && bracket < cb->brackets)
        cb->bracket[bracket].end = write_time(cb, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    pp_vk_statistics_end(cb);
}

static inline void
begin(struct pp_cmdbuf *cb, uint32_t bracket, enum pp_pass_kind kind)
{
    if (is_plain_draw(cb, kind)) {
        begin_draw(cb, bracket);
        return;
    }
    struct pp_vk_bracket *entry = kind == PP_PASS_FRAME || !cb->inject ? NULL : find_entry(cb, bracket);
    if (entry == NULL)
        return;
    bool resumes = kind == PP_PASS_RENDER && cb->resumes;
    prepare(cb, resumes);
    bool is_sum = cb->tracker.level == PP_LEVEL_DRAW && kind != PP_PASS_NONE && kind != PP_PASS_RENDER;
    isolate(cb, kind, resumes, is_sum ? PP_NO_BRACKET : bracket);
    /* Around the timestamps: what a counter's begin and end wait for is not the bracket's time. */
    if (kind == PP_PASS_NONE     ? cb->perf.works
        : kind == PP_PASS_RENDER ? cb->perf.place == PP_VK_SCOPE_OUTSIDE
                                 : pp_perf_passes(&cb->perf))
        pp_perf_begin(cb, bracket, cb->views);
    if (is_timed(cb, kind)) {
        entry->begin = write_time(cb, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
        take_times(cb, kind);
    }
    if (kind == PP_PASS_NONE)
        pp_vk_statistics_begin(cb, bracket, cb->views);
    else if (kind == PP_PASS_RENDER ? cb->scope == PP_VK_SCOPE_OUTSIDE : cb->tracker.level != PP_LEVEL_DRAW)
        pp_vk_statistics_begin(cb, bracket, 1);
}

uint32_t
pp_vk_execution_begin(struct pp_cmdbuf *cb)
{
    struct pp_vk_bracket *entry = find_entry(cb, cb->program.brackets);
    if (entry == NULL)
        return PP_NO_BRACKET;
    prepare(cb, false);
    isolate(cb, PP_PASS_COMPUTE, false, PP_NO_BRACKET);
    entry->begin = write_time(cb, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    take_times(cb, PP_PASS_COMPUTE);
    return cb->program.brackets++;
}

void
pp_vk_execution_end(struct pp_cmdbuf *cb, uint32_t bracket)
{
    if (bracket == PP_NO_BRACKET)
        return;
    cb->bracket[bracket].end = write_time(cb, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    isolate(cb, PP_PASS_COMPUTE, false, PP_NO_BRACKET);
}

/** What recording costs is measured within all that is ours, except a pass's in a secondary that is but a
 * part of it. */
static inline bool
costs(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    return __builtin_expect(cb->cpu.on, false) && (kind == PP_PASS_NONE || !cb->inherits_pass);
}

static void
bracket_begin(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct pp_cmdbuf *cb = user;
    begin(cb, bracket, kind);
    if (costs(cb, kind))
        pp_vk_cpu_take(cb, bracket, 0);
}

static inline void
end(struct pp_cmdbuf *cb, uint32_t bracket, enum pp_pass_kind kind)
{
    if (is_plain_draw(cb, kind)) {
        end_draw(cb, bracket);
        return;
    }
    /* A resumed pass ends here without having begun: its entry is made now. */
    struct pp_vk_bracket *entry = kind == PP_PASS_FRAME || !cb->inject ? NULL : find_entry(cb, bracket);
    if (entry != NULL && is_timed(cb, kind))
        entry->end = write_time(cb, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    if (kind != PP_PASS_FRAME)
        pp_vk_statistics_end(cb);
    pp_perf_end(cb, bracket);
    if (entry != NULL)
        isolate(cb, kind, cb->suspended, PP_NO_BRACKET);
}

static void
bracket_end(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct pp_cmdbuf *cb = user;
    if (costs(cb, kind))
        pp_vk_cpu_take(cb, bracket, 1);
    end(cb, bracket, kind);
}

static int
program_full(void *user, struct pp_tracker *tracker)
{
    (void)user;
    struct pp_program *program = tracker->program;
    int rc = pp_program_reserve(program, program->passes + 1, program->works + 1);
    if (rc != 0)
        return rc;
    program->bracket_cap = UINT32_MAX;
    return 0;
}

const struct pp_frontend_ops pp_vk_frontend = {
    .api = "vulkan",
    .bracket_begin = bracket_begin,
    .bracket_end = bracket_end,
    .program_full = program_full,
};
