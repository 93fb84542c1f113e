/** @file
 * Ratio of two rates of rare events, such as slow frames a minute. Pure; any thread; no memory. */
#ifndef PP_COUNTERS_STATS_RATE_RATIO_H
#define PP_COUNTERS_STATS_RATE_RATIO_H

#include <stdint.h>

/** Result of pp_rate_ratio(). */
struct pp_rate_ratio {
    double ratio; /**< new rate / old rate; INFINITY: the old count is 0; NaN: both are, or a duration is not
                     above 0 */
    double low, high; /**< interval of the ratio; high may be INFINITY */
    double p;         /**< two-sided p value of "equal rates": twice the smaller tail, at most 1 */
};

/**
 * Ratio of two Poisson rates with its exact interval. Given the sum n of both counts, the new count is
 * binomial with share new_duration r / (old_duration + new_duration r); the interval of the share is Clopper
 * and Pearson's. Events that come in groups, as slow frames may, spread more than Poisson's distribution: the
 * interval is then too narrow.
 *
 * @param old_count    Events in @p old_duration.
 * @param old_duration Above 0, in the unit of @p new_duration.
 * @param new_count    Events in @p new_duration.
 * @param level        0.95 for a 95 % interval.
 *
 * Source: J. Przyborowski, H. Wilenski, Biometrika 31 (1940); C. J. Clopper, E. S. Pearson, Biometrika 26
 * (1934).
 */
void pp_rate_ratio(uint64_t old_count, double old_duration, uint64_t new_count, double new_duration,
                   double level, struct pp_rate_ratio *ret);

#endif
