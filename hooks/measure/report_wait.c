/** @file
 * See report_wait.h. Sources: Mesa 22.3.6 and 25.0.7, intel_perf_get_query_data(); Linux, i915_perf.c: its
 * timer looks for reports 200 times a second.
 *
 * Sources: Mesa 22.3.6 and 25.0.7, read_oa_samples_until(); Linux 6.1, i915_perf.c:
 * i915_perf_read() of a stopped stream gives EIO, i915_perf_open_ioctl_locked() names the descriptor. */
#include "hooks/measure/report_wait.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/engine/clock.h"
#include "counters/sources/i915/i915_uapi.h"
#include "hooks/base/context.h"
#include "hooks/base/measured.h"
#include "hooks/counters/perf_query.h"
#include "hooks/measure/readback.h"
#include "hooks/measure/retire.h"

/* Age from which a result is asked for: two of the kernel's ticks, and the period of the reports. It
 * doubles with each wait. */
#define AGE_NS 10000000U
/* A question that takes so much of the thread's CPU time waited in the driver's loop. A thread that lost its
 * processor has used none. */
#define WAITED_NS 2000000U
/* After one such wait, results are not asked for any more. */
#define WAITED_LONG_NS 50000000U
/* After this many waits, results are not asked for any more. */
#define WAITS_MAX 4U

static uint64_t
cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

void
pp_gl_report_wait_look(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (!ctx->device->faults.waits_for_reports)
        return;
    while (pending->executed < pending->count &&
           pp_gl_retire_has_queries(ctx, pp_gl_readback_at(pending, pending->executed))) {
        pp_gl_readback_at(pending, pending->executed)->executed_ns = pp_now_ns();
        pending->executed++;
    }
}

uint64_t
pp_gl_report_wait_age_ns(const struct pp_gl_device *device)
{
    if (!device->faults.waits_for_reports)
        return 0;
    uint32_t waits = atomic_load_explicit(&device->report_wait.waits, memory_order_relaxed);
    return (AGE_NS + device->faults.report_period_ms * UINT64_C(1000000)) << waits;
}

bool
pp_gl_report_wait_is_over(struct pp_gl_context *ctx, struct pp_gl_readback *readback)
{
    const struct pp_gl_device *device = ctx->device;
    if (!device->faults.waits_for_reports)
        return true;
    return readback->executed_ns > 0 &&
           pp_now_ns() - readback->executed_ns >= pp_gl_report_wait_age_ns(device);
}

void
pp_gl_report_wait_start(struct pp_gl_device *device, struct pp_session *session)
{
    pp_gl_report_watch_start(&device->report_wait.watch, session);
}

bool
pp_gl_report_wait_gave_up(const struct pp_gl_context *ctx)
{
    return atomic_load_explicit(&ctx->device->report_wait.given_up, memory_order_relaxed);
}

static void
give_up(struct pp_gl_device *device, const char *reason)
{
    if (!atomic_exchange_explicit(&device->report_wait.given_up, true, memory_order_relaxed))
        pp_gl_perf_give_up(device, reason);
}

bool
pp_gl_report_wait_ask(struct pp_gl_context *ctx, struct pp_gl_readback *readback)
{
    const struct pp_gl_perf_bracket *bracket = &readback->bracket[readback->perf].perf;
    struct pp_gl_report_wait *wait = &ctx->device->report_wait;
    if (!ctx->device->faults.waits_for_reports)
        return pp_gl_perf_available(ctx, bracket);
    uint64_t begin_ns = cpu_ns();
    pp_gl_report_watch_begin(&wait->watch);
    bool available = pp_gl_perf_available(ctx, bracket);
    readback->perf_lost = pp_gl_report_watch_end(&wait->watch);
    uint64_t took_ns = cpu_ns() - begin_ns;
    if (readback->perf_lost) {
        give_up(ctx->device, PP_TEXT_GL_NO_REPORTS);
        return true;
    }
    if (took_ns < WAITED_NS)
        return available;
    uint32_t waits = atomic_fetch_add_explicit(&wait->waits, 1, memory_order_relaxed) + 1;
    if (waits < WAITS_MAX && took_ns < WAITED_LONG_NS)
        return available;
    give_up(ctx->device, PP_TEXT_GL_WAITS_FOR_REPORTS);
    return available;
}

/* A question that takes so long, and this many rounds of the collector, is not answered. The kernel passes
 * reports on every 5 ms. Rounds count because the process may be stopped meanwhile. */
#define LONG_NS     500000000U
#define LONG_ROUNDS 10U
/* The driver's stream is searched for so often. */
#define SEARCHES_MAX 4U
/* The search ends after this many numbers without a descriptor: the kernel gives the lowest free one. */
#define GAP_MAX 64

/* @return 1: the descriptor is a stream of i915-perf; 0: another; -1: there is none. */
static int
is_stream(int fd)
{
    static const char wanted[] = "anon_inode:[i915-perf]";
    char path[48], link[sizeof(wanted)];
    snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
    ssize_t length = readlink(path, link, sizeof(link));
    if (length < 0)
        return -1;
    return (size_t)length == sizeof(wanted) - 1 && memcmp(link, wanted, sizeof(wanted) - 1) == 0;
}

/* Find streams of the process. @return How many, at most @p most. */
static uint32_t
find_streams(int *ret_stream, uint32_t most)
{
    uint32_t count = 0;
    for (int fd = 0, gap = 0; gap < GAP_MAX && count < most; fd++) {
        int found = is_stream(fd);
        gap = found < 0 ? gap + 1 : 0;
        if (found > 0)
            ret_stream[count++] = fd;
    }
    return count;
}

/* Find the driver's stream: one that was not there before the driver's first query. @return -1: there is
 * none.
 */
static int
find_driver_stream(const struct pp_gl_report_watch *watch)
{
    int stream[PP_GL_OTHER_STREAMS + 1];
    uint32_t count = find_streams(stream, PP_GL_OTHER_STREAMS + 1);
    for (uint32_t i = 0; i < count; i++) {
        bool other = false;
        for (uint32_t k = 0; k < watch->others; k++)
            other |= watch->other[k] == stream[i];
        if (!other)
            return stream[i];
    }
    return -1;
}

/* The driver closes its stream and opens another one when it changes the counter set. */
static void
update_stream_locked(struct pp_gl_report_watch *watch)
{
    if (pp_watch_confined())
        watch->stream = -1;
    else if (watch->stream < 0 && watch->searches < SEARCHES_MAX) {
        watch->searches++;
        watch->stream = find_driver_stream(watch);
    } else if (watch->stream >= 0 && is_stream(watch->stream) != 1)
        watch->stream = find_driver_stream(watch);
}

static void
note_time_locked(struct pp_gl_report_watch *watch)
{
    watch->rounds = 0;
    watch->since_ns = pp_now_ns();
}

/* Stop the stream, if the number is still that of one. While a question is under way, the driver does not
 * close it. */
static bool
stop(int stream)
{
    int fd = pp_watch_borrow(stream);
    bool stopped = fd >= 0 && is_stream(fd) == 1 && ioctl(fd, PP_I915_DISABLE, 0) == 0;
    pp_watch_give_back(fd);
    return stopped;
}

static void
look(struct pp_watch *of)
{
    struct pp_gl_report_watch *watch =
        (struct pp_gl_report_watch *)(void *)((char *)of - offsetof(struct pp_gl_report_watch, watch));
    pthread_mutex_lock(&watch->lock);
    bool waits = watch->askers > 0 && watch->stream >= 0 && !watch->stopped &&
                 ++watch->rounds >= LONG_ROUNDS && pp_now_ns() - watch->since_ns >= LONG_NS;
    if (waits && !pp_watch_confined())
        watch->stopped = stop(watch->stream);
    pthread_mutex_unlock(&watch->lock);
}

void
pp_gl_report_watch_start(struct pp_gl_report_watch *watch, struct pp_session *session)
{
    *watch = (struct pp_gl_report_watch){.watch = {.look = look}, .stream = -1};
    pthread_mutex_init(&watch->lock, NULL);
    if (!pp_watch_confined())
        watch->others = find_streams(watch->other, PP_GL_OTHER_STREAMS);
    pp_watch_add(session, &watch->watch);
}

void
pp_gl_report_watch_begin(struct pp_gl_report_watch *watch)
{
    int kept = errno;
    pthread_mutex_lock(&watch->lock);
    if (watch->askers++ == 0) {
        watch->stopped = false;
        update_stream_locked(watch);
    }
    note_time_locked(watch);
    pthread_mutex_unlock(&watch->lock);
    errno = kept;
}

bool
pp_gl_report_watch_end(struct pp_gl_report_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    watch->askers--;
    note_time_locked(watch);
    bool stopped = watch->stopped;
    pthread_mutex_unlock(&watch->lock);
    return stopped;
}
