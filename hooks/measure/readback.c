/** @file
 * See readback.h. query_pool.c has the pool. */
#include "hooks/measure/readback.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/tracker.h"
#include "hooks/counters/perf_query.h"
#include "hooks/measure/bracket.h"
#include "hooks/measure/deferred_renderer.h"
#include "hooks/measure/query_pool.h"
#include "hooks/measure/serialize.h"
#include "hooks/measure/statistics.h"
#include "hooks/reach/driver_procs.h"

#define NONE UINT32_MAX

int
pp_gl_readback_open(struct pp_gl_context *ctx, struct pp_batch *batch)
{
    struct pp_action_list *list = &batch->action_list;
    pp_action_list_reset(list);
    list->bracket_cap = UINT32_MAX;
    /* Successive frames are alike: allocate at once what the last frame needed. */
    uint32_t actions = ctx->pending.actions > 64 ? ctx->pending.actions : 64;
    int rc = pp_action_list_reserve(list, 16, batch->level == PP_LEVEL_DRAW ? actions : 0);
    if (rc)
        return rc;
    ctx->batch = batch;
    ctx->tracker.action_list = list;
    ctx->tracker.level = batch->level;
    pp_track_stacks(&ctx->tracker, pp_session_get());
    ctx->pending.open.batch = batch;
    ctx->pending.open.brackets = 0;
    ctx->pending.open.read = 0;
    ctx->pending.open.early = 0;
    ctx->pending.open.early_submitted = 0;
    ctx->pending.open.early_from = 0;
    ctx->pending.open.oldest_from = 0;
    ctx->pending.open.available = false;
    ctx->pending.open.perf_lost = false;
    ctx->pending.open.executed_ns = 0;
    ctx->pending.open.fast_bracket = NONE;
    ctx->pending.open.last = NONE;
    ctx->pending.open.last_graphics = NONE;
    ctx->pending.open.last_compute = NONE;
    ctx->pending.open.perf = NONE;
    const struct pp_gl_device *device = ctx->device;
    ctx->pending.open.stamp = !pp_gl_actions_have_times(device) ? NULL
                              : ctx->caps.es                    ? pp_glQueryCounterEXT
                                                                : pp_glQueryCounter;
    ctx->only_queries =
        device->has_timestamps && !device->serialize && !device->cpu_snapshots && !device->has_counter_sets;
    pp_gl_perf_frame(ctx, batch);
    return 0;
}

/* Give a batch to the collector and its slots back to the pool. The last slot rests. The first slot is given
 * back last, so that it is taken first again. Drivers put names that were generated together next to each
 * other in memory; only in that order can a processor prefetch them. */
static void
hand_on(struct pp_gl_context *ctx, struct pp_gl_readback *readback)
{
    bool rests = false;
    for (uint32_t i = readback->brackets; i > 0; i--) {
        if (readback->bracket[i - 1].slot == NONE)
            continue;
        if (rests)
            pp_gl_pool_give(&ctx->pool, readback->bracket[i - 1].slot);
        else
            pp_gl_pool_rest(&ctx->pool, readback->bracket[i - 1].slot);
        rests = true;
    }
    readback->batch->cpu_available_ns = pp_now_ns();
    pp_batch_put(readback->batch);
    readback->batch = NULL;
    readback->brackets = 0;
}

/* Set the status of the fixed sources, time and pipeline. Other counter sources set their status themselves.
 */
static void
set_status(const struct pp_gl_device *device, struct pp_gl_readback *readback, uint32_t bracket, uint8_t time,
           uint8_t counts)
{
    if (device->has_timestamps)
        *pp_batch_status(readback->batch, bracket, PP_SOURCE_TIME) = time;
    if (device->statistics)
        *pp_batch_status(readback->batch, bracket, PP_SOURCE_STATISTICS) = counts;
}

/* Mark all values of a bracket as lost. */
static void
lose_bracket(struct pp_gl_context *ctx, struct pp_gl_readback *readback, uint32_t number)
{
    struct pp_gl_perf_bracket none = {.set = 0};
    if (number < readback->brackets && readback->bracket[number].done)
        return;
    set_status(ctx->device, readback, number, PP_LOST, PP_LOST);
    pp_gl_perf_lose(ctx, number < readback->brackets ? &readback->bracket[number].perf : &none,
                    readback->batch, number);
}

/* Mark all values of a readback as lost. If its results arrived nevertheless, its slots can be used again. */
static void
lose_readback(struct pp_gl_context *ctx, struct pp_gl_readback *readback, bool available)
{
    if (pp_batch_reserve(readback->batch, readback->batch->action_list.brackets) == 0)
        for (uint32_t i = readback->read; i < readback->batch->action_list.brackets; i++)
            lose_bracket(ctx, readback, i);
    for (uint32_t i = readback->read; i < readback->brackets && !available; i++) {
        struct pp_gl_bracket *bracket = &readback->bracket[i];
        if (bracket->slot != NONE)
            pp_gl_pool_give_overdue(&ctx->pool,
                                    (struct pp_gl_overdue){bracket->slot, bracket->begun && !bracket->shared,
                                                           bracket->ended, bracket->statistics});
        bracket->slot = NONE;
    }
    hand_on(ctx, readback);
}

static void
pop_oldest(struct pp_gl_pending *pending)
{
    assert(pending->count > 0);
    pending->reading = NULL;
    pending->first = (pending->first + 1) % PP_GL_PENDING_MAX;
    pending->count--;
    pending->executed -= pending->executed > 0;
}

void
pp_gl_readback_seal(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (!ctx->batch)
        return;
    struct pp_batch *batch = ctx->batch;
    ctx->batch = NULL;
    ctx->tracker.action_list = NULL;
    pp_batch_note_work(batch);
    pending->actions = batch->action_list.actions;
    if (batch->action_list.passes == 0 || (pending->open.brackets == 0 && pp_batch_reserve(batch, 1))) {
        pp_batch_cancel(batch);
        pending->open.batch = NULL;
        return;
    }
    if (pending->count == PP_GL_PENDING_MAX) {
        lose_readback(ctx, pp_gl_readback_at(pending, 0), false);
        pop_oldest(pending);
        pending->dropped++;
    }
    assert(pending->count < PP_GL_PENDING_MAX);
    /* The array of this ring place becomes the array of the next open readback. */
    struct pp_gl_readback *slot = pp_gl_readback_at(pending, pending->count);
    struct pp_gl_readback spare = *slot;
    *slot = pending->open;
    pending->open = (struct pp_gl_readback){.bracket = spare.bracket, .cap = spare.cap};
    pending->count++;
}

uint64_t
pp_gl_readback_result(const struct pp_gl_context *ctx, GLuint name)
{
    GLuint64 value = 0;
    if (ctx->caps.es)
        pp_glGetQueryObjectui64vEXT(name, GL_QUERY_RESULT, &value);
    else
        pp_glGetQueryObjectui64v(name, GL_QUERY_RESULT, &value);
    return value;
}

bool
pp_gl_readback_has_result(const struct pp_gl_context *ctx, GLuint name)
{
    GLuint ready = 0;
    if (ctx->caps.es)
        pp_glGetQueryObjectuivEXT(name, GL_QUERY_RESULT_AVAILABLE, &ready);
    else
        pp_glGetQueryObjectuiv(name, GL_QUERY_RESULT_AVAILABLE, &ready);
    return ready != 0;
}

/* Write the results of `count` names into a row. The part of each source in the row is aligned. */
static inline void
read_results(const struct pp_gl_context *ctx, const GLuint *name, uint32_t count, uint8_t *row)
{
    GLuint64 *to = (GLuint64 *)(void *)row;
    pp_fn_glGetQueryObjectui64v get = ctx->caps.es ? pp_glGetQueryObjectui64vEXT : pp_glGetQueryObjectui64v;
    for (const GLuint *last = name + count; name < last; name++, to++)
        get(*name, GL_QUERY_RESULT, to);
}

/* Read the begin of a bracket. A shared one was read as the end of an earlier bracket. */
static void
read_begin(struct pp_gl_context *ctx, const struct pp_gl_readback *readback,
           const struct pp_gl_bracket *bracket, uint8_t *row)
{
    if (bracket->shared)
        memcpy(row, pp_batch_row(readback->batch, bracket->shared - 1, 1), sizeof(GLuint64));
    else
        read_results(ctx, pp_gl_names(ctx, bracket->slot), 1, row);
}

/* Complete the times of a bracket of which the CPU wrote a part into the rows. */
static void
read_times(struct pp_gl_context *ctx, const struct pp_gl_readback *readback,
           const struct pp_gl_bracket *bracket, uint8_t *begin, uint8_t *end)
{
    uint64_t *from = (uint64_t *)(void *)begin, *to = (uint64_t *)(void *)end;
    if (bracket->rows == PP_GL_ROWS_SCENE || bracket->rows == PP_GL_ROWS_CALLS) {
        pp_gl_scene_read(ctx, bracket, begin, end);
        return;
    }
    read_begin(ctx, readback, bracket, begin);
    /* If the application's read-back failed, it waited for nothing, and the clock was read too early. */
    uint8_t unused = (uint8_t)(64 - ctx->device->sources.time_bits);
    if ((int64_t)((*to - *from) << unused) < 0)
        *to = *from;
}

/* Read the statistics that were begun; the others are 0. */
static void
read_statistics(const struct pp_gl_context *ctx, uint32_t which, const GLuint *name, uint8_t *row)
{
    const struct pp_gl_device *device = ctx->device;
    uint32_t first = pp_gl_statistics_first(device, which);
    memset(row, 0, device->statistics * sizeof(GLuint64));
    read_results(ctx, name + first, pp_gl_statistics_last(device, which) - first,
                 row + first * sizeof(GLuint64));
}

/* Was the work of a bracket done? In a lost context, drivers give times of 0. It did not count 0 either. */
static inline bool
was_done(const GLuint64 *begin, const GLuint64 *end)
{
    return (*begin | *end) != 0;
}

static void
read_bracket(struct pp_gl_context *ctx, struct pp_gl_readback *readback, uint32_t number)
{
    struct pp_gl_bracket *bracket = &readback->bracket[number];
    const struct pp_gl_device *device = ctx->device;
    struct pp_batch *batch = readback->batch;
    if (bracket->done)
        return;
    if (!bracket->closed) {
        lose_bracket(ctx, readback, number);
        return;
    }
    const GLuint *name = bracket->slot != NONE ? pp_gl_names(ctx, bracket->slot) : NULL;
    uint8_t counts = !device->statistics                       ? PP_UNSUPPORTED
                     : bracket->statistics && !bracket->broken ? PP_OK
                                                               : PP_CELL_ELSEWHERE;
    /* The names are in the same order as the fixed sources of a row: the time, then the statistics. */
    uint8_t *begin = pp_batch_row(batch, number, 0), *end = pp_batch_row(batch, number, 1);
    bool timed = bracket->begun || bracket->rows;
    if (PP_UNLIKELY(bracket->rows)) {
        read_times(ctx, readback, bracket, begin, end);
    } else if (timed) {
        read_begin(ctx, readback, bracket, begin);
        read_results(ctx, name + 1, 1, end);
    }
    if (bracket->statistics)
        read_statistics(ctx, bracket->statistics, &name[2], end + sizeof(GLuint64));
    bool done = !timed || was_done((const GLuint64 *)(void *)begin, (const GLuint64 *)(void *)end);
    if (PP_LIKELY(done))
        set_status(device, readback, number, timed ? PP_OK : PP_CELL_ELSEWHERE, counts);
    else
        set_status(device, readback, number, PP_LOST, counts == PP_OK ? PP_LOST : counts);
    if (readback->perf_lost)
        pp_gl_perf_lose(ctx, &bracket->perf, batch, number);
    else if (device->perf[0].source != NONE || device->perf[1].source != NONE)
        pp_gl_perf_read(ctx, &bracket->perf, batch, number);
}

static inline __attribute__((always_inline)) void
get_each(pp_fn_glGetQueryObjectui64v get, const GLuint *name, GLuint64 *row, size_t first, size_t count)
{
#pragma GCC unroll 12
    for (size_t i = first; i < count; i++)
        get(name[i], GL_QUERY_RESULT, &row[i]);
}

/* How the fast brackets of a readback are read: the same for all of them. */
struct fast_reading {
    pp_fn_glGetQueryObjectui64v get;
    size_t first, count; /**< names of a slot that have a result */
    size_t zero;         /**< index of a result in the rows that is 0; 0: there is none */
    uint8_t time;        /**< status of the time */
    bool counts;         /**< the device has statistics */
    bool all;            /**< nearly every driver: a time and all statistics of a draw */
};

static inline struct fast_reading
plan_fast(const struct pp_gl_context *ctx, const struct pp_gl_readback *readback)
{
    uint32_t statistics = ctx->device->statistics, graphics = ctx->device->graphics_statistics;
    bool timed = readback->stamp != NULL;
    return (struct fast_reading){
        .get = ctx->caps.es ? pp_glGetQueryObjectui64vEXT : pp_glGetQueryObjectui64v,
        .first = timed ? 0 : 2,
        .count = 2 + graphics,
        .zero = statistics > graphics ? 2 + graphics : 0, /* a fast bracket has no dispatch */
        .time = timed ? PP_OK : PP_CELL_ELSEWHERE,
        .counts = statistics > 0,
        .all = timed && graphics == PP_PIPELINE_STATISTICS - 1,
    };
}

/* Read a fast bracket: begin, end, statistics, in the order in which they are in its two rows. */
static inline __attribute__((always_inline)) void
read_fast(const struct pp_gl_context *ctx, const struct pp_gl_readback *readback, uint32_t number,
          const struct fast_reading *how)
{
    const GLuint *name = pp_gl_names(ctx, readback->bracket[number].slot);
    GLuint64 *row = (GLuint64 *)(void *)pp_batch_row(readback->batch, number, 0);
    if (PP_LIKELY(how->all))
        get_each(how->get, name, row, 0, PP_GL_SLOT_NAMES - 1);
    else
        get_each(how->get, name, row, how->first, how->count);
    bool done = how->time != PP_OK || was_done(&row[0], &row[1]);
    *pp_batch_status(readback->batch, number, PP_SOURCE_TIME) = PP_LIKELY(done) ? how->time : PP_LOST;
    if (how->counts)
        *pp_batch_status(readback->batch, number, PP_SOURCE_STATISTICS) = PP_LIKELY(done) ? PP_OK : PP_LOST;
    if (how->zero)
        row[how->zero] = 0;
}

static inline __attribute__((always_inline)) void
read_next(struct pp_gl_context *ctx, struct pp_gl_readback *readback, const struct fast_reading *how)
{
    uint32_t number = readback->read++;
    if (PP_LIKELY(readback->bracket[number].fast))
        read_fast(ctx, readback, number, how);
    else
        read_bracket(ctx, readback, number);
}

void
pp_gl_readback_read_next(struct pp_gl_context *ctx)
{
    struct pp_gl_readback *readback = ctx->pending.reading;
    assert(readback && readback->read < readback->brackets);
    struct pp_gl_bracket *bracket = &readback->bracket[readback->read];
    const struct fast_reading how = plan_fast(ctx, readback);
    read_next(ctx, readback, &how);
    if (bracket->slot != NONE)
        pp_gl_pool_rest(&ctx->pool, bracket->slot);
    bracket->slot = NONE;
    if (readback->read == readback->brackets)
        ctx->pending.reading = NULL;
}

void
pp_gl_readback_read_until(struct pp_gl_context *ctx, struct pp_gl_readback *readback, uint32_t end)
{
    const struct fast_reading how = plan_fast(ctx, readback);
    for (uint32_t i = readback->early; i < end; i++) {
        struct pp_gl_bracket *bracket = &readback->bracket[i];
        /* Brackets that keep their slots show later whether the whole readback is available. */
        bracket->done = bracket->fast && i != readback->last_graphics && i != readback->last;
        if (bracket->done)
            read_fast(ctx, readback, i, &how);
    }
    for (uint32_t i = end; i-- > readback->early;) {
        struct pp_gl_bracket *bracket = &readback->bracket[i];
        if (!bracket->done)
            continue;
        pp_gl_pool_give(&ctx->pool, bracket->slot);
        bracket->slot = NONE;
        bracket->fast = 0;
    }
    readback->early = end;
}

/* Read the rest of a readback and hand its batch to the collector. */
static void
read_rest(struct pp_gl_context *ctx, struct pp_gl_readback *readback)
{
    uint32_t brackets = readback->batch->action_list.brackets;
    ctx->pending.reading = NULL;
    if (pp_batch_reserve(readback->batch, brackets)) {
        lose_readback(ctx, readback, true);
        return;
    }
    const struct fast_reading how = plan_fast(ctx, readback);
    while (readback->read < readback->brackets)
        read_next(ctx, readback, &how);
    for (uint32_t i = readback->brackets; i < brackets; i++)
        lose_bracket(ctx, readback, i);
    hand_on(ctx, readback);
}

void
pp_gl_readback_read_oldest(struct pp_gl_context *ctx)
{
    read_rest(ctx, pp_gl_readback_at(&ctx->pending, 0));
    pop_oldest(&ctx->pending);
}

void
pp_gl_readback_abandon(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (ctx->batch) {
        ctx->tracker.open_kind = PP_PASS_NONE;
        pp_gl_readback_seal(ctx);
    }
    while (pending->count > 0) {
        lose_readback(ctx, pp_gl_readback_at(pending, 0), false);
        pop_oldest(pending);
    }
    pending->reading = NULL;
    pending->counting = NONE;
    ctx->perf.running = NONE;
    ctx->scene.bracket = NONE;
    pp_gl_serialize_drop(ctx);
    free(pending->bias_slot);
    pending->bias_slot = NULL;
}

void
pp_gl_readback_finish(struct pp_gl_context *ctx)
{
    for (uint32_t i = 0; i < PP_GL_PENDING_MAX; i++)
        free(ctx->pending.readback[i].bracket);
    free(ctx->pending.open.bracket);
    free(ctx->pending.bias_slot);
    pp_gl_pool_finish(ctx);
}
