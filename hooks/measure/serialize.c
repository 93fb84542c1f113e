/** @file
 * See serialize.h. */
#include "hooks/measure/serialize.h"
#include "core/util/log.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "hooks/base/context.h"

/* Longest wait for a turn, in seconds. After this time the open pass is assumed to wait for the waiting
 * passes. BACKOFF_*: how many passes then need no turn, at first and at most. layer/serialize/serialize.c has
 * the same values. */
#define TURN_S 2
enum { BACKOFF_FIRST = 4, BACKOFF_MOST = 4096 };

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by lock */
    uint64_t tickets; /**< turns that were requested */
    uint64_t turn;  /**< ticket whose pass begins next, once no pass is open; earlier tickets need not wait */
    uint64_t ended; /**< passes that ended */
    uint64_t begun; /**< passes that began, and work without brackets */
    uint32_t open;  /**< contexts with a pass under way: one, unless turns are off */
    uint32_t unwaited; /**< contexts with work that was not waited for */
    uint32_t known;    /**< contexts that ever worked */
    uint32_t unheld;   /**< passes that need no turn, because a wait timed out */
    uint32_t backoff;  /**< passes that needed no turn after the last timeout; 0: there was no timeout */
} turns = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static void
init(void)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&turns.changed, &attr);
    pthread_condattr_destroy(&attr);
}

static void
lock(void)
{
    (void)pthread_once(&turns.once, init);
    pthread_mutex_lock(&turns.lock);
}

static void
unlock(void)
{
    pthread_mutex_unlock(&turns.lock);
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
    turns.backoff = turns.backoff ? 2 * turns.backoff : BACKOFF_FIRST;
    if (turns.backoff > BACKOFF_MOST)
        turns.backoff = BACKOFF_MOST;
    turns.unheld = turns.backoff;
    turns.turn = turns.tickets;
    pthread_cond_broadcast(&turns.changed);
}

/* Wait for a turn: first come, first served. @return false: the wait timed out. */
static bool
wait_locked(void)
{
    if (turns.unheld > 0) {
        turns.unheld--;
        return true;
    }
    uint64_t ticket = turns.tickets++, ended = turns.ended;
    struct timespec until = deadline();
    while (ticket > turns.turn || (ticket == turns.turn && turns.open > 0)) {
        int rc = pthread_cond_timedwait(&turns.changed, &turns.lock, &until);
        if (turns.ended != ended) {
            ended = turns.ended;
            until = deadline();
        } else if (rc == ETIMEDOUT) {
            give_up_locked();
            return false;
        }
    }
    turns.turn += ticket == turns.turn;
    return true;
}

static void
count_locked(struct pp_gl_context *ctx)
{
    turns.known += !ctx->serialize.known;
    ctx->serialize.known = true;
}

static void
close_locked(struct pp_gl_context *ctx)
{
    if (!ctx->serialize.open)
        return;
    assert(turns.open > 0);
    ctx->serialize.open = false;
    turns.open--;
    turns.ended++;
    pthread_cond_broadcast(&turns.changed);
}

static void
waited_locked(struct pp_gl_context *ctx)
{
    turns.unwaited -= ctx->serialize.unwaited;
    ctx->serialize.unwaited = false;
}

void
pp_gl_serialize_enter(struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    bool pass = kind != PP_PASS_NONE, in_time = true;
    lock();
    if (pass) {
        count_locked(ctx);
        close_locked(ctx);
        in_time = wait_locked();
        ctx->serialize.open = true;
        turns.open++;
        turns.begun++;
    }
    ctx->serialize.bracket[!pass].begun = turns.begun;
    unlock();
    if (!in_time)
        pp_device_missing(ctx->device->device, "serialize", PP_TEXT_GL_SERIALIZE_TIMEOUT);
}

void
pp_gl_serialize_idle(struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    lock();
    waited_locked(ctx);
    ctx->serialize.bracket[kind == PP_PASS_NONE].overlapped =
        turns.open > ctx->serialize.open || turns.unwaited > 0;
    unlock();
}

bool
pp_gl_serialize_leave(struct pp_gl_context *ctx, enum pp_pass_kind kind)
{
    bool pass = kind != PP_PASS_NONE;
    lock();
    bool isolated =
        !ctx->serialize.bracket[!pass].overlapped && ctx->serialize.bracket[!pass].begun == turns.begun;
    if (pass)
        close_locked(ctx);
    unlock();
    return isolated;
}

static void
unwaited_locked(struct pp_gl_context *ctx)
{
    count_locked(ctx);
    turns.unwaited += !ctx->serialize.unwaited;
    ctx->serialize.unwaited = true;
    turns.begun++;
}

void
pp_gl_serialize_unwaited(struct pp_gl_context *ctx)
{
    lock();
    unwaited_locked(ctx);
    unlock();
}

void
pp_gl_serialize_frame(struct pp_gl_context *ctx)
{
    lock();
    waited_locked(ctx);
    ctx->serialize.bracket[0].overlapped = turns.open > ctx->serialize.open || turns.unwaited > 0;
    unwaited_locked(ctx);
    ctx->serialize.bracket[0].begun = turns.begun;
    unlock();
}

void
pp_gl_serialize_thread_ended(struct pp_gl_context *ctx)
{
    if (!ctx->serialize.open)
        return;
    lock();
    unwaited_locked(ctx);
    close_locked(ctx);
    unlock();
}

bool
pp_gl_serialize_contended(void)
{
    lock();
    bool crowded = turns.known > 1;
    unlock();
    return crowded;
}

void
pp_gl_serialize_waited(struct pp_gl_context *ctx)
{
    lock();
    waited_locked(ctx);
    unlock();
}

void
pp_gl_serialize_drop(struct pp_gl_context *ctx)
{
    if (!ctx->serialize.known)
        return;
    lock();
    close_locked(ctx);
    waited_locked(ctx);
    unlock();
}
