/** @file
 * Moving-block bootstrap: confidence intervals of a mean or a quantile of one series, and of the shift
 * between two, where neighbouring values depend on each other. Deterministic: equal input and seed give equal
 * output. Any thread. Knows no frame, no file. The intervals of within_run.h take a thousandth of the time.
 */
#ifndef PP_COUNTERS_STATS_BOOTSTRAP_H
#define PP_COUNTERS_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include "counters/stats/stats.h"

/** Parameters of the bootstrap. */
struct pp_bootstrap {
    size_t replicates; /**< 1000 */
    size_t block; /**< values a block; 0: pp_block_length() of each series; 1: independent draws; longer than
                     a series: the series */
    uint64_t seed;
    double level;    /**< 0.95 for a 95 % interval */
    double quantile; /**< which type-7 quantile: 0.5 for the median; NaN: the mean */
};

/**
 * Confidence interval of the mean or of a quantile of one series. In each replicate the series is resampled:
 * blocks start uniformly below n - block + 1 and the last is cut at n. The interval is the type-7 quantiles
 * of the replicates at (1 -+ level) / 2.
 *
 * Allocates 24 bytes a value and 8 a replicate, freed before it returns. Time: O(replicates n).
 *
 * @param value @p n numbers in the order in which they were measured.
 * @param how   The parameters.
 * @param ret   Set on success.
 * @retval 0       Done.
 * @retval -EINVAL No value, a NaN, more than 2^32 - 1 values, no replicates, a level or quantile outside
 * 0..1.
 * @retval -ENOMEM No memory.
 *
 * Source: H. R. Kuensch, Annals of Statistics 17 (1989).
 */
__attribute__((warn_unused_result)) int
pp_bootstrap_one(const double *value, size_t n, const struct pp_bootstrap *how, struct pp_interval *ret);

/**
 * Confidence interval of a mean or quantile of B minus that of A. In each replicate A is resampled before B.
 * All else as for pp_bootstrap_one().
 */
__attribute__((warn_unused_result)) int pp_bootstrap_shift(const double *a, size_t na, const double *b,
                                                           size_t nb, const struct pp_bootstrap *how,
                                                           struct pp_interval *ret);

#endif
