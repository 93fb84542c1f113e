/** @file
 * See bracket.h. */
#include "hooks/measure/bracket.h"

#include "core/util/heap.h"
#include "hooks/counters/perf_query.h"
#include "hooks/measure/deferred_renderer.h"
#include "hooks/measure/query_pool.h"
#include "hooks/measure/readback.h"
#include "hooks/measure/serialize.h"
#include "hooks/measure/statistics.h"
#include "hooks/reach/driver_procs.h"

#define NONE UINT32_MAX
/* The CPU cost of brackets is measured on the first brackets of a frame. After those, every 64th bracket is
 * measured and counts for 64: reading the clock four times in each draw would cost a tenth of the draw's
 * queries. */
#define OVERHEAD_ALL   16U
#define OVERHEAD_EVERY 64U
/* A bracket that takes longer is an exception: query names were generated, or the thread lost its processor.
 */
#define OVERHEAD_USUAL_NS 20000U

void
pp_gl_timestamp(const struct pp_gl_context *ctx, GLuint name)
{
    if (PP_UNLIKELY(ctx->caps.es))
        pp_glQueryCounterEXT(name, GL_TIMESTAMP);
    else
        pp_glQueryCounter(name, GL_TIMESTAMP);
}

void
pp_gl_submit_collected(struct pp_gl_context *ctx)
{
    if (!(ctx->ends & PP_GL_ENDS_COLLECTED))
        return;
    ctx->ends &= (uint8_t)~PP_GL_ENDS_COLLECTED;
    /* Deletes nothing, but Mesa draws first: _mesa_DeleteQueries() of 22.3.6 and 25.0.7 begins with
     * FLUSH_VERTICES. _mesa_QueryCounter() does not; remove this when it does. */
    if (ctx->caps.version >= 15 && pp_glDeleteQueries)
        pp_glDeleteQueries(0, NULL);
}

void
pp_gl_statistics_end(struct pp_gl_context *ctx)
{
    if (ctx->pending.counting != NONE)
        pp_gl_statistics_finish(ctx, ctx->pending.open.bracket[ctx->pending.counting].statistics);
}

uint64_t
pp_gl_clock(const struct pp_gl_context *ctx)
{
    GLint64 ticks = 0;
    if (ctx->caps.es)
        pp_glGetInteger64vEXT(GL_TIMESTAMP, &ticks);
    else
        pp_glGetInteger64v(GL_TIMESTAMP, &ticks);
    return (uint64_t)ticks;
}

/* Under --serialize each bracket is a scene by itself; see deferred_renderer.h. */
static void
flush_bracket(const struct pp_gl_context *ctx)
{
    if (ctx->device->is_deferred && ctx->device->serialize)
        pp_glFlush();
}

bool
pp_gl_actions_have_times(const struct pp_gl_device *device)
{
    return !device->is_deferred || device->serialize;
}

/* Is the last action a dispatch, or does the open pass of this kind have dispatches? */
static inline bool
has_dispatches(const struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    if (kind == PP_PASS_NONE)
        return ctx->scene.kind == PP_ACTION_DISPATCH;
    return kind == PP_PASS_COMPUTE ||
           (kind == PP_PASS_FRAME && ctx->tracker.action_list->pass[ctx->tracker.open_pass].dispatches > 0);
}

/* Does a bracket of this kind enclose only work that the driver executes in another queue than its queries?
 */
static inline bool
runs_apart(const struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    return PP_UNLIKELY(ctx->device->faults.dispatches_apart) && kind != PP_PASS_FRAME &&
           has_dispatches(ctx, kind);
}

/* Read the snapshots that the CPU takes: those of this thread, or those that need an idle GPU. */
static inline void
read_now(struct pp_gl_context *ctx, uint32_t number, unsigned end, bool idle)
{
    if (PP_UNLIKELY(ctx->device->cpu_snapshots) && pp_batch_reserve(ctx->batch, number + 1) == 0)
        pp_device_read(ctx->device->device, ctx->batch, number, end, ctx->perf.rotation.set, idle);
}

/* Note on the open pass or action of bracket `number` that other work overlapped with it. */
static void
note_overlapped(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_action_list *list = ctx->tracker.action_list;
    if (kind != PP_PASS_NONE)
        list->pass[ctx->tracker.open_pass].flags |= PP_PASS_OVERLAPPED;
    else if (list->actions > 0 && list->action[list->actions - 1].bracket == number)
        list->action[list->actions - 1].overlapped = 1;
}

void
pp_gl_wait_unwaited(struct pp_gl_context *ctx)
{
    if (!ctx->serialize.unwaited)
        return;
    pp_glFinish();
    pp_gl_serialize_waited(ctx);
}

static void
begin_frame(struct pp_gl_context *ctx, uint32_t number)
{
    if (!ctx->device->whole_frames) {
        pp_gl_serialize_unwaited(ctx);
        return;
    }
    pp_glFinish();
    pp_gl_serialize_frame(ctx);
    read_now(ctx, number, 0, true);
}

static void
end_frame(struct pp_gl_context *ctx, uint32_t number)
{
    if (!ctx->device->whole_frames) { /* frames are the sum of their passes, if they have values at all */
        if (pp_gl_serialize_contended())
            pp_gl_wait_unwaited(ctx);
        return;
    }
    pp_glFinish();
    read_now(ctx, number, 1, true);
    bool isolated = pp_gl_serialize_leave(ctx, PP_PASS_FRAME);
    pp_gl_serialize_waited(ctx);
    if (isolated)
        return;
    if (pp_batch_reserve(ctx->batch, number + 1) == 0)
        pp_device_unread(ctx->device->device, ctx->batch, number);
}

/* Under --serialize nothing else runs on the GPU while a pass or an action is measured, whether or not a
 * query exists for it. Whole frames do not wait for turns, but may report that other work overlapped with
 * them. */
static void
serialize_begin(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    if (kind == PP_PASS_FRAME) {
        begin_frame(ctx, number);
        return;
    }
    pp_gl_serialize_enter(ctx, kind);
    pp_glFinish();
    pp_gl_serialize_idle(ctx, kind);
    read_now(ctx, number, 0, true);
}

static void
serialize_end(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    if (kind == PP_PASS_FRAME) {
        end_frame(ctx, number);
        return;
    }
    pp_glFinish();
    read_now(ctx, number, 1, true);
    if (pp_gl_serialize_leave(ctx, kind))
        return;
    note_overlapped(ctx, number, kind);
    pp_gl_perf_overlapped(ctx, number);
    if (pp_device_reads_idle(ctx->device->device) && pp_batch_reserve(ctx->batch, number + 1) == 0)
        pp_device_unread(ctx->device->device, ctx->batch, number);
}

/* Do what --serialize needs at one end of a bracket. @return How long that took, in nanoseconds. It is no
 * overhead: the GPU worked, or other passes ran. */
static uint64_t
serialized(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind, bool end)
{
    if (PP_LIKELY(!ctx->device->serialize))
        return 0;
    uint64_t start = pp_now_ns();
    if (end)
        serialize_end(ctx, number, kind);
    else
        serialize_begin(ctx, number, kind);
    return pp_now_ns() - start;
}

/* Begin to measure the CPU cost of a bracket. @return 0: this bracket is not measured. */
static uint64_t
overhead_begin(uint32_t number)
{
    return number < OVERHEAD_ALL || number % OVERHEAD_EVERY == 0 ? pp_now_ns() : 0;
}

static void
overhead_end(struct pp_batch *batch, uint32_t number, uint64_t start)
{
    if (PP_LIKELY(start == 0))
        return;
    uint64_t took = pp_now_ns() - start;
    uint64_t usual = took < OVERHEAD_USUAL_NS ? took : OVERHEAD_USUAL_NS;
    batch->overhead_ns += number < OVERHEAD_ALL ? took : usual * OVERHEAD_EVERY + (took - usual);
}

void
pp_gl_bracket_stamp(struct pp_gl_context *ctx, uint32_t number, unsigned end)
{
    struct pp_gl_readback *readback = &ctx->pending.open;
    struct pp_gl_bracket *bracket = &readback->bracket[number];
    pp_gl_timestamp(ctx, pp_gl_names(ctx, bracket->slot)[end]);
    if (end)
        bracket->ended = 1;
    else
        bracket->begun = 1;
    readback->last = number;
}

/* Does the pass that begins here meet the one that ended in the same call? Not if passprobe has other
 * commands between the two. */
static bool
meets(const struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    const struct pp_gl_device *device = ctx->device;
    const struct pp_gl_readback *readback = &ctx->pending.open;
    uint32_t met = ctx->tracker.met;
    return kind != PP_PASS_NONE && met != PP_NO_BRACKET && met < readback->brackets &&
           readback->bracket[met].ended && device->statistics == 0 && !device->has_counter_sets &&
           !device->serialize && !device->faults.flush_dispatches;
}

/* Begin the queries of a bracket. @return Nanoseconds that this call waited for scenes before the pass. */
static uint64_t
begin_queries(struct pp_gl_context *ctx, struct pp_gl_bracket *bracket, uint32_t number,
              enum pp_pass_kind kind)
{
    bool apart = runs_apart(ctx, kind);
    if (apart)
        pp_gl_perf_skip(ctx, &bracket->perf);
    else
        pp_gl_perf_begin(ctx, &bracket->perf, number, kind == PP_PASS_NONE);
    if (bracket->slot == NONE)
        return 0;
    /* Before statistics begin, because it may submit a scene: with their begins that would be a scene in
     * which no query ends, and such a scene is not kept (query_pool.h). */
    bool scene = PP_UNLIKELY(ctx->device->is_deferred) && kind != PP_PASS_NONE;
    uint64_t waited_ns = scene ? pp_gl_scene_begin(ctx, number, kind) : 0;
    /* Statistics queries do not nest: at level draw they measure the draws. */
    if (kind == PP_PASS_NONE || ctx->tracker.level != PP_LEVEL_DRAW)
        pp_gl_statistics_begin(ctx, bracket, number, pp_gl_statistics_of(kind, ctx->scene.kind));
    if (kind == PP_PASS_FRAME && pp_gl_statistics_any(ctx->device, PP_GL_STATISTICS_COMPUTE))
        ctx->gate |= PP_GATE_COMPUTE;
    if (scene)
        return waited_ns;
    bracket->begun = pp_gl_actions_have_times(ctx->device) && !apart;
    if (bracket->begun && meets(ctx, kind))
        bracket->shared = ctx->tracker.met + 1;
    else if (bracket->begun)
        pp_gl_timestamp(ctx, pp_gl_names(ctx, bracket->slot)[0]);
    flush_bracket(ctx);
    return 0;
}

/* Is the bracket measured by queries? Without timestamps, hardware counters are measured alone. */
static bool
has_queries(const struct pp_gl_context *ctx, const struct pp_gl_bracket *bracket)
{
    return bracket->slot != NONE || (!ctx->device->has_timestamps && ctx->device->has_counter_sets);
}

static PP_SLOW void
begin_any(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_readback *readback = &ctx->pending.open;
    uint64_t start = overhead_begin(number);
    pp_gl_submit_collected(ctx);
    if (ctx->pending.reading)
        pp_gl_readback_read_next(ctx);
    if (pp_array_grow_within(&readback->bracket, &readback->cap, (size_t)number + 1,
                             sizeof(*readback->bracket)) == 0) {
        while (readback->brackets <= number)
            readback->bracket[readback->brackets++] = (struct pp_gl_bracket){.slot = NONE};
        struct pp_gl_bracket *bracket = &readback->bracket[number];
        bracket->slot = ctx->device->has_timestamps ? pp_gl_pool_take(ctx) : NONE;
        uint64_t waited_ns = serialized(ctx, number, kind, false);
        /* A dispatch hands over the rendering in front of it. If that was not handed over before, the driver
         * keeps it as the batch of the queries that follow the dispatch. */
        if (PP_UNLIKELY(ctx->device->faults.flush_dispatches) && kind == PP_PASS_COMPUTE)
            pp_glFlush();
        if (has_queries(ctx, bracket))
            waited_ns += begin_queries(ctx, bracket, number, kind);
        start += start > 0 ? waited_ns : 0;
        read_now(ctx, number, 0, false);
    } else if (ctx->device->serialize) {
        note_overlapped(ctx, number, kind);
    }
    overhead_end(ctx->batch, number, start);
}

/* The application waited for the work that the bracket encloses, so the GPU has finished that work. The
 * driver would write a query only when the application submits more work. */
static void
end_by_clock(struct pp_gl_context *ctx, struct pp_gl_readback *readback, uint32_t number)
{
    struct pp_gl_bracket *bracket = &readback->bracket[number];
    if (pp_batch_reserve(ctx->batch, number + 1))
        return;
    *(uint64_t *)(void *)pp_batch_row(ctx->batch, number, 1) = pp_gl_clock(ctx);
    bracket->rows = PP_GL_ROWS_END;
    bracket->closed = 1;
    if (!bracket->shared && (readback->last == NONE || readback->last < number))
        readback->last = number;
}

/* The path of nearly every bracket of a draw: only queries, no allocation, and not a bracket whose CPU cost
 * is measured. */
static inline bool
is_fast(const struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    const struct pp_gl_readback *readback = &ctx->pending.open;
    return ctx->only_queries && kind == PP_PASS_NONE && ctx->scene.kind != PP_ACTION_DISPATCH &&
           number >= OVERHEAD_ALL && number % OVERHEAD_EVERY != 0 && number == readback->brackets &&
           number < readback->cap;
}

void
pp_gl_bracket_begin(void *user, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_context *ctx = user;
    struct pp_gl_readback *readback = &ctx->pending.open;
    struct pp_gl_pool *pool = &ctx->pool;
    bool fast = is_fast(ctx, number, kind);
    if (fast && ctx->pending.reading)
        pp_gl_readback_read_next(ctx);
    if (PP_UNLIKELY(!fast || pool->frees == 0)) {
        begin_any(ctx, number, kind);
        return;
    }
    struct pp_gl_bracket *bracket = &readback->bracket[number];
    uint32_t slot = pool->free[--pool->frees];
    readback->brackets = number + 1;
    readback->fast_bracket = number;
    *bracket = (struct pp_gl_bracket){.slot = slot, .begun = readback->stamp != NULL};
    pp_gl_statistics_begin(ctx, bracket, number, PP_GL_STATISTICS_GRAPHICS);
    if (PP_LIKELY(readback->stamp))
        readback->stamp(pp_gl_names(ctx, slot)[0], GL_TIMESTAMP);
}

static void
end_queries(struct pp_gl_context *ctx, struct pp_gl_readback *readback, uint32_t number,
            enum pp_pass_kind kind)
{
    struct pp_gl_bracket *bracket = &readback->bracket[number];
    const struct pp_gl_driver_faults *faults = &ctx->device->faults;
    if (PP_UNLIKELY(faults->flush_dispatches) && has_dispatches(ctx, kind))
        pp_glFlush();
    if (PP_UNLIKELY(faults->dispatches_apart) && has_dispatches(ctx, kind) &&
        !atomic_exchange_explicit(&ctx->device->reported_apart, true, memory_order_relaxed))
        pp_device_missing(ctx->device->device, PP_EVENT_GL_DISPATCHES_APART, PP_TEXT_GL_DISPATCHES_APART);
    if (PP_UNLIKELY(ctx->device->is_deferred) && kind != PP_PASS_NONE && bracket->slot != NONE) {
        pp_gl_scene_end(ctx, bracket, number);
    } else if (!bracket->begun) {
        bracket->closed = 1;
    } else if (PP_UNLIKELY(ctx->ends & PP_GL_ENDS_BY_CLOCK)) {
        end_by_clock(ctx, readback, number);
    } else {
        pp_gl_timestamp(ctx, pp_gl_names(ctx, bracket->slot)[1]);
        bracket->ended = bracket->closed = 1;
        readback->last = number;
    }
    if (ctx->pending.counting == number)
        pp_gl_statistics_end(ctx);
    if (ctx->perf.running == number) {
        pp_gl_perf_end(ctx, &bracket->perf, number);
        readback->perf = number;
    }
    flush_bracket(ctx);
}

static PP_SLOW void
end_any(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_readback *readback = &ctx->pending.open;
    readback->fast_bracket = NONE;
    if (number >= readback->brackets)
        return;
    uint64_t start = overhead_begin(number);
    const struct pp_gl_bracket *bracket = &readback->bracket[number];
    read_now(ctx, number, 1, false);
    if (has_queries(ctx, bracket) && !bracket->closed)
        end_queries(ctx, readback, number, kind);
    uint64_t waited_ns = serialized(ctx, number, kind, true);
    start += start > 0 ? waited_ns : 0;
    overhead_end(ctx->batch, number, start);
}

void
pp_gl_bracket_end(void *user, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_context *ctx = user;
    struct pp_gl_readback *readback = &ctx->pending.open;
    if (PP_UNLIKELY(readback->fast_bracket != number || ctx->ends)) {
        pp_gl_submit_collected(ctx);
        if (readback->fast_bracket != number || ctx->ends) {
            end_any(ctx, number, kind);
            return;
        }
    }
    struct pp_gl_bracket *bracket = &readback->bracket[number];
    readback->fast_bracket = NONE;
    bracket->closed = 1;
    if (PP_LIKELY(readback->stamp)) {
        readback->stamp(pp_gl_names(ctx, bracket->slot)[1], GL_TIMESTAMP);
        bracket->ended = 1;
        readback->last = number;
    }
    bracket->fast = ctx->pending.counting == number || !ctx->device->statistics;
    if (PP_LIKELY(ctx->pending.counting == number))
        pp_gl_statistics_finish(ctx, PP_GL_STATISTICS_GRAPHICS);
}
