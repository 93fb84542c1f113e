/** @file
 * See serialize.h. */
#include "hooks/measure/serialize.h"
#include "core/util/log.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "hooks/state/context.h"

/* Longest wait for a turn, in seconds: after it, the open pass is assumed to wait for those that wait for it.
 * BACKOFF_*: how many passes then need no turn, at first and at most. layer/serialize/serialize.c has the
 * same values. */
#define TURN_S 2
enum { BACKOFF_FIRST = 4, BACKOFF_MOST = 4096 };

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by lock */
    uint64_t tickets; /**< turns that were requested */
    uint64_t turn;    /**< ticket that goes next, once no pass is open; earlier tickets need not wait */
    uint64_t ended;   /**< passes that ended */
    uint64_t begun;   /**< passes that began, and work without brackets */
    uint32_t open;    /**< contexts with a pass under way: one, unless turns are off */
    uint32_t loose;   /**< contexts with work that was not waited for */
    uint32_t known;   /**< contexts that ever worked */
    uint32_t unheld;  /**< passes that need no turn, because a wait timed out */
    uint32_t backoff; /**< passes that needed no turn after the last timeout; 0: there was no timeout */
} alone = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static void
init(void)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&alone.changed, &attr);
    pthread_condattr_destroy(&attr);
}

static void
lock(void)
{
    (void)pthread_once(&alone.once, init);
    pthread_mutex_lock(&alone.lock);
}

static void
unlock(void)
{
    pthread_mutex_unlock(&alone.lock);
}

static struct timespec
deadline(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += TURN_S;
    return time;
}

/* A wait timed out: all waiting passes go on, and some later passes need no turn. */
static void
give_up_locked(void)
{
    alone.backoff = alone.backoff ? 2 * alone.backoff : BACKOFF_FIRST;
    if (alone.backoff > BACKOFF_MOST)
        alone.backoff = BACKOFF_MOST;
    alone.unheld = alone.backoff;
    alone.turn = alone.tickets;
    pthread_cond_broadcast(&alone.changed);
}

/* Wait for a turn: first come, first served. @return false: the wait timed out. */
static bool
wait_locked(void)
{
    if (alone.unheld > 0) {
        alone.unheld--;
        return true;
    }
    uint64_t ticket = alone.tickets++, ended = alone.ended;
    struct timespec until = deadline();
    while (ticket > alone.turn || (ticket == alone.turn && alone.open > 0)) {
        int rc = pthread_cond_timedwait(&alone.changed, &alone.lock, &until);
        if (alone.ended != ended) {
            ended = alone.ended;
            until = deadline();
        } else if (rc == ETIMEDOUT) {
            give_up_locked();
            return false;
        }
    }
    alone.turn += ticket == alone.turn;
    return true;
}

static void
know_locked(struct pp_gl_context *ctx)
{
    alone.known += !ctx->alone.known;
    ctx->alone.known = true;
}

static void
close_locked(struct pp_gl_context *ctx)
{
    if (!ctx->alone.open)
        return;
    ctx->alone.open = false;
    alone.open--;
    alone.ended++;
    pthread_cond_broadcast(&alone.changed);
}

static void
settle_locked(struct pp_gl_context *ctx)
{
    alone.loose -= ctx->alone.loose;
    ctx->alone.loose = false;
}

void
pp_gl_alone_enter(struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    bool pass = kind != PP_PASS_NONE, in_time = true;
    lock();
    if (pass) {
        know_locked(ctx);
        close_locked(ctx);
        in_time = wait_locked();
        ctx->alone.open = true;
        alone.open++;
        alone.begun++;
    }
    ctx->alone.bracket[!pass].begun = alone.begun;
    unlock();
    if (!in_time)
        pp_device_missing(ctx->device->device, "serialize", PP_TEXT_GL_SERIALIZE_TIMEOUT);
}

void
pp_gl_alone_idle(struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    lock();
    settle_locked(ctx);
    ctx->alone.bracket[kind == PP_PASS_NONE].overlapped = alone.open > ctx->alone.open || alone.loose > 0;
    unlock();
}

bool
pp_gl_alone_leave(struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    bool pass = kind != PP_PASS_NONE;
    lock();
    bool was_alone = !ctx->alone.bracket[!pass].overlapped && ctx->alone.bracket[!pass].begun == alone.begun;
    if (pass)
        close_locked(ctx);
    unlock();
    return was_alone;
}

static void
loosen_locked(struct pp_gl_context *ctx)
{
    know_locked(ctx);
    alone.loose += !ctx->alone.loose;
    ctx->alone.loose = true;
    alone.begun++;
}

void
pp_gl_alone_loose(struct pp_gl_context *ctx)
{
    lock();
    loosen_locked(ctx);
    unlock();
}

void
pp_gl_alone_frame(struct pp_gl_context *ctx)
{
    lock();
    settle_locked(ctx);
    ctx->alone.bracket[0].overlapped = alone.open > ctx->alone.open || alone.loose > 0;
    loosen_locked(ctx);
    ctx->alone.bracket[0].begun = alone.begun;
    unlock();
}

void
pp_gl_alone_left(struct pp_gl_context *ctx)
{
    if (!ctx->alone.open)
        return;
    lock();
    loosen_locked(ctx);
    close_locked(ctx);
    unlock();
}

bool
pp_gl_alone_crowded(void)
{
    lock();
    bool crowded = alone.known > 1;
    unlock();
    return crowded;
}

void
pp_gl_alone_settled(struct pp_gl_context *ctx)
{
    lock();
    settle_locked(ctx);
    unlock();
}

void
pp_gl_alone_drop(struct pp_gl_context *ctx)
{
    if (!ctx->alone.known)
        return;
    lock();
    close_locked(ctx);
    settle_locked(ctx);
    unlock();
}
