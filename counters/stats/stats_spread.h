/** @file
 * How much the runs of one command differ: mean, spread, and how sure the mean is. Pure functions; any
 * thread. See stats_runs.h for the comparison of two sides. Definitions: docs/internals/statistics.md. */
#ifndef PP_COUNTERS_STATS_STATS_SPREAD_H
#define PP_COUNTERS_STATS_STATS_SPREAD_H

#include <stddef.h>

/** What one number of each run says. Shares are relative to the mean: 0.01 is 1 %. */
struct pp_run_spread {
    size_t runs;              /**< with a value */
    double mean, least, most; /**< NaN: no run has a value */
    double deviation;         /**< standard deviation between runs (n - 1); NaN with fewer than 2 runs */
    double deviation_share;   /**< relative to the mean; NaN also if the mean is 0 */
    double half;       /**< half the width of the 95 % interval of the mean: Student's t; NaN with fewer than
                          2 runs */
    double half_share; /**< relative to the mean; NaN also if the mean is 0 */
};

/** Describe the runs of one command. Values that are NaN or infinite are missing and left out. Source of the
 * interval: Student, Biometrika 6 (1908). */
struct pp_run_spread pp_run_spread_of(const double *value, size_t runs);

#endif
