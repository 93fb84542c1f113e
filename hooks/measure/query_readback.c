/** @file
 * See query_readback.h. query_pool.c has the pool. */
#include "hooks/measure/query_readback.h"
#include "core/util/log.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hooks/counters/perf_query.h"
#include "hooks/measure/bracket.h"
#include "hooks/measure/clock_sample.h"
#include "hooks/measure/query_pool.h"

#define NONE         UINT32_MAX
#define WAIT_STEP_NS 100000
/* What a step of waiting counts at most: the process may be stopped during it, and the GPU's threads with it.
 */
#define WAIT_COUNTS_NS 10000000U
/* How many frames may wait, in addition to the newest one, while one of them is read as the next frame is
 * drawn. */
#define AS_DRAWN_MAX 2U
/* If the newest frame took longer than this, it is read at its end like the others. */
#define SLOW_NS 100000000U
/* Frames by which results of hardware counters may arrive later than timestamps. */
#define PERF_DELAY_FRAMES 16U
#define OVERDUE_STEP      256U
/* Least number of brackets that are read at once while their frame is open. */
#define EARLY_MIN 1024U
/* Least number of brackets that are read at once of the oldest waiting frame, which the GPU has had for
 * longer. */
#define OLDEST_MIN 64U

int
pp_gl_flight_open(struct pp_gl_context *ctx, struct pp_batch *batch)
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
    ctx->pending.open.batch = batch;
    ctx->pending.open.brackets = 0;
    ctx->pending.open.read = 0;
    ctx->pending.open.early = 0;
    ctx->pending.open.early_submitted = 0;
    ctx->pending.open.early_from = 0;
    ctx->pending.open.oldest_from = 0;
    ctx->pending.open.available = false;
    ctx->pending.open.fast_bracket = NONE;
    ctx->pending.open.last = NONE;
    ctx->pending.open.last_statistics = NONE;
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

/* Reading. */

static struct pp_gl_flight *
flight_at(struct pp_gl_pending *pending, uint32_t i)
{
    return &pending->flight[(pending->first + i) % PP_GL_PENDING_MAX];
}

/* Give a batch to the collector and its slots back to the pool. The first slot is given back last, so that it
 * is taken first again. Drivers lay names that were generated together next to each other in memory; only in
 * that order can a processor prefetch them. */
static void
finish_flight(struct pp_gl_context *ctx, struct pp_gl_flight *flight)
{
    for (uint32_t i = flight->brackets; i > 0; i--)
        if (flight->bracket[i - 1].slot != NONE)
            pp_gl_pool_give(&ctx->pool, flight->bracket[i - 1].slot);
    flight->batch->cpu_available_ns = pp_now_ns();
    pp_batch_put(flight->batch);
    flight->batch = NULL;
    flight->brackets = 0;
}

/* Set the status of the fixed sources, time and pipeline. Other counter sources set their status themselves.
 */
static void
set_status(const struct pp_gl_device *device, struct pp_gl_flight *flight, uint32_t bracket, uint8_t time,
           uint8_t counts)
{
    if (device->has_timestamps)
        *pp_batch_status(flight->batch, bracket, PP_SOURCE_TIME) = time;
    if (device->statistics)
        *pp_batch_status(flight->batch, bracket, PP_SOURCE_STATISTICS) = counts;
}

/* Mark all values of a bracket as lost. */
static void
lose_bracket(struct pp_gl_context *ctx, struct pp_gl_flight *flight, uint32_t number)
{
    struct pp_gl_perf_bracket none = {.set = 0};
    if (number < flight->brackets && flight->bracket[number].done)
        return;
    set_status(ctx->device, flight, number, PP_LOST, PP_LOST);
    pp_gl_perf_lose(ctx->device, number < flight->brackets ? &flight->bracket[number].perf : &none,
                    flight->batch, number);
}

/* Mark all values of a flight as lost. If its results arrived nevertheless, its slots can be used again. */
static void
lose_flight(struct pp_gl_context *ctx, struct pp_gl_flight *flight, bool available)
{
    if (pp_batch_reserve(flight->batch, flight->batch->action_list.brackets) == 0)
        for (uint32_t i = flight->read; i < flight->batch->action_list.brackets; i++)
            lose_bracket(ctx, flight, i);
    for (uint32_t i = flight->read; i < flight->brackets && !available; i++) {
        struct pp_gl_bracket *bracket = &flight->bracket[i];
        if (bracket->slot != NONE)
            pp_gl_pool_give_overdue(&ctx->pool,
                                    (struct pp_gl_overdue){bracket->slot, bracket->begun, bracket->ended,
                                                           bracket->has_statistics});
        bracket->slot = NONE;
    }
    finish_flight(ctx, flight);
}

static void
pop_flight(struct pp_gl_pending *pending)
{
    assert(pending->count > 0);
    pending->reading = NULL;
    pending->first = (pending->first + 1) % PP_GL_PENDING_MAX;
    pending->count--;
}

void
pp_gl_flight_seal(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (!ctx->batch)
        return;
    struct pp_batch *batch = ctx->batch;
    ctx->batch = NULL;
    ctx->tracker.action_list = NULL;
    pending->actions = batch->action_list.actions;
    if (batch->action_list.passes == 0 || (pending->open.brackets == 0 && pp_batch_reserve(batch, 1))) {
        pp_batch_cancel(batch);
        pending->open.batch = NULL;
        return;
    }
    if (pending->count == PP_GL_PENDING_MAX) {
        lose_flight(ctx, flight_at(pending, 0), false);
        pop_flight(pending);
        pending->dropped++;
    }
    /* The array of this ring place becomes the array of the next open flight. */
    struct pp_gl_flight *slot = flight_at(pending, pending->count);
    struct pp_gl_flight spare = *slot;
    *slot = pending->open;
    pending->open = (struct pp_gl_flight){.bracket = spare.bracket, .cap = spare.cap};
    pending->count++;
}

static uint64_t
result(const struct pp_gl_context *ctx, GLuint name)
{
    GLuint64 value = 0;
    if (ctx->caps.es)
        pp_glGetQueryObjectui64vEXT(name, GL_QUERY_RESULT, &value);
    else
        pp_glGetQueryObjectui64v(name, GL_QUERY_RESULT, &value);
    return value;
}

static bool
available(const struct pp_gl_context *ctx, GLuint name)
{
    GLuint ready = 0;
    if (ctx->caps.es)
        pp_glGetQueryObjectuivEXT(name, GL_QUERY_RESULT_AVAILABLE, &ready);
    else
        pp_glGetQueryObjectuiv(name, GL_QUERY_RESULT_AVAILABLE, &ready);
    return ready != 0;
}

/* Take back slots whose batches were given up and whose results are now available: oldest first, at most
 * OVERDUE_STEP per frame. */
static void
reclaim_overdue(struct pp_gl_context *ctx)
{
    struct pp_gl_overdue overdue;
    for (uint32_t i = 0; i < OVERDUE_STEP && pp_gl_pool_oldest_overdue(&ctx->pool, &overdue); i++) {
        const GLuint *name = pp_gl_names(ctx, overdue.slot);
        if (((overdue.begun || overdue.ended) && !available(ctx, name[overdue.ended ? 1 : 0])) ||
            (overdue.has_statistics && !available(ctx, name[1 + ctx->device->statistics])))
            break;
        pp_gl_pool_free_overdue(&ctx->pool);
    }
}

/* Is the last query that a flight wrote available? Results of one kind become available in order. */
static bool
queries_available(struct pp_gl_context *ctx, const struct pp_gl_flight *flight)
{
    uint32_t number = flight->last_statistics;
    if (number != NONE &&
        !available(ctx, pp_gl_names(ctx, flight->bracket[number].slot)[1 + ctx->device->statistics]))
        return false;
    if (flight->last == NONE)
        return true;
    const struct pp_gl_bracket *last = &flight->bracket[flight->last];
    return available(ctx, pp_gl_names(ctx, last->slot)[last->ended ? 1 : 0]);
}

/* Are all results of the oldest flight available? Results of hardware counters may never arrive: they are
 * given up when the queries of some later frames are available, or when there is no time left. */
static bool
flight_available(struct pp_gl_context *ctx, bool hurry)
{
    struct pp_gl_pending *pending = &ctx->pending;
    struct pp_gl_flight *oldest = flight_at(pending, 0);
    if (oldest->available)
        return true;
    if (!queries_available(ctx, oldest))
        return false;
    oldest->available =
        oldest->perf == NONE || hurry || pp_gl_perf_available(ctx, &oldest->bracket[oldest->perf].perf) ||
        (pending->count > PERF_DELAY_FRAMES && queries_available(ctx, flight_at(pending, PERF_DELAY_FRAMES)));
    return oldest->available;
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

uint64_t
pp_gl_bracket_result(const struct pp_gl_context *ctx, const struct pp_gl_bracket *bracket, unsigned end)
{
    return result(ctx, pp_gl_names(ctx, bracket->slot)[end]);
}

/* Complete the times of a bracket of which the CPU wrote a part into the rows. */
static void
read_times(struct pp_gl_context *ctx, const struct pp_gl_bracket *bracket, uint8_t *begin, uint8_t *end)
{
    uint64_t *from = (uint64_t *)(void *)begin, *to = (uint64_t *)(void *)end;
    if (bracket->rows == PP_GL_ROWS_SCENE || bracket->rows == PP_GL_ROWS_CALLS) {
        pp_gl_scene_read(ctx, bracket, begin, end);
        return;
    }
    *from = pp_gl_bracket_result(ctx, bracket, 0);
    /* A read-back that failed waited for nothing. */
    uint8_t unused = (uint8_t)(64 - ctx->device->sources.time_bits);
    if ((int64_t)((*to - *from) << unused) < 0)
        *to = *from;
}

static void
read_bracket(struct pp_gl_context *ctx, struct pp_gl_flight *flight, uint32_t number)
{
    struct pp_gl_bracket *bracket = &flight->bracket[number];
    const struct pp_gl_device *device = ctx->device;
    struct pp_batch *batch = flight->batch;
    if (bracket->done)
        return;
    if (!bracket->closed) {
        lose_bracket(ctx, flight, number);
        return;
    }
    const GLuint *name = pp_gl_names(ctx, bracket->slot);
    uint8_t counts = !device->statistics                           ? PP_UNSUPPORTED
                     : bracket->has_statistics && !bracket->broken ? PP_OK
                                                                   : PP_CELL_ELSEWHERE;
    /* The names are in the same order as the fixed sources of a row: the time, then the statistics. */
    uint8_t *begin = pp_batch_row(batch, number, 0), *end = pp_batch_row(batch, number, 1);
    bool timed = bracket->begun || bracket->rows;
    if (PP_UNLIKELY(bracket->rows)) {
        read_times(ctx, bracket, begin, end);
    } else if (timed) {
        read_results(ctx, &name[0], 1, begin);
        read_results(ctx, &name[1], 1, end);
    }
    if (bracket->has_statistics)
        read_results(ctx, &name[2], device->statistics, end + sizeof(GLuint64));
    set_status(device, flight, number, timed ? PP_OK : PP_CELL_ELSEWHERE, counts);
    if (device->perf[0].source != NONE || device->perf[1].source != NONE)
        pp_gl_perf_read(ctx, &bracket->perf, batch, number);
}

static inline __attribute__((always_inline)) void
get_each(pp_fn_glGetQueryObjectui64v get, const GLuint *name, GLuint64 *row, size_t first, size_t count)
{
#pragma GCC unroll 13
    for (size_t i = first; i < count; i++)
        get(name[i], GL_QUERY_RESULT, &row[i]);
}

/* Read a fast bracket: begin, end, statistics, in the order in which they lie in its two rows. */
static inline void
read_fast(const struct pp_gl_context *ctx, const struct pp_gl_flight *flight, uint32_t number)
{
    const GLuint *name = pp_gl_names(ctx, flight->bracket[number].slot);
    GLuint64 *row = (GLuint64 *)(void *)pp_batch_row(flight->batch, number, 0);
    pp_fn_glGetQueryObjectui64v get = ctx->caps.es ? pp_glGetQueryObjectui64vEXT : pp_glGetQueryObjectui64v;
    uint32_t statistics = ctx->device->statistics;
    bool timed = flight->stamp != NULL;
    *pp_batch_status(flight->batch, number, PP_SOURCE_TIME) = timed ? PP_OK : PP_CELL_ELSEWHERE;
    if (statistics)
        *pp_batch_status(flight->batch, number, PP_SOURCE_STATISTICS) = PP_OK;
    if (PP_LIKELY(timed && statistics == PP_PIPELINE_STATISTICS))
        get_each(get, name, row, 0, PP_GL_SLOT_NAMES);
    else
        get_each(get, name, row, timed ? 0 : 2, 2 + statistics);
}

static inline void
read_next(struct pp_gl_context *ctx, struct pp_gl_flight *flight)
{
    uint32_t number = flight->read++;
    if (PP_LIKELY(flight->bracket[number].fast))
        read_fast(ctx, flight, number);
    else
        read_bracket(ctx, flight, number);
}

void
pp_gl_flight_read_next(struct pp_gl_context *ctx)
{
    struct pp_gl_flight *flight = ctx->pending.reading;
    assert(flight && flight->read < flight->brackets);
    struct pp_gl_bracket *bracket = &flight->bracket[flight->read];
    read_next(ctx, flight);
    if (bracket->slot != NONE)
        pp_gl_pool_give(&ctx->pool, bracket->slot);
    bracket->slot = NONE;
    if (flight->read == flight->brackets)
        ctx->pending.reading = NULL;
}

/* Are the results of this fast bracket available, and therefore those of all brackets before it? */
static bool
fast_available(const struct pp_gl_context *ctx, const struct pp_gl_flight *flight, uint32_t number)
{
    const GLuint *name = pp_gl_names(ctx, flight->bracket[number].slot);
    uint32_t statistics = ctx->device->statistics;
    return (!statistics || available(ctx, name[1 + statistics])) &&
           (!flight->stamp || available(ctx, name[1]));
}

/* The largest number of brackets, at most @p end, of which the last one is fast. */
static uint32_t
fast_end(const struct pp_gl_flight *flight, uint32_t end)
{
    while (end > flight->early && !flight->bracket[end - 1].fast)
        end--;
    return end;
}

static void
read_until(struct pp_gl_context *ctx, struct pp_gl_flight *flight, uint32_t end)
{
    for (uint32_t i = flight->early; i < end; i++) {
        struct pp_gl_bracket *bracket = &flight->bracket[i];
        /* Brackets that keep their slots show later whether the whole flight is available. */
        bracket->done = bracket->fast && i != flight->last_statistics && i != flight->last;
        if (bracket->done)
            read_fast(ctx, flight, i);
    }
    for (uint32_t i = end; i-- > flight->early;) {
        struct pp_gl_bracket *bracket = &flight->bracket[i];
        if (!bracket->done)
            continue;
        pp_gl_pool_give(&ctx->pool, bracket->slot);
        bracket->slot = NONE;
        bracket->fast = 0;
    }
    flight->early = end;
}

bool
pp_gl_flight_read_early(struct pp_gl_context *ctx)
{
    struct pp_gl_flight *flight = &ctx->pending.open;
    if (!flight->batch || !ctx->only_queries || ctx->lost || ctx->buffers.query_bound ||
        flight->brackets < flight->early_from)
        return false;
    uint64_t start = pp_now_ns();
    bool sent = flight->early_submitted > flight->early;
    uint32_t end = fast_end(flight, sent ? flight->early_submitted
                                         : flight->early + (flight->brackets - flight->early) / 2);
    bool due = end >= flight->early + EARLY_MIN && fast_available(ctx, flight, end - 1) &&
               pp_batch_reserve(flight->batch, flight->brackets) == 0;
    if (due)
        read_until(ctx, flight, end);
    /* Some drivers do nothing before they are asked: ask now, and read at the next attempt. */
    end = fast_end(flight, flight->brackets);
    if (end >= flight->early + EARLY_MIN && !fast_available(ctx, flight, end - 1))
        flight->early_submitted = end;
    flight->early_from = flight->brackets + EARLY_MIN;
    flight->batch->overhead_ns += pp_now_ns() - start;
    return due;
}

bool
pp_gl_flight_read_oldest(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    struct pp_gl_flight *oldest = flight_at(pending, 0), *open = &pending->open;
    bool whole = pending->count > 0 && pending->reading != oldest && oldest->read == 0;
    if (!whole || !open->batch || !ctx->only_queries || ctx->lost || ctx->buffers.query_bound ||
        open->brackets < open->oldest_from)
        return false;
    uint64_t start = pp_now_ns();
    uint32_t end = fast_end(oldest, oldest->brackets), least = oldest->early + OLDEST_MIN;
    /* results of one kind become available in order: find the longest available part, to within a factor of
     * two */
    while (end >= least && !fast_available(ctx, oldest, end - 1))
        end = fast_end(oldest, oldest->early + (end - oldest->early) / 2);
    bool due = end >= least && pp_batch_reserve(oldest->batch, oldest->batch->action_list.brackets) == 0;
    if (due)
        read_until(ctx, oldest, end);
    else
        open->oldest_from = open->brackets + OLDEST_MIN;
    open->batch->overhead_ns += pp_now_ns() - start;
    return due && ctx->pool.frees > 0;
}

/* Read the rest of a flight. */
static void
read_flight(struct pp_gl_context *ctx, struct pp_gl_flight *flight)
{
    uint32_t brackets = flight->batch->action_list.brackets;
    ctx->pending.reading = NULL;
    if (pp_batch_reserve(flight->batch, brackets)) {
        lose_flight(ctx, flight, true);
        return;
    }
    while (flight->read < flight->brackets)
        read_next(ctx, flight);
    for (uint32_t i = flight->brackets; i < brackets; i++)
        lose_bracket(ctx, flight, i);
    finish_flight(ctx, flight);
}

/* Can the draws of the next frame read the oldest flight, one bracket each when they need its slot? An
 * application that measures itself would do the same: read a query object when it is used again, while it is
 * in the caches. */
static bool
read_as_drawn(struct pp_gl_context *ctx)
{
    struct pp_gl_flight *flight = flight_at(&ctx->pending, 0);
    if (!ctx->only_queries || ctx->buffers.query_bound || flight->batch->level != PP_LEVEL_DRAW ||
        flight->brackets == 0 || pp_batch_reserve(flight->batch, flight->batch->action_list.brackets))
        return false;
    ctx->pending.reading = flight;
    return true;
}

static void
read_bias(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    uint64_t length[PP_GL_BIAS_PAIRS];
    if (!pending->bias_slot ||
        !available(ctx, pp_gl_names(ctx, pending->bias_slot[pending->bias_count - 1])[1]))
        return;
    for (uint32_t i = pending->bias_count; i-- > 0;) {
        const GLuint *name = pp_gl_names(ctx, pending->bias_slot[i]);
        uint64_t begin = result(ctx, name[0]);
        uint64_t end = result(ctx, name[1]);
        length[i] = end > begin ? end - begin : 0;
        pp_gl_pool_give(&ctx->pool, pending->bias_slot[i]);
    }
    pp_device_bias(ctx->device->device, "pass", length, pending->bias_count);
    free(pending->bias_slot);
    pending->bias_slot = NULL;
}

/* Unbind a QUERY_BUFFER, because results would be written into it. @return Name of the buffer; 0: none was
 * bound.
 * @p ret_skip The buffer could not be bound again (another context deleted it): do not poll. */
static GLuint
unbind_query_buffer(const struct pp_gl_context *ctx, bool *ret_skip)
{
    GLint bound = 0;
    *ret_skip = false;
    if (!ctx->buffers.query_bound)
        return 0;
    pp_glGetIntegerv(GL_QUERY_BUFFER_BINDING, &bound);
    if (bound && !pp_glIsBuffer((GLuint)bound)) {
        *ret_skip = true;
        return 0;
    }
    if (bound)
        pp_glBindBuffer(GL_QUERY_BUFFER, 0);
    return (GLuint)bound;
}

/* Is the newest frame left for the draws of the next frame to read? Yes at level draw, where a frame has many
 * queries. A driver with a thread would have to catch up with the application to answer; other drivers have
 * the queries in the caches when they are written again. No if the frame took so long that its rows would
 * come late. */
static bool
leave_newest(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    const struct pp_batch *batch =
        ctx->only_queries && pending->count ? flight_at(pending, pending->count - 1)->batch : NULL;
    return batch && batch->level == PP_LEVEL_DRAW && pp_now_ns() - batch->cpu_issued_ns <= SLOW_NS;
}

/* Read the flights that are available, except the `keep` newest ones. @return true: no flight is left. */
static bool
poll_once(struct pp_gl_context *ctx, uint32_t keep, bool hurry)
{
    struct pp_gl_pending *pending = &ctx->pending;
    const struct pp_gl_flight *begun = pending->reading;
    /* Errors that reading leaves in glGetError must not reach the application. */
    bool counters = ctx->device->has_counter_sets;
    if (counters)
        (void)pp_gl_perf_keep_error(ctx);
    while (pending->count > keep && flight_available(ctx, hurry)) {
        struct pp_gl_flight *oldest = flight_at(pending, 0);
        bool untouched = oldest != begun && oldest->read == 0;
        if (keep && untouched && pending->count <= keep + AS_DRAWN_MAX && read_as_drawn(ctx))
            break;
        read_flight(ctx, oldest);
        pop_flight(pending);
    }
    if (counters)
        pp_gl_perf_drop_error();
    return pending->count == 0;
}

/* Wait a moment. @return How much of it counts, in nanoseconds. */
static uint64_t
wait_step(void)
{
    uint64_t begin_ns = pp_now_ns();
    (void)nanosleep(&(struct timespec){.tv_nsec = WAIT_STEP_NS}, NULL);
    uint64_t took_ns = pp_now_ns() - begin_ns;
    return took_ns < WAIT_COUNTS_NS ? took_ns : WAIT_COUNTS_NS;
}

static void
poll_all(struct pp_gl_context *ctx, bool frame, uint64_t wait_ns)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (!ctx->set_up || ctx->lost || (ctx->gate & PP_GATE_INSIDE))
        return;
    if (pending->count == 0 && !pending->bias_slot && ctx->pool.overdues == 0)
        return;
    bool skip;
    GLuint buffer = unbind_query_buffer(ctx, &skip);
    if (!skip) {
        if (pending->bias_slot)
            read_bias(ctx);
        uint32_t keep = frame && leave_newest(ctx) ? 1 : 0;
        uint64_t waited_ns = 0;
        while (!poll_once(ctx, keep, false) && waited_ns < wait_ns)
            waited_ns += wait_step();
        if (wait_ns)
            (void)poll_once(ctx, 0, true);
        reclaim_overdue(ctx);
    }
    if (buffer)
        pp_glBindBuffer(GL_QUERY_BUFFER, buffer);
}

void
pp_gl_poll(struct pp_gl_context *ctx, uint64_t wait_ns)
{
    poll_all(ctx, false, wait_ns);
}

void
pp_gl_poll_frame(struct pp_gl_context *ctx)
{
    pp_gl_pool_note(&ctx->pool);
    poll_all(ctx, true, 0);
    if (ctx->set_up && !ctx->lost && !(ctx->gate & PP_GATE_INSIDE))
        pp_gl_pool_shrink(ctx);
}

void
pp_gl_flight_abandon(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (ctx->batch) {
        ctx->tracker.open_kind = PP_PASS_NONE;
        pp_gl_flight_seal(ctx);
    }
    while (pending->count > 0) {
        lose_flight(ctx, flight_at(pending, 0), false);
        pop_flight(pending);
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
pp_gl_query_stop(struct pp_gl_context *ctx)
{
    pp_gl_statistics_end(ctx);
    pp_gl_perf_stop(ctx);
}

void
pp_gl_query_finish(struct pp_gl_context *ctx)
{
    for (uint32_t i = 0; i < PP_GL_PENDING_MAX; i++)
        free(ctx->pending.flight[i].bracket);
    free(ctx->pending.open.bracket);
    free(ctx->pending.bias_slot);
    pp_gl_pool_finish(ctx);
}
