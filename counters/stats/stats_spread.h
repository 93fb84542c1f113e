/** @file
 * How much numbers of runs and of frames differ. Pure functions; any thread. Knows no frame, no pass, no
 * file. Definitions: docs/internals/statistics.md. See stats_runs.h for the comparison of two sides. This
 * file says:
 *
 * - how much the runs of one command differ: mean, spread, and how sure the mean is;
 * - what many comparisons of the same few runs, such as the passes of two sides, say together: what spread is
 *   usual, and how much of it all passes of a run have in common;
 * - how sure the mean and the quantiles of one run are, as far as its own frames show. Neighbouring frames
 *   depend on each other, so frames are taken in blocks, whose length comes from the data. An interval from
 *   within a run does not bound the difference of two runs. */
#ifndef PP_COUNTERS_STATS_STATS_SPREAD_H
#define PP_COUNTERS_STATS_STATS_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "counters/stats/stats.h"
#include "counters/stats/stats_runs.h"

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

/** Fewer comparisons share nothing. */
#define PP_SHARED_SPREAD_LEAST 5

/**
 * Replace the standard error of each comparison by one that takes the other comparisons into account, and set
 * what follows from it (pp_change_take_error()).
 *
 * The squared errors e with f degrees of freedom are taken as those of a common prior: s0 with f0 degrees of
 * freedom, which are estimated from all comparisons. Each becomes (g s0 + f e) / (g + f), with g + f degrees
 * of freedom, where g is half of f0. Two more limits keep it cautious: g is at most 3 f, so that a
 * comparison's own runs count for a quarter or more; and a comparison whose error is larger than the prior
 * explains (1 %) keeps its own.
 *
 * Takes part: a comparison with a verdict, of logarithms, with an error above 0. Others stay as they are.
 *
 * @param change @p n comparisons of the same runs.
 *
 * Source: G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004), section 6 (estimation of s0 and f0); B.
 * Phipson et al., Ann. Appl. Stat. 10 (2016) (comparisons that keep their own error).
 */
void pp_share_spread(struct pp_run_change *change, size_t n, const struct pp_change_rule *rule);

/** With fewer other series there is no factor of a run. */
#define PP_COMMON_LEAST 3

/**
 * Divide each value by the factor of its run: a machine that is 3 % slower during one run makes all passes of
 * it about 3 % longer. What remains says how a pass changed relative to the other passes.
 *
 * The factor of a run for one series is exp(m), where m is the median, over the other series, of the
 * logarithm of their value in this run minus the mean of the logarithms of their values. A series that
 * changed has no weight in it while most others did not. A series with a value that is not above 0 has no
 * part in factors.
 *
 * @param value      @p series times @p runs numbers, those of a series one after the other; NaN: missing.
 * @param ret_value  As many. NaN: the value is missing, or fewer than PP_COMMON_LEAST other series have one.
 * @param ret_factor The factor of each run over all series, @p runs numbers; NaN: not known.
 * @retval 0       Done.
 * @retval -ENOMEM No memory: the function takes 16 bytes for each value, and frees them before it returns.
 */
__attribute__((warn_unused_result)) int pp_leave_common_out(const double *value, size_t series, size_t runs,
                                                            double *ret_value, double *ret_factor);

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
