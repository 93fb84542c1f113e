/** @file
 * See bracket.h. Brackets in a command buffer: two timestamps and, where allowed, a statistics query. The
 * begin timestamp is before the begin of the query. If it were after the query's begin, lavapipe would take
 * it only when the scene of the query is flushed, after the action (Mesa 22.3.6: a dispatch of 310 us was
 * measured as 23 us). */
#include "layer/record/bracket.h"

#include <string.h>

#include "core/util/compiler.h"
#include "core/util/heap.h"
#include "layer/base/serialize.h"
#include "layer/record/app_queries.h"
#include "layer/record/perf_record.h"
#include "layer/record/record.h"

/* With pp_vk_quirks.needs_pipeline: choose the queries that count the pass or action that begins. Only
 * dispatches have compute statistics. Queries without compute statistics need no compute pipeline
 * (lvp_execute.c: handle_begin_query). */
static void
choose_statistics(struct pp_cmdbuf *cb)
{
    bool graphics = cb->tracker.open_kind != PP_PASS_COMPUTE &&
                    pp_query_mask(PP_QUERY_GRAPHICS, cb->pool->statistics) != 0;
    if (!cb->statistics.active)
        cb->statistics.counting = &cb->queries[graphics ? PP_QUERY_GRAPHICS : PP_QUERY_STATISTICS];
}

/* Is it known that a query cannot crash the driver here? */
static inline bool
cannot_crash(const struct pp_cmdbuf *cb)
{
    return cb->statistics.early_state == 0 &&
           (!cb->usage.secondary || (cb->statistics.bound & PP_VK_GRAPHICS) ||
            !cb->dev->quirk.needs_pipeline);
}

/* Might a query that begins now crash the driver? The state that a secondary inherits is not known. */
static bool
may_crash(const struct pp_cmdbuf *cb)
{
    unsigned points = cb->statistics.counting == &cb->queries[PP_QUERY_GRAPHICS]
                          ? PP_VK_GRAPHICS
                          : PP_VK_GRAPHICS | PP_VK_COMPUTE;
    return (cb->statistics.early_state & points) != 0 ||
           (cb->usage.secondary && !(cb->statistics.bound & PP_VK_GRAPHICS));
}

/* Must this bracket go without a statistics query, or begin it later? Notes which of the two. */
static PP_SLOW bool
postpone_or_refuse(struct pp_cmdbuf *cb, uint32_t bracket)
{
    if (cb->statistics.app) {
        pp_vk_app_queries_gap(cb, bracket);
        pp_vk_app_queries_missing(cb->dev);
        return true;
    }
    if (!may_crash(cb))
        return false;
    if (cb->tracker.level != PP_LEVEL_DRAW &&
        (cb->instance.open || cb->instance.scope == PP_VK_SCOPE_OUTSIDE) &&
        !(cb->statistics.bound & PP_VK_GRAPHICS)) {
        cb->statistics.awaiting = bracket;
        return true;
    }
    if (cb->statistics.early_state == 0)
        return false;
    pp_vk_app_queries_gap(cb, bracket);
    pp_vk_app_queries_unsafe(cb->dev);
    return true;
}

static PP_SLOW bool
grow_statistics(struct pp_queries *queries, uint32_t slots)
{
    return pp_array_grow(&queries->stat, &queries->stat_cap, queries->count + slots + 1,
                         sizeof(*queries->stat)) == 0;
}

void
pp_vk_bracket_statistics_begin(struct pp_cmdbuf *cb, uint32_t bracket, uint32_t slots)
{
    struct pp_queries *queries = cb->statistics.counting;
    if (!cb->statistics.on || cb->statistics.active || bracket == PP_NO_BRACKET)
        return;
    if (PP_UNLIKELY(cb->statistics.app || !cannot_crash(cb)) && postpone_or_refuse(cb, bracket))
        return;
    if (PP_UNLIKELY(queries->count + slots >= queries->stat_cap) && !grow_statistics(queries, slots))
        return;
    if (pp_query_take(queries, cb->pool, queries->kind, slots, &cb->statistics.query) != 0)
        return;
    struct pp_vk_stat *stat = queries->stat + cb->statistics.query.number;
    *stat = (struct pp_vk_stat){bracket, false};
    for (uint32_t i = 1; PP_UNLIKELY(i < slots); i++)
        stat[i] = (struct pp_vk_stat){bracket, true};
    cb->statistics.active = true;
    cb->next->CmdBeginQuery(cb->handle, cb->statistics.query.pool, cb->statistics.query.index, 0);
}

void
pp_vk_bracket_statistics_end(struct pp_cmdbuf *cb)
{
    if (!cb->statistics.active)
        return;
    cb->next->CmdEndQuery(cb->handle, cb->statistics.query.pool, cb->statistics.query.index);
    cb->statistics.active = false;
}

uint32_t
pp_vk_bracket_write_time(struct pp_cmdbuf *cb, VkPipelineStageFlagBits stage)
{
    struct pp_query query;
    uint32_t slots = cb->instance.open ? cb->instance.views : 1;
    if (pp_query_take(&cb->queries[PP_QUERY_TIME], cb->pool, PP_QUERY_TIME, slots, &query) != 0)
        return PP_NO_QUERY;
    cb->next->CmdWriteTimestamp(cb->handle, stage, query.pool, query.index);
    return query.number;
}

/* Does a bracket of this kind write timestamps here? A pass that a secondary continues is timed by the
 * primary, a frame by bracket.h. A draw is timed only if the driver can time draws inside passes. */
static bool
is_timed(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    if (kind == PP_PASS_NONE)
        return cb->inject && !(cb->instance.open && cb->dev->quirk.no_draw_times);
    return cb->inject && kind != PP_PASS_FRAME && !cb->usage.inherits_pass;
}

/* Find or make the entry with a bracket's timestamps. @return NULL: no memory; this buffer is not measured
 * any more. */
static struct pp_vk_bracket *
make_entry(struct pp_cmdbuf *cb, uint32_t bracket)
{
    if (bracket >= cb->brackets.cap) {
        int rc =
            pp_array_grow(&cb->brackets.list, &cb->brackets.cap, bracket + 1, sizeof(*cb->brackets.list));
        if (rc != 0) {
            cb->inject = cb->statistics.on = false;
            return NULL;
        }
    }
    for (; cb->brackets.count <= bracket; cb->brackets.count++)
        cb->brackets.list[cb->brackets.count] = (struct pp_vk_bracket){PP_NO_QUERY, PP_NO_QUERY};
    return &cb->brackets.list[bracket];
}

/* --serialize: a pass or action outside of render passes waits for the commands before it, or gets a part of
 * the command buffer for itself if it has @p bracket. No command may be between a suspended pass and the
 * pass that resumes it. A barrier inside a render pass needs a self-dependency, which the application's pass
 * may lack. */
static void
isolate(struct pp_cmdbuf *cb, enum pp_pass_kind kind, bool split, uint32_t bracket)
{
    if (kind == PP_PASS_FRAME || cb->instance.open || split || !cb->dev->measured.serialize)
        return;
    /* A query that counts the whole pass is active: its actions get no parts for themselves. */
    bool within = kind == PP_PASS_NONE && cb->perf.open;
    if (!cb->split || within || !pp_serialize.cut(cb, bracket))
        pp_vk_execution_barrier(cb->next, cb->handle);
    else if (kind == PP_PASS_RENDER && bracket != PP_NO_BRACKET)
        pp_serialize.begin_pass(cb);
}

/* Do the actions that begin here run at once, while timestamps before them wait for a scene? A render pass
 * flushes the scene. */
static bool
is_deferred(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    return cb->dev->quirk.deferred_times && kind != PP_PASS_RENDER && !cb->instance.open;
}

/* Is there a timestamp that another end of a bracket may share? Not if passprobe has other commands between
 * the two. */
static inline bool
may_share(const struct pp_cmdbuf *cb)
{
    return cb->brackets.last.time != PP_NO_QUERY && !cb->dev->measured.serialize && !cb->perf.on &&
           !cb->args.on;
}

/* Does the bracket that begins here meet the one before it? Then the end of that one is its begin. With
 * statistics, the end of one query and the begin of another are between them. */
static inline bool
meets(const struct pp_cmdbuf *cb)
{
    return may_share(cb) && !cb->brackets.last.barrier && cb->dev->measured.statistics == 0;
}

/* Does a pass of barriers begin where the bracket before it ended? Another barrier between the two is a part
 * of the pass. */
static inline bool
barrier_meets(const struct pp_cmdbuf *cb)
{
    return may_share(cb) && cb->dev->measured.statistics == 0;
}

/* Write the timestamp at the begin or end of a bracket. @return Number of its query. */
static uint32_t
write_end(struct pp_cmdbuf *cb, enum pp_pass_kind kind, VkPipelineStageFlagBits stage)
{
    /* BOTTOM would flush the scene, which has only queries, and begin another scene. */
    bool deferred = is_deferred(cb, kind);
    uint32_t time = pp_vk_bracket_write_time(cb, deferred ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : stage);
    cb->brackets.last = (struct pp_vk_last_time){.time = time};
    return time;
}

/* Write the timestamp at the begin of a bracket, or share the one before it. A barrier between two deferred
 * timestamps takes both with the same scene. @return Number of its query. */
static uint32_t
take_begin(struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    bool barrier = kind == PP_PASS_BARRIER;
    if ((barrier ? barrier_meets(cb) : meets(cb)) || (is_deferred(cb, kind) && may_share(cb)))
        return cb->brackets.last.time;
    /* A barrier waits for the commands before it. The time begins when they are complete: the wait is not the
     * barrier's work. */
    return write_end(cb, kind,
                     barrier ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
}

/* Write the timestamp at the end of a bracket. A pass that is the sum of its actions shares the end of the
 * last one. @return Number of its query. */
static uint32_t
take_end(struct pp_cmdbuf *cb, enum pp_pass_kind kind, bool sum)
{
    if (sum && (meets(cb) || (is_deferred(cb, kind) && may_share(cb))))
        return cb->brackets.last.time;
    return write_end(cb, kind, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
}

/* Make the driver take the timestamp before actions that run at once. An application's barrier does that,
 * too. */
static void
flush_time(struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    if (!is_deferred(cb, kind) || cb->brackets.last.barrier)
        return;
    pp_vk_execution_barrier(cb->next, cb->handle);
    cb->brackets.last.barrier = true;
}

/* Before the first query, reset as many queries as will probably follow, if a reset is allowed here. A
 * secondary may run twice in one primary; the submission resets its queries. No command may be between a
 * suspended pass and the pass that resumes it. */
static void
prepare(struct pp_cmdbuf *cb, bool resumes)
{
    if (cb->queries[PP_QUERY_TIME].runs > 0 || cb->usage.secondary || cb->instance.open ||
        cb->instance.suspended || resumes || cb->perf.on)
        return;
    pp_query_prepare(cb, PP_QUERY_TIME);
    if (cb->statistics.on)
        pp_query_prepare(cb, PP_QUERY_STATISTICS);
    if (cb->statistics.on && cb->dev->quirk.needs_pipeline)
        pp_query_prepare(cb, PP_QUERY_GRAPHICS);
}

/* May a draw's bracket take the short path? A draw inside a pass is not isolated. */
static inline bool
is_plain_draw(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    return kind == PP_PASS_NONE && cb->instance.open && cb->inject && !cb->perf.on;
}

static void
begin_draw(struct pp_cmdbuf *cb, uint32_t bracket)
{
    struct pp_vk_bracket *entry = make_entry(cb, bracket);
    if (!entry) {
        pp_vk_lies_between(cb);
        return;
    }
    if (PP_UNLIKELY(cb->split != NULL))
        pp_serialize.action(cb);
    if (!cb->dev->quirk.no_draw_times)
        entry->begin = meets(cb) ? cb->brackets.last.time
                                 : pp_vk_bracket_write_time(cb, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    pp_vk_lies_between(cb);
    pp_vk_bracket_statistics_begin(cb, bracket, cb->instance.views);
}

static void
end_draw(struct pp_cmdbuf *cb, uint32_t bracket)
{
    if (!cb->dev->quirk.no_draw_times && bracket < cb->brackets.count)
        cb->brackets.list[bracket].end = write_end(cb, PP_PASS_NONE, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    pp_vk_bracket_statistics_end(cb);
}

/* Is this pass measured by its actions? At level draw, a pass outside of render passes lasts from the begin
 * of its first action to the end of its last one. */
static bool
is_sum(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    return cb->tracker.level == PP_LEVEL_DRAW && kind != PP_PASS_NONE && kind != PP_PASS_RENDER &&
           kind != PP_PASS_BARRIER;
}

/* Does a statistics query begin with this pass, outside of render passes? A barrier runs no shader of the
 * application. */
static bool
begins_statistics(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    if (kind == PP_PASS_RENDER)
        return cb->instance.scope == PP_VK_SCOPE_OUTSIDE;
    return kind != PP_PASS_BARRIER && !is_sum(cb, kind);
}

/* Does a query of counters begin with this bracket? Barriers have no actions: they are measured even where
 * actions are measured instead of passes. */
static bool
begins_counters(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    if (kind == PP_PASS_NONE)
        return cb->perf.actions;
    if (kind == PP_PASS_RENDER)
        return cb->perf.place == PP_VK_SCOPE_OUTSIDE;
    return pp_perf_passes(&cb->perf) || (kind == PP_PASS_BARRIER && cb->perf.actions);
}

static inline void
begin(struct pp_cmdbuf *cb, uint32_t bracket, enum pp_pass_kind kind)
{
    if (is_plain_draw(cb, kind)) {
        begin_draw(cb, bracket);
        return;
    }
    struct pp_vk_bracket *entry = kind == PP_PASS_FRAME || !cb->inject ? NULL : make_entry(cb, bracket);
    if (!entry) {
        pp_vk_whole_begin(cb);
        pp_vk_lies_between(cb);
        return;
    }
    if (PP_UNLIKELY(cb->dev->quirk.needs_pipeline))
        choose_statistics(cb);
    bool resumes = kind == PP_PASS_RENDER && cb->instance.resumes, sum = is_sum(cb, kind);
    prepare(cb, resumes);
    if (cb->instance.open && cb->split)
        pp_serialize.action(cb);
    isolate(cb, kind, resumes, sum && !pp_perf_passes(&cb->perf) ? PP_NO_BRACKET : bracket);
    /* Counter queries are around the timestamps: the waits at their begin and end are not the bracket's
     * time. */
    if (begins_counters(cb, kind))
        pp_perf_begin(cb, bracket, cb->instance.views);
    bool timed = is_timed(cb, kind);
    if (timed)
        entry->begin = take_begin(cb, kind);
    if (kind == PP_PASS_NONE)
        pp_vk_bracket_statistics_begin(cb, bracket, cb->instance.views);
    else if (begins_statistics(cb, kind))
        pp_vk_bracket_statistics_begin(cb, bracket, 1);
    if (timed && !sum)
        flush_time(cb, kind);
    if (!sum) /* else the first action begins here, too */
        pp_vk_lies_between(cb);
}

uint32_t
pp_vk_bracket_execution_begin(struct pp_cmdbuf *cb)
{
    struct pp_vk_bracket *entry = make_entry(cb, cb->action_list.brackets);
    if (!entry)
        return PP_NO_BRACKET;
    prepare(cb, false);
    isolate(cb, PP_PASS_COMPUTE, false, PP_NO_BRACKET);
    entry->begin = write_end(cb, PP_PASS_COMPUTE, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    flush_time(cb, PP_PASS_COMPUTE);
    return cb->action_list.brackets++;
}

void
pp_vk_bracket_execution_end(struct pp_cmdbuf *cb, uint32_t bracket)
{
    if (bracket == PP_NO_BRACKET)
        return;
    /* Treated like a render pass, whatever the secondary contains. */
    cb->brackets.list[bracket].end = write_end(cb, PP_PASS_RENDER, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    isolate(cb, PP_PASS_COMPUTE, false, PP_NO_BRACKET);
}

/* Measure the CPU cost of recording around all of passprobe's commands, except for a pass in a secondary that
 * is a part of another pass. */
static inline bool
measures_cpu_cost(const struct pp_cmdbuf *cb, enum pp_pass_kind kind)
{
    return PP_UNLIKELY(cb->cpu.on) && (kind == PP_PASS_NONE || !cb->usage.inherits_pass);
}

static void
bracket_begin(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct pp_cmdbuf *cb = user;
    begin(cb, bracket, kind);
    if (measures_cpu_cost(cb, kind))
        pp_vk_cpu_cost_take(cb, bracket, 0);
}

static inline void
end(struct pp_cmdbuf *cb, uint32_t bracket, enum pp_pass_kind kind)
{
    if (is_plain_draw(cb, kind)) {
        end_draw(cb, bracket);
        return;
    }
    /* A resumed pass ends here, but began elsewhere: its entry is made now. */
    struct pp_vk_bracket *entry = kind == PP_PASS_FRAME || !cb->inject ? NULL : make_entry(cb, bracket);
    if (entry && is_timed(cb, kind))
        entry->end = take_end(cb, kind, is_sum(cb, kind));
    else
        pp_vk_lies_between(cb);
    if (kind != PP_PASS_FRAME)
        pp_vk_bracket_statistics_end(cb);
    pp_perf_end(cb, bracket);
    if (entry)
        isolate(cb, kind, cb->instance.suspended, PP_NO_BRACKET);
}

static void
bracket_end(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct pp_cmdbuf *cb = user;
    if (measures_cpu_cost(cb, kind))
        pp_vk_cpu_cost_take(cb, bracket, 1);
    end(cb, bracket, kind);
}

static int
action_list_full(void *user, struct pp_tracker *tracker)
{
    struct pp_cmdbuf *cb = user;
    struct pp_action_list *action_list = tracker->action_list;
    int rc = pp_action_list_reserve(action_list, action_list->passes + 1, action_list->actions + 1);
    if (rc != 0) {
        pp_vk_lies_between(cb); /* actions without a bracket follow */
        return rc;
    }
    action_list->bracket_cap = UINT32_MAX;
    return 0;
}

const struct pp_frontend_ops pp_vk_frontend = {
    .api = "vulkan",
    .bracket_begin = bracket_begin,
    .bracket_end = bracket_end,
    .action_list_full = action_list_full,
};

/* Timestamps of a command buffer: at its begin and its end. */
#define TIMES 2U

bool
pp_vk_whole_allowed(const struct pp_cmdbuf *cb)
{
    return cb->inject && !cb->usage.secondary && !cb->usage.simultaneous && !cb->dev->measured.serialize &&
           !cb->dev->quirk.results_wait;
}

void
pp_vk_whole_begin(struct pp_cmdbuf *cb)
{
    if (!cb->whole.on || cb->whole.begin != PP_NO_QUERY)
        return;
    cb->queries[PP_QUERY_TIME].expected = TIMES;
    if (!cb->perf.on)
        pp_query_prepare(cb, PP_QUERY_TIME);
    cb->whole.begin = pp_vk_bracket_write_time(cb, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    cb->whole.on = cb->whole.begin != PP_NO_QUERY;
}

void
pp_vk_whole_resume(struct pp_cmdbuf *cb)
{
    if (cb->whole.begin == PP_NO_QUERY)
        cb->whole.on = false;
}

/* Does a secondary suspend or resume a pass? */
static bool
splits_pass(const struct pp_cmdbuf *secondary)
{
    for (uint32_t p = 0; secondary && p < secondary->action_list.passes; p++)
        if (secondary->action_list.pass[p].flags & (PP_PASS_SUSPENDED | PP_PASS_CONTINUED))
            return true;
    for (uint32_t i = 0; secondary && i < secondary->execs.count; i++)
        if (splits_pass(secondary->execs.list[i].secondary))
            return true;
    return false;
}

void
pp_vk_whole_execute(struct pp_cmdbuf *cb, uint32_t count, const VkCommandBuffer *secondaries)
{
    for (uint32_t i = 0; i < count && cb->whole.on; i++)
        cb->whole.on = !splits_pass(pp_cmdbuf_find(secondaries[i]));
    if (!cb->instance.open)
        pp_vk_whole_begin(cb);
}

void
pp_vk_whole_end(struct pp_cmdbuf *cb)
{
    if (cb->whole.on && cb->whole.begin != PP_NO_QUERY && !cb->instance.suspended)
        cb->whole.end = pp_vk_bracket_write_time(cb, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
}

static bool
is_empty(const struct pp_cmdbuf *cb)
{
    return cb->action_list.passes == 0 && cb->execs.count == 0 && cb->whole.begin == PP_NO_QUERY;
}

bool
pp_vk_whole_find(struct pp_cmdbuf *const *buffers, uint32_t count, const struct pp_cmdbuf **ret_first,
                 const struct pp_cmdbuf **ret_last)
{
    const struct pp_cmdbuf *first = NULL, *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (buffers[i] && is_empty(buffers[i]))
            continue;
        last = buffers[i];
        first = first ? first : last;
        if (!first)
            return false; /* a buffer that the layer does not know comes first */
    }
    if (!last || first->whole.begin == PP_NO_QUERY || last->whole.end == PP_NO_QUERY)
        return false;
    *ret_first = first;
    *ret_last = last;
    return true;
}
