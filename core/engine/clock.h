/** @file
 * Maps the ticks of a device's clock to CLOCK_MONOTONIC nanoseconds. The mapping comes from samples of both
 * clocks, or, if the API cannot sample them together, from bounds given by causality. Ticks and nanoseconds
 * never share a variable. This file knows no graphics API. */
#ifndef PP_CORE_ENGINE_CLOCK_H
#define PP_CORE_ENGINE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** How the mapping was found. */
enum pp_clock_method { PP_CLOCK_NONE, PP_CLOCK_BOUNDS, PP_CLOCK_SAMPLED };

/** Mapping of one device's clock. */
struct pp_clock {
    /* immutable after init */
    double tick_ns; /**< nanoseconds a tick */
    uint64_t mask;  /**< valid bits of a timestamp */
    /* guarded by lock */
    pthread_mutex_t lock;
    enum pp_clock_method method;
    uint64_t samples;
    uint64_t anchor_ticks; /**< the newest sample */
    uint64_t anchor_ns;
    uint64_t uncertainty_ns; /**< half the width of the newest sample's CPU bracket */
    uint64_t
        uncertainty_max_ns; /**< largest uncertainty so far: times may have been mapped with that sample */
    double rate; /**< measured CPU nanoseconds a GPU nanosecond; 1 until two distant samples exist */
    uint64_t first_ticks;
    uint64_t first_ns;
    int64_t bound_low_ns;  /**< BOUNDS: largest (CPU at submission - GPU begin) seen */
    int64_t bound_high_ns; /**< BOUNDS: smallest (CPU at arrival - GPU end) seen */
};

/** Prepare a clock. @param tick_ns Nanoseconds per tick (VkPhysicalDeviceLimits.timestampPeriod; 1 in
 * OpenGL). @param valid_bits 1 to 64. */
void pp_clock_init(struct pp_clock *clock, double tick_ns, uint32_t valid_bits);

/** Counterpart of pp_clock_init(). */
void pp_clock_finish(struct pp_clock *clock);

/** Add a sample: the device's clock read @p ticks between two readings of CLOCK_MONOTONIC. A sample is
 * ignored if it is wider than the last one plus the drift since then. Any thread. */
void pp_clock_sample(struct pp_clock *clock, uint64_t ticks, uint64_t cpu_before_ns, uint64_t cpu_after_ns);

/** Add bounds by causality: the GPU began a submission of @p cpu_submit_ns at @p begin_ticks and ended it at
 * @p end_ticks, and the CPU noticed the end at @p cpu_seen_ns. Used only while no sample exists. Any thread.
 */
void pp_clock_bound(struct pp_clock *clock, uint64_t begin_ticks, uint64_t end_ticks, uint64_t cpu_submit_ns,
                    uint64_t cpu_seen_ns);

/** Copy of a clock's mapping at one moment. With it, many timestamps are mapped without a lock for each. */
struct pp_clock_view {
    double tick_ns;
    uint64_t mask;
    enum pp_clock_method method; /**< NONE: pp_clock_view_map() gives nothing */
    uint64_t anchor_ticks;
    uint64_t anchor_ns;
    uint64_t uncertainty_ns;
    double rate;
};

/** Copy a clock's current mapping. Any thread. */
void pp_clock_view_init(struct pp_clock *clock, struct pp_clock_view *ret_view);

/** Convert ticks to nanoseconds. Exact if a tick is a nanosecond, because a double holds only 53 bits. */
static inline uint64_t
pp_ticks_to_ns(double tick_ns, uint64_t ticks)
{
    if (tick_ns == 1.0)
        return ticks;
    long double ns = (long double)ticks * (long double)tick_ns;
    return ns < 1e19L ? (uint64_t)ns : UINT64_MAX;
}

/** Signed distance of two wrapped timestamps, in nanoseconds. */
static inline int64_t
pp_ticks_apart_ns(double tick_ns, uint64_t mask, uint64_t from, uint64_t to)
{
    const uint64_t most =
        INT64_MAX / 4; /* 73 years: absurd values, which no clock wrote, must not overflow sums */
    uint64_t ahead = (to - from) & mask;
    bool behind = ahead > mask / 2;
    uint64_t ns = pp_ticks_to_ns(tick_ns, behind ? (from - to) & mask : ahead);
    ns = ns < most ? ns : most;
    return behind ? -(int64_t)ns : (int64_t)ns;
}

/** Map ticks to CLOCK_MONOTONIC. Wraps of narrow timestamps are undone around the newest anchor. @return
 * false: no mapping. */
static inline bool
pp_clock_view_map(const struct pp_clock_view *view, uint64_t ticks, uint64_t *ret_ns)
{
    if (view->method == PP_CLOCK_NONE)
        return false;
    int64_t ns = pp_ticks_apart_ns(view->tick_ns, view->mask, view->anchor_ticks, ticks);
    if (view->rate != 1.0)
        ns = ns + (int64_t)((double)ns * (view->rate - 1.0));
    *ret_ns = (uint64_t)((int64_t)view->anchor_ns + ns);
    return true;
}

/** Length of an interval in nanoseconds, wrap of narrow timestamps undone once. */
static inline uint64_t
pp_clock_view_interval_ns(const struct pp_clock_view *view, uint64_t begin_ticks, uint64_t end_ticks)
{
    return pp_ticks_to_ns(view->tick_ns, (end_ticks - begin_ticks) & view->mask);
}

/** Length of an interval in nanoseconds, wrap of narrow timestamps undone once. */
uint64_t pp_clock_interval_ns(const struct pp_clock *clock, uint64_t begin_ticks, uint64_t end_ticks);

/** CLOCK_MONOTONIC now, in nanoseconds. Hot enough for pass boundaries (vDSO). */
uint64_t pp_now_ns(void);

#endif
