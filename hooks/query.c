/** @file
 * See query.h. The pool is pool.c's. */
#include "hooks/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hooks/context.h"
#include "hooks/pool.h"

#define NONE         UINT32_MAX
#define BIAS_PAIRS   101U
#define SAMPLE_NS    1000000000U
#define WAIT_STEP_NS 100000
/* Frames by which hardware counters may land later than timestamps. */
#define PERF_LATE_FRAMES 16U
#define LATE_STEP        256U
#define OWN_ALL          64U
#define OWN_EVERY        64U
/* Longer is no common bracket: names were made, or the thread was put aside. */
#define OWN_USUAL_NS 20000U

static GLuint *
names(struct pp_gl_context *ctx, uint32_t slot)
{
    return &ctx->pool.name[(size_t)slot * PP_GL_SLOT_NAMES];
}

static inline void
timestamp(const struct pp_gl_context *ctx, GLuint name)
{
    if (PP_UNLIKELY(ctx->es))
        pp_glQueryCounterEXT(name, GL_TIMESTAMP);
    else
        pp_glQueryCounter(name, GL_TIMESTAMP);
}

/* Writing. */

static inline void
begin_statistics(struct pp_gl_context *ctx, struct pp_gl_bracket *bracket, uint32_t number)
{
    const struct pp_gl_device *device = ctx->device;
    if (!device->statistics || ctx->pending.app_active || ctx->pending.counting != NONE)
        return;
    const GLuint *name = names(ctx, bracket->slot) + 2;
    const GLenum *target = device->statistic_target;
    pp_fn_glBeginQuery begin = pp_glBeginQuery;
    for (const GLenum *last = target + device->statistics; target < last; target++, name++)
        begin(*target, *name);
    bracket->counted = 1;
    ctx->pending.counting = number;
    ctx->pending.open.counted = number;
}

static inline void
end_statistics(struct pp_gl_context *ctx)
{
    const struct pp_gl_device *device = ctx->device;
    if (ctx->pending.counting == NONE)
        return;
    const GLenum *target = device->statistic_target;
    pp_fn_glEndQuery end = pp_glEndQuery;
    for (const GLenum *last = target + device->statistics; target < last; target++)
        end(*target);
    ctx->pending.counting = NONE;
}

uint64_t
pp_gl_clock(const struct pp_gl_context *ctx)
{
    GLint64 ticks = 0;
    if (ctx->es)
        pp_glGetInteger64vEXT(GL_TIMESTAMP, &ticks);
    else
        pp_glGetInteger64v(GL_TIMESTAMP, &ticks);
    return (uint64_t)ticks;
}

/* Serialized, each bracket is a scene of its own; see scene.h. */
static void
send_off(const struct pp_gl_context *ctx)
{
    if (ctx->device->flushes && ctx->device->serialize)
        pp_glFlush();
}

/* Do brackets of work have timestamps? Not where two in one scene would be one: see scene.h. */
static bool
times_work(const struct pp_gl_device *device)
{
    return !device->flushes || device->serialize;
}

/* Snapshots that the CPU takes: of this thread, or of the idle GPU. */
static inline void
read_now(struct pp_gl_context *ctx, uint32_t number, unsigned end, bool idle)
{
    if (PP_UNLIKELY(ctx->device->reads) && pp_batch_reserve(ctx->batch, number + 1) == 0)
        pp_device_read(ctx->device->device, ctx->batch, number, end, ctx->perf.turn.set, idle);
}

/* Under --serialize nothing else is on the GPU while a pass or a piece of work is measured. */
static void
wait_idle(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind, unsigned end)
{
    if (!ctx->device->serialize || kind == PP_PASS_FRAME)
        return;
    pp_glFinish();
    read_now(ctx, number, end, true);
}

static int
grow_brackets(struct pp_gl_flight *flight, uint32_t want)
{
    if (want <= flight->cap)
        return 0;
    uint32_t cap = flight->cap ? flight->cap : 64;
    while (cap < want)
        cap *= 2;
    struct pp_gl_bracket *bigger = realloc(flight->bracket, cap * sizeof(*bigger));
    if (!bigger)
        return -ENOMEM;
    flight->bracket = bigger;
    flight->cap = cap;
    return 0;
}

/* What brackets cost the program is measured on the first ones of a frame and on every 64th, counted for 64:
 * four looks at the clock would be a tenth of a draw's queries. @return 0: this one is not measured. */
static uint64_t
own_begin(uint32_t number)
{
    return number < OWN_ALL || number % OWN_EVERY == 0 ? pp_now_ns() : 0;
}

static void
own_end(struct pp_batch *batch, uint32_t number, uint64_t start)
{
    if (PP_LIKELY(start == 0))
        return;
    uint64_t took = pp_now_ns() - start;
    uint64_t usual = took < OWN_USUAL_NS ? took : OWN_USUAL_NS;
    batch->own_ns += number < OWN_ALL ? took : usual * OWN_EVERY + (took - usual);
}

void
pp_gl_bracket_stamp(struct pp_gl_context *ctx, uint32_t number, unsigned end)
{
    struct pp_gl_flight *flight = &ctx->pending.open;
    struct pp_gl_bracket *bracket = &flight->bracket[number];
    timestamp(ctx, names(ctx, bracket->slot)[end]);
    if (end)
        bracket->ended = 1;
    else
        bracket->begun = 1;
    flight->last = number;
}

static PP_SLOW void
begin_any(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_flight *flight = &ctx->pending.open;
    int saved = errno;
    uint64_t start = own_begin(number);
    if (grow_brackets(flight, number + 1) == 0) {
        while (flight->brackets <= number)
            flight->bracket[flight->brackets++] = (struct pp_gl_bracket){.slot = NONE};
        struct pp_gl_bracket *bracket = &flight->bracket[number];
        bracket->slot = ctx->device->timer ? pp_gl_pool_take(ctx) : NONE;
        if (bracket->slot != NONE) {
            wait_idle(ctx, number, kind, 0);
            pp_gl_perf_begin(ctx, &bracket->perf, number, kind == PP_PASS_NONE);
            /* Statistics do not nest: at level draw they belong to the draws. */
            if (kind == PP_PASS_NONE || ctx->tracker.level != PP_LEVEL_DRAW)
                begin_statistics(ctx, bracket, number);
            if (PP_UNLIKELY(ctx->device->flushes) && kind != PP_PASS_NONE) {
                pp_gl_scene_begin(ctx, number, kind);
            } else {
                bracket->begun = times_work(ctx->device);
                if (bracket->begun)
                    timestamp(ctx, names(ctx, bracket->slot)[0]);
                send_off(ctx);
            }
        }
        read_now(ctx, number, 0, false);
    }
    own_end(ctx->batch, number, start);
    errno = saved;
}

/* The program waited for what the bracket encloses: the GPU is done with it, and a query would be written
 * only when the program hands over more. */
static void
end_by_clock(struct pp_gl_context *ctx, struct pp_gl_flight *flight, uint32_t number)
{
    struct pp_gl_bracket *bracket = &flight->bracket[number];
    if (pp_batch_reserve(ctx->batch, number + 1))
        return;
    *(uint64_t *)(void *)pp_batch_row(ctx->batch, number, 1) = pp_gl_clock(ctx);
    bracket->rows = PP_GL_ROWS_END;
    bracket->closed = 1;
    if (flight->last == NONE || flight->last < number)
        flight->last = number;
}

/* Nearly every bracket of a draw: queries alone, memory at hand, none that own_begin() looks at. errno is
 * kept by who called (pp_gl_work_begin()). */
static inline bool
is_plain(const struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    return ctx->plain && kind == PP_PASS_NONE && number >= OWN_ALL && number % OWN_EVERY != 0;
}

void
pp_gl_bracket_begin(void *user, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_context *ctx = user;
    struct pp_gl_flight *flight = &ctx->pending.open;
    struct pp_gl_pool *pool = &ctx->pool;
    bool plain =
        is_plain(ctx, number, kind) && number == flight->brackets && number < flight->cap && pool->frees > 0;
    if (PP_UNLIKELY(!plain)) {
        begin_any(ctx, number, kind);
        return;
    }
    struct pp_gl_bracket *bracket = &flight->bracket[number];
    uint32_t slot = pool->free[--pool->frees];
    flight->brackets = number + 1;
    *bracket = (struct pp_gl_bracket){.slot = slot, .begun = flight->stamp != NULL};
    begin_statistics(ctx, bracket, number);
    if (PP_LIKELY(flight->stamp != NULL))
        flight->stamp(names(ctx, slot)[0], GL_TIMESTAMP);
}

static void
end_queries(struct pp_gl_context *ctx, struct pp_gl_flight *flight, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_bracket *bracket = &flight->bracket[number];
    if (PP_UNLIKELY(ctx->device->flushes) && kind != PP_PASS_NONE) {
        pp_gl_scene_end(ctx, bracket, number);
    } else if (!bracket->begun) {
        bracket->closed = 1;
    } else if (PP_UNLIKELY(ctx->fetching)) {
        end_by_clock(ctx, flight, number);
    } else {
        timestamp(ctx, names(ctx, bracket->slot)[1]);
        bracket->ended = bracket->closed = 1;
        flight->last = number;
    }
    if (ctx->pending.counting == number)
        end_statistics(ctx);
    if (ctx->perf.running == number) {
        pp_gl_perf_end(ctx, &bracket->perf, number);
        flight->perf = number;
    }
    send_off(ctx);
}

static PP_SLOW void
end_any(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_flight *flight = &ctx->pending.open;
    if (number >= flight->brackets)
        return;
    int saved = errno;
    uint64_t start = own_begin(number);
    const struct pp_gl_bracket *bracket = &flight->bracket[number];
    read_now(ctx, number, 1, false);
    if (bracket->slot != NONE && !bracket->closed) {
        end_queries(ctx, flight, number, kind);
        wait_idle(ctx, number, kind, 1);
    }
    own_end(ctx->batch, number, start);
    errno = saved;
}

void
pp_gl_bracket_end(void *user, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_context *ctx = user;
    struct pp_gl_flight *flight = &ctx->pending.open;
    struct pp_gl_bracket *bracket = &flight->bracket[number];
    bool plain = is_plain(ctx, number, kind) && number < flight->brackets && !ctx->fetching &&
                 bracket->slot != NONE && !bracket->closed;
    if (PP_UNLIKELY(!plain)) {
        end_any(ctx, number, kind);
        return;
    }
    int saved = errno;
    bracket->closed = 1;
    if (PP_LIKELY(bracket->begun)) {
        flight->stamp(names(ctx, bracket->slot)[1], GL_TIMESTAMP);
        bracket->ended = 1;
        flight->last = number;
    }
    if (ctx->pending.counting == number)
        end_statistics(ctx);
    errno = saved;
}

int
pp_gl_flight_open(struct pp_gl_context *ctx, struct pp_batch *batch)
{
    struct pp_program *program = &batch->program;
    pp_program_reset(program);
    program->bracket_cap = UINT32_MAX;
    /* Frames are alike: what the last one needed is made at once, not grown into. */
    uint32_t works = ctx->pending.works > 64 ? ctx->pending.works : 64;
    int rc = pp_program_reserve(program, 16, batch->level == PP_LEVEL_DRAW ? works : 0);
    if (rc)
        return rc;
    ctx->batch = batch;
    ctx->tracker.program = program;
    ctx->tracker.level = batch->level;
    ctx->pending.open.batch = batch;
    ctx->pending.open.brackets = 0;
    ctx->pending.open.last = NONE;
    ctx->pending.open.counted = NONE;
    ctx->pending.open.perf = NONE;
    const struct pp_gl_device *device = ctx->device;
    ctx->pending.open.stamp = !times_work(device) ? NULL : ctx->es ? pp_glQueryCounterEXT : pp_glQueryCounter;
    ctx->plain = device->timer && !device->serialize && !device->reads && !device->counts;
    pp_gl_perf_frame(ctx, batch);
    return 0;
}

/* Reading. */

static struct pp_gl_flight *
flight_at(struct pp_gl_pending *pending, uint32_t i)
{
    return &pending->flight[(pending->first + i) % PP_GL_PENDING_MAX];
}

/* Give a batch to the collector with its slots back in the pool. */
static void
finish_flight(struct pp_gl_context *ctx, struct pp_gl_flight *flight)
{
    for (uint32_t i = 0; i < flight->brackets; i++)
        if (flight->bracket[i].slot != NONE)
            pp_gl_pool_give(&ctx->pool, flight->bracket[i].slot);
    flight->batch->cpu_landed_ns = pp_now_ns();
    pp_batch_put(flight->batch);
    flight->batch = NULL;
    flight->brackets = 0;
}

/* Other sources' statuses are theirs to say. */
static void
set_status(const struct pp_gl_device *device, struct pp_gl_flight *flight, uint32_t bracket,
           enum pp_status time, enum pp_status counts)
{
    uint8_t *status = &flight->batch->status[(size_t)bracket * PP_MAX_SOURCES];
    if (device->timer)
        status[0] = (uint8_t)time;
    if (device->statistics)
        status[1] = (uint8_t)counts;
}

/* A bracket whose results are void. */
static void
lose_bracket(struct pp_gl_context *ctx, struct pp_gl_flight *flight, uint32_t number)
{
    struct pp_gl_perf_bracket none = {.set = 0};
    set_status(ctx->device, flight, number, PP_LOST, PP_LOST);
    pp_gl_perf_lose(ctx->device, number < flight->brackets ? &flight->bracket[number].perf : &none,
                    flight->batch, number);
}

/* All of a flight's results are void; `landed` they have come nevertheless. */
static void
lose_flight(struct pp_gl_context *ctx, struct pp_gl_flight *flight, bool landed)
{
    if (pp_batch_reserve(flight->batch, flight->batch->program.brackets) == 0)
        for (uint32_t i = 0; i < flight->batch->program.brackets; i++)
            lose_bracket(ctx, flight, i);
    for (uint32_t i = 0; i < flight->brackets && !landed; i++) {
        struct pp_gl_bracket *bracket = &flight->bracket[i];
        if (bracket->slot != NONE)
            pp_gl_pool_give_late(&ctx->pool, (struct pp_gl_late){bracket->slot, bracket->begun,
                                                                 bracket->ended, bracket->counted});
        bracket->slot = NONE;
    }
    finish_flight(ctx, flight);
}

static void
pop_flight(struct pp_gl_pending *pending)
{
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
    ctx->tracker.program = NULL;
    pending->works = batch->program.works;
    if (batch->program.passes == 0 || (pending->open.brackets == 0 && pp_batch_reserve(batch, 1))) {
        pp_batch_cancel(batch);
        pending->open.batch = NULL;
        return;
    }
    if (pending->count == PP_GL_PENDING_MAX) {
        lose_flight(ctx, flight_at(pending, 0), false);
        pop_flight(pending);
        pending->dropped++;
    }
    /* The slot's own array becomes the next open one's. */
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
    if (ctx->es)
        pp_glGetQueryObjectui64vEXT(name, GL_QUERY_RESULT, &value);
    else
        pp_glGetQueryObjectui64v(name, GL_QUERY_RESULT, &value);
    return value;
}

static bool
available(const struct pp_gl_context *ctx, GLuint name)
{
    GLuint ready = 0;
    if (ctx->es)
        pp_glGetQueryObjectuivEXT(name, GL_QUERY_RESULT_AVAILABLE, &ready);
    else
        pp_glGetQueryObjectuiv(name, GL_QUERY_RESULT_AVAILABLE, &ready);
    return ready != 0;
}

/* Take back slots whose batches were given up, oldest first, as many as have landed; some a frame. */
static void
reclaim_late(struct pp_gl_context *ctx)
{
    struct pp_gl_late late;
    for (uint32_t i = 0; i < LATE_STEP && pp_gl_pool_oldest_late(&ctx->pool, &late); i++) {
        const GLuint *name = names(ctx, late.slot);
        if (((late.begun || late.ended) && !available(ctx, name[late.ended ? 1 : 0])) ||
            (late.counted && !available(ctx, name[1 + ctx->device->statistics])))
            break;
        pp_gl_pool_free_late(&ctx->pool);
    }
}

/* Has the last query that a flight wrote landed? Results of one kind land in order. */
static bool
queries_landed(struct pp_gl_context *ctx, const struct pp_gl_flight *flight)
{
    uint32_t counted = flight->counted;
    if (counted != NONE &&
        !available(ctx, names(ctx, flight->bracket[counted].slot)[1 + ctx->device->statistics]))
        return false;
    if (flight->last == NONE)
        return true;
    const struct pp_gl_bracket *last = &flight->bracket[flight->last];
    return available(ctx, names(ctx, last->slot)[last->ended ? 1 : 0]);
}

/* Have all of the oldest flight's results landed? Hardware counters may never: they are given up when the
 * queries of some later frames are there, or when there is no time left. */
static bool
landed(struct pp_gl_context *ctx, bool hurry)
{
    struct pp_gl_pending *pending = &ctx->pending;
    const struct pp_gl_flight *oldest = flight_at(pending, 0);
    if (!queries_landed(ctx, oldest))
        return false;
    if (oldest->perf == NONE || hurry || pp_gl_perf_landed(ctx, &oldest->bracket[oldest->perf].perf))
        return true;
    return pending->count > PERF_LATE_FRAMES && queries_landed(ctx, flight_at(pending, PERF_LATE_FRAMES));
}

/* Results of `count` names into a row, of which every source's part is aligned. */
static inline void
read_results(const struct pp_gl_context *ctx, const GLuint *name, uint32_t count, uint8_t *row)
{
    GLuint64 *to = (GLuint64 *)(void *)row;
    pp_fn_glGetQueryObjectui64v get = ctx->es ? pp_glGetQueryObjectui64vEXT : pp_glGetQueryObjectui64v;
    for (const GLuint *last = name + count; name < last; name++, to++)
        get(*name, GL_QUERY_RESULT, to);
}

uint64_t
pp_gl_bracket_result(const struct pp_gl_context *ctx, const struct pp_gl_bracket *bracket, unsigned end)
{
    return result(ctx, ctx->pool.name[(size_t)bracket->slot * PP_GL_SLOT_NAMES + end]);
}

/* Times of which the CPU put a part into the rows. */
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
    if (!bracket->closed) {
        lose_bracket(ctx, flight, number);
        return;
    }
    const GLuint *name = names(ctx, bracket->slot);
    enum pp_status counts = !device->statistics                    ? PP_UNSUPPORTED
                            : bracket->counted && !bracket->broken ? PP_OK
                                                                   : PP_DISABLED;
    /* The names lie as the fixed sources do in a row: the time, then the statistics. */
    uint8_t *begin = pp_batch_row(batch, number, 0), *end = pp_batch_row(batch, number, 1);
    bool timed = bracket->begun || bracket->rows;
    if (PP_UNLIKELY(bracket->rows)) {
        read_times(ctx, bracket, begin, end);
    } else if (timed) {
        read_results(ctx, &name[0], 1, begin);
        read_results(ctx, &name[1], 1, end);
    }
    if (bracket->counted)
        read_results(ctx, &name[2], device->statistics, end + sizeof(GLuint64));
    set_status(device, flight, number, timed ? PP_OK : PP_DISABLED, counts);
    if (device->perf[0].source != NONE || device->perf[1].source != NONE)
        pp_gl_perf_read(ctx, &bracket->perf, batch, number);
}

static void
read_flight(struct pp_gl_context *ctx, struct pp_gl_flight *flight)
{
    uint32_t brackets = flight->batch->program.brackets;
    if (pp_batch_reserve(flight->batch, brackets)) {
        lose_flight(ctx, flight, true);
        return;
    }
    for (uint32_t i = 0; i < brackets; i++) {
        if (i < flight->brackets)
            read_bracket(ctx, flight, i);
        else
            lose_bracket(ctx, flight, i);
    }
    finish_flight(ctx, flight);
}

static void
read_bias(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    uint64_t length[BIAS_PAIRS];
    if (!pending->bias_slot || !available(ctx, names(ctx, pending->bias_slot[pending->bias_count - 1])[1]))
        return;
    for (uint32_t i = 0; i < pending->bias_count; i++) {
        const GLuint *name = names(ctx, pending->bias_slot[i]);
        uint64_t begin = result(ctx, name[0]);
        uint64_t end = result(ctx, name[1]);
        length[i] = end > begin ? end - begin : 0;
        pp_gl_pool_give(&ctx->pool, pending->bias_slot[i]);
    }
    pp_device_bias(ctx->device->device, "pass", length, pending->bias_count);
    free(pending->bias_slot);
    pending->bias_slot = NULL;
}

/* With a QUERY_BUFFER bound, results would be written into it: lay it aside. @return Its name, 0: none.
 * @p ret_skip it cannot be put back (deleted by another context): do not poll. */
static GLuint
lay_query_buffer_aside(const struct pp_gl_context *ctx, bool *ret_skip)
{
    GLint bound = 0;
    *ret_skip = false;
    if (!ctx->query_buffer_bound)
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

static bool
poll_once(struct pp_gl_context *ctx, bool hurry)
{
    struct pp_gl_pending *pending = &ctx->pending;
    /* What reading leaves in glGetError is nobody's. */
    bool counters = ctx->device->counts;
    if (counters)
        (void)pp_gl_perf_keep_error(ctx);
    while (pending->count > 0 && landed(ctx, hurry)) {
        read_flight(ctx, flight_at(pending, 0));
        pop_flight(pending);
    }
    if (counters)
        pp_gl_perf_drop_error();
    return pending->count == 0;
}

void
pp_gl_poll(struct pp_gl_context *ctx, uint64_t wait_ns)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (!ctx->set_up || ctx->lost || (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN)))
        return;
    if (pending->count == 0 && !pending->bias_slot && ctx->pool.lates == 0)
        return;
    int saved = errno;
    bool skip;
    GLuint buffer = lay_query_buffer_aside(ctx, &skip);
    if (!skip) {
        uint64_t until = wait_ns ? pp_now_ns() + wait_ns : 0;
        if (pending->bias_slot)
            read_bias(ctx);
        while (!poll_once(ctx, false) && pp_now_ns() < until)
            (void)nanosleep(&(struct timespec){.tv_nsec = WAIT_STEP_NS}, NULL);
        if (wait_ns)
            (void)poll_once(ctx, true);
        reclaim_late(ctx);
    }
    if (buffer)
        pp_glBindBuffer(GL_QUERY_BUFFER, buffer);
    errno = saved;
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
    pending->counting = NONE;
    ctx->perf.running = NONE;
    ctx->scene.bracket = NONE;
    free(pending->bias_slot);
    pending->bias_slot = NULL;
}

/* The program's own queries. */

static uint32_t
target_bit(const struct pp_gl_context *ctx, GLenum target)
{
    for (uint32_t i = 0; ctx->device && i < ctx->device->statistics; i++)
        if (ctx->device->statistic_target[i] == target)
            return 1U << i;
    return 0;
}

void
pp_gl_query_pause(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (pending->counting == NONE)
        return;
    pending->open.bracket[pending->counting].broken = 1;
    end_statistics(ctx);
}

void
pp_gl_query_program_begins(struct pp_gl_context *ctx, GLenum target)
{
    uint32_t bit = target_bit(ctx, target);
    if (!bit)
        return;
    pp_gl_query_pause(ctx);
    ctx->pending.app_active |= bit;
    pp_device_missing(ctx->device->device, "pipeline",
                      "the program measured pipeline statistics itself in some passes");
}

void
pp_gl_query_program_ended(struct pp_gl_context *ctx, GLenum target)
{
    ctx->pending.app_active &= ~target_bit(ctx, target);
}

void
pp_gl_query_program_writes(struct pp_gl_context *ctx, GLuint name)
{
    struct pp_gl_pending *pending = &ctx->pending;
    pending->unsent_first = name < pending->unsent_first ? name : pending->unsent_first;
    pending->unsent_last = name > pending->unsent_last ? name : pending->unsent_last;
}

bool
pp_gl_query_program_unsent(const struct pp_gl_context *ctx, GLuint name)
{
    return name >= ctx->pending.unsent_first && name <= ctx->pending.unsent_last;
}

void
pp_gl_query_resync(struct pp_gl_context *ctx)
{
    const struct pp_gl_device *device = ctx->device;
    if (ctx->pending.counting != NONE)
        return;
    ctx->pending.app_active = 0;
    for (uint32_t i = 0; device && i < device->statistics; i++) {
        GLint current = 0;
        pp_glGetQueryiv(device->statistic_target[i], GL_CURRENT_QUERY, &current);
        ctx->pending.app_active |= current ? 1U << i : 0U;
    }
}

bool
pp_gl_query_is_ours(const struct pp_gl_context *ctx, GLuint name)
{
    return pp_gl_pool_has(&ctx->pool, name);
}

/* Clocks and resolution. */

void
pp_gl_sample_clock(struct pp_gl_context *ctx)
{
    struct pp_gl_device *device = ctx->device;
    if (!device || !device->timer || ctx->lost)
        return;
    uint64_t due = __atomic_load_n(&device->next_sample_ns, __ATOMIC_RELAXED);
    uint64_t now = pp_now_ns();
    if (now < due || !__atomic_compare_exchange_n(&device->next_sample_ns, &due, now + SAMPLE_NS, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    uint64_t before = pp_now_ns();
    uint64_t ticks = pp_gl_clock(ctx);
    uint64_t after = pp_now_ns();
    pp_clock_sample(pp_device_clock(device->device), ticks, before, after);
}

void
pp_gl_measure_bias(struct pp_gl_context *ctx)
{
    struct pp_gl_device *device = ctx->device;
    if (!device->timer || __atomic_exchange_n(&device->biased, true, __ATOMIC_RELAXED))
        return;
    uint32_t *slot = calloc(BIAS_PAIRS, sizeof(*slot));
    uint32_t taken = 0;
    while (slot && taken < BIAS_PAIRS) {
        slot[taken] = pp_gl_pool_take(ctx);
        if (slot[taken] == NONE)
            break;
        timestamp(ctx, names(ctx, slot[taken])[0]);
        timestamp(ctx, names(ctx, slot[taken])[1]);
        taken++;
    }
    if (taken == 0) {
        free(slot);
        return;
    }
    ctx->pending.bias_slot = slot;
    ctx->pending.bias_count = taken;
}

void
pp_gl_query_stop(struct pp_gl_context *ctx)
{
    end_statistics(ctx);
    pp_gl_perf_stop(ctx);
}

void
pp_gl_query_finish(struct pp_gl_context *ctx)
{
    for (uint32_t i = 0; i < PP_GL_PENDING_MAX; i++)
        free(ctx->pending.flight[i].bracket);
    free(ctx->pending.open.bracket);
    free(ctx->pending.bias_slot);
    pp_gl_pool_finish(&ctx->pool);
}
