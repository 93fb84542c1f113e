/** @file
 * Comparison of runs: each side has some runs, each run gives one number (a median frame time, a pass's mean
 * cost), and the run is the unit of repetition. Frames of one run say nothing about the spread between runs.
 * Also the ratio of two rates of rare events, such as slow frames a minute, and many comparisons at once: of
 * 200 passes that did not change, 10 have a p value below 5 % by chance. Pure functions; any thread. Knows
 * no frame, no pass, no file. Definitions and measured error rates: docs/internals/statistics.md. For
 * `passprobe diff`. See stats_spread.h for the frames of one run. */
#ifndef PP_COUNTERS_STATS_STATS_RUNS_H
#define PP_COUNTERS_STATS_STATS_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/stats/stats.h"

/** The fewest runs of a side, or pairs, for a verdict. */
#define PP_RUNS_LEAST 3
/** pp_run_change.runs_needed is at most this; where it equals this, at least this many runs would be needed.
 */
#define PP_RUNS_NEEDED_MOST 100

/** What is known about a change of a value that is better when it is smaller, as times are. */
enum pp_change {
    PP_CHANGE_NO_VALUE, /**< a side has no value: nothing can be compared */
    PP_CHANGE_FEW_RUNS, /**< a side has fewer than PP_RUNS_LEAST runs: the numbers are facts, a verdict is not
                           possible */
    PP_CHANGE_FASTER,   /**< the interval is below 0 and the change exceeds the threshold */
    PP_CHANGE_SLOWER,   /**< the interval is above 0 and the change exceeds the threshold */
    PP_CHANGE_SAME,     /**< equivalent: the interval for equivalence is within the margin */
    PP_CHANGE_UNCLEAR,  /**< none of these; see pp_run_change.runs_needed */
    PP_CHANGE_COUNT
};

/** The rule for a verdict: all are shares, 0.03 is 3 %. */
struct pp_change_rule {
    double threshold;   /**< a smaller change is neither faster nor slower */
    double equivalence; /**< same: the change is surely smaller than this */
    double alpha;       /**< share of comparisons of equal sides whose interval leaves 0 by chance */
};

/** The usual rule: threshold 3 %, equivalence 2 %, alpha 5 %. */
extern const struct pp_change_rule pp_change_rule_usual;

/** A comparison of runs. Shares are relative to the old side: 0.05 is +5 %. */
struct pp_run_change {
    size_t old_runs, new_runs; /**< runs with a value; for pairs both are the pairs in which both have one */
    double old_value, new_value; /**< geometric mean of each side's values; without logarithms their mean;
                                    NaN: none */
    double change; /**< new_value / old_value - 1; NaN: old_value is not above 0, or a side has no value */
    struct pp_interval
        interval; /**< of the change, at 1 - alpha; NaN with fewer than 2 runs per side. .point is .change */
    struct pp_interval within; /**< for equivalence, at 1 - 2 alpha */
    double
        difference;  /**< that the interval encloses: of logarithms, or of values; NaN as for the interval */
    double error;    /**< its standard error */
    double p;        /**< two-sided p value of "no change"; NaN with fewer than 2 runs per side */
    double freedom;  /**< degrees of freedom of the intervals */
    double spread;   /**< standard deviation between runs of one side, relative; for pairs: of the ratios /
                        sqrt(2) */
    bool logarithms; /**< computed from logarithms; false: a value was 0 or negative */
    bool near_threshold; /**< unclear because the change is real but not above the threshold: more runs will
                            not help */
    size_t runs_needed;  /**< if unclear: runs per side that would decide; 0: not known, or near_threshold */
    enum pp_change verdict;
};

/**
 * Compare the runs of two sides.
 *
 * The interval is Welch's t on the logarithms of the values with Satterthwaite's degrees of freedom, so it is
 * an interval of the ratio of geometric means. The change is this ratio. If a value is 0 or negative, Welch's
 * t is taken of the values themselves, divided by the mean of the old values; if that mean is not above 0,
 * there are no shares: change and intervals are NaN, and the p value alone decides. Values that are NaN or
 * infinite are missing and left out. Sides without any spread have an interval of no width.
 *
 * The verdict has two parts: slower or faster if the interval leaves 0 *and* the change exceeds the
 * threshold; same if the interval at 1 - 2 alpha is within +-equivalence (two one-sided tests); else
 * unclear. Runs needed to show a change d with spread s: n = 16 (s / d)^2 per side (alpha 5 %, power 80 %); d
 * is the change, or the equivalence margin if the change is smaller than that. At least one run more than
 * there are, at most PP_RUNS_NEEDED_MOST.
 *
 * @param before    A value for each run of the old side, in any order; @p n_before of them, may be 0.
 * @param after     Likewise of the new side.
 * @param rule      The rule for the verdict.
 * @param ret       Set on success.
 * @retval 0       Done.
 * @retval -ENOMEM No memory: the function takes 8 bytes for each value, and frees them before it returns.
 *
 * Source: B. L. Welch, Biometrika 34 (1947); D. J. Schuirmann, J. Pharmacokin. Biopharm. 15 (1987) (two
 * one-sided tests); R. Lehr, Statistics in Medicine 11 (1992) (16).
 */
__attribute__((warn_unused_result)) int pp_compare_runs(const double *before, size_t n_before,
                                                        const double *after, size_t n_after,
                                                        const struct pp_change_rule *rule,
                                                        struct pp_run_change *ret);

/**
 * Compare runs that were made in pairs, one of each side shortly after the other (ABBA): what drifts slowly,
 * such as a temperature, cancels in a pair. As pp_compare_runs(), with Student's t on the differences of the
 * logarithms, and n - 1 degrees of freedom. A pair in which a value is missing is left out.
 *
 * @param before The old values; before[i] and after[i] are a pair.
 * @param after  The new values.
 * @param n      The pairs.
 */
__attribute__((warn_unused_result)) int pp_compare_pairs(const double *before, const double *after, size_t n,
                                                         const struct pp_change_rule *rule,
                                                         struct pp_run_change *ret);

/**
 * Take another standard error for a comparison of logarithms, and set all that follows from it: spread,
 * freedom, p, intervals, verdict, runs_needed. For pp_share_spread(). @p error Above 0. @p freedom Its
 * degrees of freedom.
 */
void pp_change_take_error(struct pp_run_change *change, double error, double freedom,
                          const struct pp_change_rule *rule);

/**
 * The verdict after many comparisons: what is slower or faster by itself, but has a @p q above the rule's
 * alpha, is unclear. @p q From pp_false_discovery(); NaN: the verdict stays. Sets verdict and runs_needed.
 */
void pp_change_correct(struct pp_run_change *change, double q, const struct pp_change_rule *rule);

/** How much equal runs may differ (standard deviation, a share), so that this many runs per side show a
 * change: the rule of pp_run_change.runs_needed, solved for the spread. @param change Relative. */
double pp_change_spread_most(double change, size_t runs);

/**
 * With one run per side: is a difference worth attention? It is if it exceeds the threshold and three times
 * @p within_half_width, and counts changed too; or if it exceeds 10 % and three times that width. This is no
 * verdict: how much runs of one side differ is not known.
 *
 * @param change            The relative change.
 * @param within_half_width Half the width of the change's interval from within the runs, relative; NaN: not
 * known, taken as 0.
 * @param counts_changed    Counts of draws, vertices or the like differ too.
 */
bool pp_change_stands_out(double change, double within_half_width, bool counts_changed,
                          const struct pp_change_rule *rule);

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

/**
 * Adjust p values by Benjamini and Hochberg: of all comparisons with q <= 5 %, at most 5 % are false on
 * average. With n numbers in ascending order, q of the i-th is the least p_j n / j of all j >= i, at most 1.
 * Equals R's p.adjust(method="BH").
 *
 * @param p     @p n values; NaN is no comparison: it does not count, and its q is NaN.
 * @param ret_q Space for @p n values, set on success; may be @p p itself.
 * @retval 0       Done.
 * @retval -ENOMEM No memory: the function takes 8 bytes for each value, and frees them before it returns.
 *
 * Source: Y. Benjamini, Y. Hochberg, J. R. Statist. Soc. B 57 (1995).
 */
__attribute__((warn_unused_result)) int pp_false_discovery(const double *p, size_t n, double *ret_q);

#endif
