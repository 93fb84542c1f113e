/** @file
 * How sure the mean and the quantiles of one run are, as far as its own frames show. Neighbouring frames
 * depend on each other, so frames are taken in blocks, whose length comes from the data. Pure functions, any
 * thread, no memory. Knows no frame, no pass, no file. An interval from within a run does not bound the
 * difference of two runs: see stats_runs.h. */
#ifndef PP_COUNTERS_STATS_WITHIN_RUN_H
#define PP_COUNTERS_STATS_WITHIN_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "counters/stats/stats.h"

/** Values that depend on each other. */
struct pp_block {
    size_t length;       /**< at least 1 */
    bool too_correlated; /**< the data needs longer blocks than a tenth of them: intervals are too narrow */
};

/**
 * Length of a block: 2 times the first lag at which the autocorrelation is within +-2 / sqrt(n), at least
 * 10, at most n / 10, at least 1. Looks at the first 20,000 values, and at lags up to 500: series that stay
 * correlated beyond that get blocks of 1,000 values and too_correlated.
 *
 * @param value @p n numbers in the order in which they were measured.
 *
 * Source: the autocorrelation of n independent values is within +-2 / sqrt(n) with probability 95 % (M. S.
 * Bartlett, J. R. Statist. Soc. Suppl. 8 (1946)).
 */
struct pp_block pp_block_length(const double *value, size_t n);

/**
 * Half the width of the mean's confidence interval by batch means: the standard error of the means of blocks
 * that do not overlap, times Student's t. NaN with fewer than two whole blocks.
 *
 * @param block From pp_block_length().
 * @param level 0.95 for a 95 % interval.
 *
 * Source: B. Schmeiser, Operations Research 30 (1982).
 */
double pp_mean_half_width(const double *value, size_t n, size_t block, double level);

/**
 * Confidence interval of a quantile: the share of values up to the quantile has an interval by batch means;
 * its ends are read off the sorted values. NaN with fewer than two whole blocks. Where an end is outside of
 * the values, it is the least or the largest value.
 *
 * @param value  @p n numbers in the order in which they were measured.
 * @param sorted The same numbers, sorted.
 * @param p      The quantile: 0.5 for the median.
 * @param block  From pp_block_length().
 * @param level  0.95 for a 95 % interval.
 *
 * Source: R. S. Woodruff, J. Amer. Statist. Assoc. 47 (1952).
 */
struct pp_interval pp_quantile_interval(const double *value, const double *sorted, size_t n, double p,
                                        size_t block, double level);

#endif
