/** @file
 * See report_wait.h. Sources: Mesa 22.3.6 and 25.0.7, intel_perf_get_query_data(); Linux, i915_perf.c: its
 * timer looks for reports 200 times a second. */
#include "hooks/measure/report_wait.h"

#include <time.h>

#include "core/engine/clock.h"
#include "hooks/base/context.h"
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
