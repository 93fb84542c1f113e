/** @file
 * The execution of work; see work.h. It takes as long as the GPU's clock says. */
#include "tests/lab/i915/work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "tests/lab/drm.h"
#include "tests/lab/fence.h"
#include "tests/lab/i915/perf.h"
#include "tests/lab/i915/streamer.h"
#include "tests/lab/model.h"
#include "tests/lab/report.h"

#define LONGEST_WAIT_NS 20000
#define LATE_MS         3
/* A switch of contexts takes a tick. Mesa takes a report for one of the bracket if its tick is the bracket's
 * first, even if it was written before. */
#define SWITCH_UNITS       16
#define HOLD_LEAST_BUFFERS 5
#define HOLD_AHEAD         50 /* of a second: a held submission is executed so much too early, for a busy machine */

static void
wait_until_units(uint64_t units, bool locked)
{
    while (i915_units_now() < units) {
        if (!locked)
            pthread_mutex_unlock(&lab_lock);
        (void)nanosleep(&(struct timespec){.tv_nsec = LONGEST_WAIT_NS}, NULL);
        if (!locked)
            pthread_mutex_lock(&lab_lock);
    }
}

/* LAB_HOLD=VERTICES:TICKS[:BUFFERS]. Once this many vertices were counted, the next submission begins when
 * the timestamp is this many ticks, if that moment is still to come. Submissions of few buffers do no work
 * for the application. */
static void
hold(uint32_t buffers)
{
    static bool held;
    const char *text = held ? NULL : getenv("LAB_HOLD");
    char *end = NULL;
    if (!text || i915.counts.vertices < strtoull(text, &end, 0) || *end != ':')
        return;
    uint64_t units = strtoull(end + 1, &end, 0) * 16;
    if (buffers < (*end == ':' ? strtoul(end + 1, NULL, 0) : HOLD_LEAST_BUFFERS))
        return;
    held = true;
    while (i915_units_now() + i915.gpu->timestamp_hz * UINT64_C(16) / HOLD_AHEAD < units) {
        pthread_mutex_unlock(&lab_lock);
        (void)nanosleep(&(struct timespec){.tv_nsec = LONGEST_WAIT_NS}, NULL);
        pthread_mutex_lock(&lab_lock);
    }
    if (units > i915.units)
        i915.units = units;
}

/* Until the fence is signalled, time goes on with the lock open, so that others see the work pending. */
static int
run(const struct i915_work *work, bool locked)
{
    struct i915_batch_counts counts;
    uint64_t now = i915_units_now();
    if (now > i915.units)
        i915.units = now;
    i915_perf_switch(work->context);
    lab_log("exec context=%u engine=%s buffers=%u address=0x%llx clock=%llu", work->context->hardware_id,
            work->engine == I915_COPY ? "copy" : "render", work->addresses.count,
            (unsigned long long)work->start, (unsigned long long)i915_ticks());
    i915.units += SWITCH_UNITS;
    struct i915_addresses addresses = work->addresses;
    int status = i915_streamer_run(work->context, work->engine, &addresses, work->start, &counts);
    i915.units += SWITCH_UNITS;
    i915_perf_switch(NULL);
    lab_log("end clock=%llu vertices=%llu dwords=%llu pipe_controls=%llu stalls=%llu flushes=%llu",
            (unsigned long long)i915_ticks(), (unsigned long long)i915.counts.vertices,
            (unsigned long long)counts.dwords, (unsigned long long)counts.pipe_controls,
            (unsigned long long)counts.stalls, (unsigned long long)counts.flushes);
    wait_until_units(i915.units, locked);
    return status;
}

/* Work that waits, in the order of its execution. */

static struct i915_work *first, **last = &first;

static uint64_t
delay_ns(void)
{
    const char *text = getenv("LAB_LATE_MS");
    return 1000000 * (text ? strtoull(text, NULL, 0) : LATE_MS);
}

static void *
run_late(void *nothing)
{
    pthread_mutex_lock(&lab_lock);
    for (;;) {
        while (!first)
            pthread_cond_wait(&lab_changed, &lab_lock);
        struct i915_work *work = first;
        struct timespec due = {.tv_sec = (time_t)(work->due_ns / 1000000000),
                               .tv_nsec = (long)(work->due_ns % 1000000000)};
        pthread_mutex_unlock(&lab_lock);
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        pthread_mutex_lock(&lab_lock);
        hold(work->addresses.count);
        (void)run(work, false);
        first = work->next;
        if (!first)
            last = &first;
        lab_fence_signal(work->fence);
        lab_fence_unref(work->fence);
        i915_addresses_finish(&work->addresses);
        free(work);
    }
    return nothing;
}

static void
start_thread(void)
{
    static bool started;
    sigset_t all, before;
    pthread_t thread;
    if (started)
        return;
    started = true;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, run_late, NULL) != 0)
        abort();
    (void)pthread_detach(thread);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int
run_now(const struct i915_work *work)
{
    struct i915_addresses addresses = work->addresses;
    hold(addresses.count);
    int status = run(work, true);
    i915_addresses_finish(&addresses);
    lab_fence_signal(work->fence);
    return status;
}

int
i915_work_submit(const struct i915_work *work)
{
    if (lab_mode() != LAB_LATE)
        return run_now(work);
    struct i915_work *later = malloc(sizeof(*later));
    if (!later)
        abort();
    *later = *work;
    later->fence = lab_fence_ref(work->fence);
    later->due_ns = lab_now_ns() + delay_ns();
    later->next = NULL;
    *last = later;
    last = &later->next;
    start_thread();
    pthread_cond_broadcast(&lab_changed);
    return 0;
}

bool
i915_work_uses(const struct lab_memory *memory)
{
    for (const struct i915_work *work = first; work; work = work->next)
        for (uint32_t i = 0; i < work->addresses.count; i++)
            if (work->addresses.place[i].memory == memory)
                return true;
    return false;
}

static bool
has_work(const struct i915_context *context)
{
    const struct i915_work *work = first;
    while (work && work->context != context)
        work = work->next;
    return work != NULL;
}

void
i915_work_wait_context(const struct i915_context *context)
{
    while (has_work(context))
        pthread_cond_wait(&lab_changed, &lab_lock);
}
