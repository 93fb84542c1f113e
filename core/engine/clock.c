/** @file
 * Mapping of ticks to CLOCK_MONOTONIC; see clock.h. */
#include "core/engine/clock.h"

#include <string.h>
#include <time.h>

/* Shortest distance of two samples that gives a rate. Nearer samples give only noise. */
#define RATE_BASE_NS 1000000000ULL
/* Clocks drift apart by less than 1 in this number. A thread that loses its processor takes a wide sample.
 * Within the drift, an older sharp sample is better than a newer wide one. */
#define DRIFT 10000U

uint64_t
pp_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

void
pp_clock_init(struct pp_clock *clock, double tick_ns, uint32_t valid_bits)
{
    memset(clock, 0, sizeof(*clock));
    clock->tick_ns = tick_ns;
    clock->mask = valid_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << valid_bits) - 1;
    clock->rate = 1.0;
    clock->bound_low_ns = INT64_MIN;
    clock->bound_high_ns = INT64_MAX;
    pthread_mutex_init(&clock->lock, NULL);
}

void
pp_clock_finish(struct pp_clock *clock)
{
    pthread_mutex_destroy(&clock->lock);
}

void
pp_clock_sample(struct pp_clock *clock, uint64_t ticks, uint64_t cpu_before_ns, uint64_t cpu_after_ns)
{
    uint64_t middle = cpu_before_ns + (cpu_after_ns - cpu_before_ns) / 2;
    uint64_t uncertainty = (cpu_after_ns - cpu_before_ns + 1) / 2;
    pthread_mutex_lock(&clock->lock);
    if (clock->method == PP_CLOCK_SAMPLED && middle > clock->anchor_ns &&
        uncertainty > clock->uncertainty_ns + (middle - clock->anchor_ns) / DRIFT) {
        pthread_mutex_unlock(&clock->lock);
        return;
    }
    if (clock->samples == 0) {
        clock->first_ticks = ticks;
        clock->first_ns = middle;
    } else if (middle - clock->first_ns > RATE_BASE_NS) {
        uint64_t gpu_ns = pp_ticks_to_ns(clock->tick_ns, (ticks - clock->first_ticks) & clock->mask);
        double rate = gpu_ns ? (double)(middle - clock->first_ns) / (double)gpu_ns : 1.0;
        /* A narrow timestamp has wrapped since the first sample, or the clock stopped: keep the nominal rate.
         */
        clock->rate = rate > 0.99 && rate < 1.01 ? rate : 1.0;
    }
    clock->method = PP_CLOCK_SAMPLED;
    clock->anchor_ticks = ticks;
    clock->anchor_ns = middle;
    clock->uncertainty_ns = uncertainty;
    if (clock->uncertainty_ns > clock->uncertainty_max_ns)
        clock->uncertainty_max_ns = clock->uncertainty_ns;
    clock->samples++;
    pthread_mutex_unlock(&clock->lock);
}

void
pp_clock_bound(struct pp_clock *clock, uint64_t begin_ticks, uint64_t end_ticks, uint64_t cpu_submit_ns,
               uint64_t cpu_seen_ns)
{
    pthread_mutex_lock(&clock->lock);
    if (clock->method != PP_CLOCK_SAMPLED) {
        if (clock->method == PP_CLOCK_NONE) {
            clock->anchor_ticks = begin_ticks;
            clock->anchor_ns = 0;
            clock->method = PP_CLOCK_BOUNDS;
        }
        int64_t low = (int64_t)cpu_submit_ns -
                      pp_ticks_apart_ns(clock->tick_ns, clock->mask, clock->anchor_ticks, begin_ticks);
        int64_t high = (int64_t)cpu_seen_ns -
                       pp_ticks_apart_ns(clock->tick_ns, clock->mask, clock->anchor_ticks, end_ticks);
        if (low > clock->bound_low_ns)
            clock->bound_low_ns = low;
        if (high < clock->bound_high_ns)
            clock->bound_high_ns = high;
        /* The clocks have drifted apart since the older bounds were met: only the newest still hold. */
        if (clock->bound_high_ns < clock->bound_low_ns) {
            clock->bound_low_ns = low;
            clock->bound_high_ns = high;
        }
        /* An idle device starts right after a submission, so the lower bound is the better guess. */
        clock->anchor_ns = (uint64_t)clock->bound_low_ns;
        clock->uncertainty_ns = clock->bound_high_ns > clock->bound_low_ns
                                    ? (uint64_t)(clock->bound_high_ns - clock->bound_low_ns)
                                    : 0;
        if (clock->uncertainty_ns > clock->uncertainty_max_ns)
            clock->uncertainty_max_ns = clock->uncertainty_ns;
        clock->samples++;
    }
    pthread_mutex_unlock(&clock->lock);
}

void
pp_clock_view_init(struct pp_clock *clock, struct pp_clock_view *ret_view)
{
    pthread_mutex_lock(&clock->lock);
    *ret_view = (struct pp_clock_view){
        .tick_ns = clock->tick_ns,
        .mask = clock->mask,
        .method = clock->method,
        .anchor_ticks = clock->anchor_ticks,
        .anchor_ns = clock->anchor_ns,
        .uncertainty_ns = clock->uncertainty_ns,
        .rate = clock->rate,
    };
    pthread_mutex_unlock(&clock->lock);
}

uint64_t
pp_clock_interval_ns(const struct pp_clock *clock, uint64_t begin_ticks, uint64_t end_ticks)
{
    return pp_ticks_to_ns(clock->tick_ns, (end_ticks - begin_ticks) & clock->mask);
}
