/** @file
 * See retire.h. readback.c reads the results of a bracket. */
#include "hooks/measure/retire.h"

#include <time.h>

#include "core/util/log.h"
#include "counters/util/array_size.h"
#include "hooks/base/measured.h"
#include "hooks/counters/perf_query.h"
#include "hooks/measure/bracket.h"
#include "hooks/measure/device.h"
#include "hooks/measure/query_pool.h"
#include "hooks/measure/readback.h"
#include "hooks/measure/report_wait.h"
#include "hooks/measure/statistics.h"
#include "hooks/reach/driver_procs.h"

#define NONE         UINT32_MAX
#define WAIT_STEP_NS 100000
/* A step of waiting counts as this long at most: the process may be stopped during the step, and the threads
 * of a software driver with it. */
#define WAIT_COUNTS_NS 10000000U
/* How long results may come after the GPU has finished all work, in addition to what hardware counters need.
 * Those that have not come by then never come, as on a GPU that executes nothing. */
#define WAIT_IDLE_NS 100000000U
/* A longer wait goes on only while it is certain that results come: some came in this time, or the renderer's
 * threads, which end what they have begun, are in this process. */
#define WAIT_QUIET_NS 1000000000U
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

/* Are the statistics of a slot available, of those kinds that were begun? The last one becomes available
 * last. */
static bool
statistics_available(const struct pp_gl_context *ctx, const GLuint *name, uint32_t which)
{
    static const uint32_t kind[] = {PP_GL_STATISTICS_GRAPHICS, PP_GL_STATISTICS_COMPUTE};
    for (uint32_t i = 0; i < PP_ARRAY_SIZE(kind); i++)
        if ((which & kind[i]) && pp_gl_statistics_any(ctx->device, kind[i]) &&
            !pp_gl_readback_has_result(ctx, name[1 + pp_gl_statistics_last(ctx->device, kind[i])]))
            return false;
    return true;
}

/* Take back slots whose batches were given up and whose results are now available: oldest first, at most
 * OVERDUE_STEP per frame. */
static void
reclaim_overdue(struct pp_gl_context *ctx)
{
    struct pp_gl_overdue overdue;
    for (uint32_t i = 0; i < OVERDUE_STEP && pp_gl_pool_oldest_overdue(&ctx->pool, &overdue); i++) {
        const GLuint *name = pp_gl_names(ctx, overdue.slot);
        if (((overdue.begun || overdue.ended) &&
             !pp_gl_readback_has_result(ctx, name[overdue.ended ? 1 : 0])) ||
            !statistics_available(ctx, name, overdue.statistics))
            break;
        pp_gl_pool_free_overdue(&ctx->pool);
    }
}

/* Are the last statistics of a kind available? @p number Bracket that began them; NONE: none did. */
static bool
last_available(const struct pp_gl_context *ctx, const struct pp_gl_readback *readback, uint32_t number,
               uint32_t which)
{
    return number == NONE ||
           statistics_available(ctx, pp_gl_names(ctx, readback->bracket[number].slot), which);
}

bool
pp_gl_retire_has_queries(struct pp_gl_context *ctx, const struct pp_gl_readback *readback)
{
    if (!last_available(ctx, readback, readback->last_graphics, PP_GL_STATISTICS_GRAPHICS) ||
        !last_available(ctx, readback, readback->last_compute, PP_GL_STATISTICS_COMPUTE))
        return false;
    if (readback->last == NONE)
        return true;
    const struct pp_gl_bracket *last = &readback->bracket[readback->last];
    return pp_gl_readback_has_result(ctx, pp_gl_names(ctx, last->slot)[last->ended ? 1 : 0]);
}

/* Are the hardware counters of a readback available? Its queries are. The counters may never arrive: they are
 * given up when the queries of some later frames are available, when there is no time left, or when no more
 * frames can wait. */
static bool
counters_available(struct pp_gl_context *ctx, struct pp_gl_readback *readback, bool hurry)
{
    struct pp_gl_pending *pending = &ctx->pending;
    bool over = pp_gl_report_wait_is_over(ctx, readback), full = pending->count == PP_GL_PENDING_MAX;
    readback->perf_lost = pp_gl_report_wait_gave_up(ctx) || ((hurry || full) && !over);
    bool there = over && !readback->perf_lost && pp_gl_report_wait_ask(ctx, readback);
    if (readback->perf_lost || hurry)
        return true;
    return over && (there || (pending->count > PERF_DELAY_FRAMES &&
                              pp_gl_retire_has_queries(ctx, pp_gl_readback_at(pending, PERF_DELAY_FRAMES))));
}

/* Are all results of the oldest readback available? */
static bool
readback_available(struct pp_gl_context *ctx, bool hurry)
{
    struct pp_gl_pending *pending = &ctx->pending;
    struct pp_gl_readback *oldest = pp_gl_readback_at(pending, 0);
    if (oldest->available)
        return true;
    if (oldest->executed_ns == 0 && !pp_gl_retire_has_queries(ctx, oldest))
        return false;
    oldest->available = oldest->perf == NONE || counters_available(ctx, oldest, hurry);
    return oldest->available;
}

/* Are the results of this fast bracket available, and therefore those of all brackets before it? */
static bool
fast_available(const struct pp_gl_context *ctx, const struct pp_gl_readback *readback, uint32_t number)
{
    const GLuint *name = pp_gl_names(ctx, readback->bracket[number].slot);
    return statistics_available(ctx, name, PP_GL_STATISTICS_GRAPHICS) &&
           (!readback->stamp || pp_gl_readback_has_result(ctx, name[1]));
}

/* The largest number of brackets, at most @p end, of which the last one is fast. */
static uint32_t
fast_end(const struct pp_gl_readback *readback, uint32_t end)
{
    while (end > readback->early && !readback->bracket[end - 1].fast)
        end--;
    return end;
}

bool
pp_gl_retire_early(struct pp_gl_context *ctx)
{
    struct pp_gl_readback *readback = &ctx->pending.open;
    if (!readback->batch || !ctx->only_queries || ctx->lost || ctx->buffers.query_bound ||
        readback->brackets < readback->early_from)
        return false;
    uint64_t start = pp_now_ns();
    bool sent = readback->early_submitted > readback->early;
    uint32_t end = fast_end(readback, sent ? readback->early_submitted
                                           : readback->early + (readback->brackets - readback->early) / 2);
    bool due = end >= readback->early + EARLY_MIN && fast_available(ctx, readback, end - 1) &&
               pp_batch_reserve(readback->batch, readback->brackets) == 0;
    if (due)
        pp_gl_readback_read_until(ctx, readback, end);
    /* Some drivers submit queries only when they are asked for a result: ask now, and read at the next
     * attempt. */
    end = fast_end(readback, readback->brackets);
    if (end >= readback->early + EARLY_MIN && !fast_available(ctx, readback, end - 1))
        readback->early_submitted = end;
    readback->early_from = readback->brackets + EARLY_MIN;
    readback->batch->overhead_ns += pp_now_ns() - start;
    return due;
}

bool
pp_gl_retire_oldest(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    struct pp_gl_readback *oldest = pp_gl_readback_at(pending, 0), *open = &pending->open;
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
        pp_gl_readback_read_until(ctx, oldest, end);
    else
        open->oldest_from = open->brackets + OLDEST_MIN;
    open->batch->overhead_ns += pp_now_ns() - start;
    return due && ctx->pool.frees > 0;
}

/* Can the draws of the next frame read the oldest readback, one bracket each when they need its slot? An
 * application that measures itself would do the same: read a query object when it is used again, while it is
 * in the caches. */
static bool
read_as_drawn(struct pp_gl_context *ctx)
{
    struct pp_gl_readback *readback = pp_gl_readback_at(&ctx->pending, 0);
    if (!ctx->only_queries || ctx->buffers.query_bound || readback->batch->level != PP_LEVEL_DRAW ||
        readback->brackets == 0 || pp_batch_reserve(readback->batch, readback->batch->action_list.brackets))
        return false;
    ctx->pending.reading = readback;
    return true;
}

/* Unbind a QUERY_BUFFER, because results would be written into it. @return Name of the buffer; 0: none was
 * bound.
 * @p ret_skip The buffer could not be bound again (another context deleted it): do not read. */
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
 * queries. A driver with a thread of its own would have to finish all calls of the application before it
 * could answer; in other drivers the queries are in the caches when they are written again. No if the frame
 * took so long that its rows would come late. */
static bool
leave_newest(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    const struct pp_batch *batch =
        ctx->only_queries && pending->count ? pp_gl_readback_at(pending, pending->count - 1)->batch : NULL;
    return batch && batch->level == PP_LEVEL_DRAW && pp_now_ns() - batch->cpu_issued_ns <= SLOW_NS;
}

/* Read the readbacks that are available, except the `keep` newest ones. @return true: no readback is left. */
static bool
retire_once(struct pp_gl_context *ctx, uint32_t keep, bool hurry)
{
    struct pp_gl_pending *pending = &ctx->pending;
    const struct pp_gl_readback *begun = pending->reading;
    /* Errors that reading leaves in glGetError must not reach the application. */
    bool counters = ctx->device->has_counter_sets;
    if (counters)
        (void)pp_gl_perf_keep_error(ctx);
    if (counters)
        pp_gl_report_wait_look(ctx);
    while (pending->count > keep && readback_available(ctx, hurry)) {
        struct pp_gl_readback *oldest = pp_gl_readback_at(pending, 0);
        bool untouched = oldest != begun && oldest->read == 0;
        if (keep && untouched && pending->count <= keep + AS_DRAWN_MAX && read_as_drawn(ctx))
            break;
        pp_gl_readback_read_oldest(ctx);
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

/* A fence after all work of the context. @return NULL: the context has no fences. */
static GLsync
put_fence(const struct pp_gl_context *ctx)
{
    return ctx->caps.fences ? pp_glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0) : NULL;
}

/* Has the GPU passed the fence? */
static bool
is_passed(GLsync fence)
{
    GLenum state = fence ? pp_glClientWaitSync(fence, 0, 0) : GL_TIMEOUT_EXPIRED;
    return state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED;
}

/* Read the last results of a context, and wait for those that are still to come. */
static void
retire_last(struct pp_gl_context *ctx, uint64_t wait_ns)
{
    struct pp_gl_device *device = ctx->device;
    /* Some drivers submit the end of a measurement only with later work. */
    if (device->has_counter_sets)
        pp_glFlush();
    bool failed = atomic_load_explicit(&device->results_fail, memory_order_relaxed), idle = false;
    uint64_t waited_ns = 0, quiet_ns = 0, end_ns = failed ? 0 : wait_ns;
    bool all = retire_once(ctx, 0, false);
    GLsync fence = all || failed ? NULL : put_fence(ctx);
    while (!all && waited_ns < end_ns && (quiet_ns < WAIT_QUIET_NS || device->is_deferred)) {
        uint32_t before = ctx->pending.count;
        uint64_t step_ns = wait_step();
        all = retire_once(ctx, 0, false);
        quiet_ns = ctx->pending.count < before ? 0 : quiet_ns + step_ns;
        if (!all && waited_ns < WAIT_QUIET_NS && waited_ns + step_ns >= WAIT_QUIET_NS &&
            wait_ns > WAIT_QUIET_NS)
            pp_log(PP_MSG_GL_WAITS, (unsigned)(wait_ns / 1000000000));
        waited_ns += step_ns;
        if (!idle && is_passed(fence)) {
            idle = true;
            uint64_t idle_ns = waited_ns + WAIT_IDLE_NS + pp_gl_report_wait_age_ns(device);
            end_ns = idle_ns < end_ns ? idle_ns : end_ns;
        }
    }
    if (fence)
        pp_glDeleteSync(fence);
    if (!all && idle && !atomic_exchange_explicit(&device->results_fail, true, memory_order_relaxed))
        pp_device_missing(device->device, PP_EVENT_GL_RESULTS_FAIL, PP_TEXT_GL_RESULTS_FAIL);
    else if (!all && !failed)
        pp_device_missing(device->device, PP_EVENT_GL_RESULTS_LATE, PP_TEXT_GL_RESULTS_LATE);
    (void)retire_once(ctx, 0, true);
}

static void
retire(struct pp_gl_context *ctx, bool frame, uint64_t wait_ns)
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
            pp_gl_read_bias(ctx);
        if (wait_ns)
            retire_last(ctx, wait_ns);
        else
            (void)retire_once(ctx, frame && leave_newest(ctx) ? 1 : 0, false);
        reclaim_overdue(ctx);
    }
    if (buffer)
        pp_glBindBuffer(GL_QUERY_BUFFER, buffer);
}

void
pp_gl_retire(struct pp_gl_context *ctx, uint64_t wait_ns)
{
    retire(ctx, false, wait_ns);
}

void
pp_gl_retire_frame(struct pp_gl_context *ctx)
{
    pp_gl_pool_note(&ctx->pool);
    retire(ctx, true, 0);
    if (ctx->set_up && !ctx->lost && !(ctx->gate & PP_GATE_INSIDE))
        pp_gl_pool_shrink(ctx);
}
