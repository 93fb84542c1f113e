/** @file
 * Durations of passprobe's calls; see overhead.h. */
#include "core/engine/overhead.h"

#include <time.h>

#include "counters/stats/stats.h"

_Static_assert(sizeof(((struct pp_overhead *)NULL)->bin) / sizeof(_Atomic uint32_t) ==
                   PP_LOG_HISTOGRAM_BINS(PP_OVERHEAD_FINE),
               "the bins are those of counters/stats/stats.h");

void
pp_overhead_add(struct pp_overhead *own, uint64_t ns)
{
    atomic_fetch_add_explicit(&own->sum_ns, ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&own->bin[pp_log_histogram_bin(ns, PP_OVERHEAD_FINE)], 1, memory_order_relaxed);
}

uint64_t
pp_overhead_median(const struct pp_overhead *own)
{
    uint64_t all = 0, below = 0;
    size_t middle = 0;
    for (size_t i = 0; i < PP_OVERHEAD_BINS; i++)
        all += atomic_load_explicit(&own->bin[i], memory_order_relaxed);
    /* others may add meanwhile: never beyond the last bin */
    for (; middle < PP_OVERHEAD_BINS - 1; middle++) {
        below += atomic_load_explicit(&own->bin[middle], memory_order_relaxed);
        if (2 * below >= all)
            break;
    }
    uint64_t low = pp_log_histogram_low(middle, PP_OVERHEAD_FINE);
    uint64_t wide =
        middle < PP_OVERHEAD_BINS - 1 ? pp_log_histogram_low(middle + 1, PP_OVERHEAD_FINE) - low : 1;
    return all * (low + (wide - 1) / 2);
}

uint64_t
pp_overhead_thread_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}
