/** @file
 * Statistics of one sample: sums, quantiles, average frame rate, lows; probabilities and quantiles of
 * Student's t and of the beta distribution; bins of log-linear histograms. Times may be in any unit as long
 * as one call uses one unit. Knows no graphics API, no file, no thread. See stats_runs.h for two sides of
 * runs. Definitions: docs/internals/statistics.md.
 *
 * For all functions of arrays: an empty array gives NaN. "Sorted" means ascending, as pp_stats_sort() leaves
 * an array. No function keeps a pointer, locks, logs or allocates. Any thread. */
#ifndef PP_COUNTERS_STATS_STATS_H
#define PP_COUNTERS_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An estimate with its confidence interval. */
struct pp_interval {
    double point, low, high;
};

/** Compare two doubles, for qsort() and bsearch(): ascending, NaN at the end. @param a, b Pointers to
 * them. @return Below 0, 0 or above 0. */
int pp_compare_numbers(const void *a, const void *b);

/** Sort ascending, in place. NaN go to the end. */
void pp_stats_sort(double *value, size_t n);

/** Sum with compensation: exact to the last place or two whatever the length. */
double pp_stats_sum(const double *value, size_t n);

/** Arithmetic mean. */
double pp_stats_mean(const double *value, size_t n);

/** Type-7 quantile (Excel, NumPy, PresentMon): linear at h = p (n - 1). @p p from 0 to 1. */
double pp_quantile7(const double *sorted, size_t n, double p);

/** Where the type-7 quantile is, for values that are no array of doubles. @param n Above 0. @param p No
 * NaN.
 * @param ret_part How far it is from this value towards the next one: from 0 to below 1. @return Index of
 * the value. */
size_t pp_quantile7_place(size_t n, double p, double *ret_part);

/** Type-8 quantile (MathNet, CapFrameX): linear at h = (n + 1/3) p + 1/3, counted from 1. @p p from 0 to 1.
 */
double pp_quantile8(const double *sorted, size_t n, double p);

/** The median: pp_quantile7() at 0.5. */
double pp_median(const double *sorted, size_t n);

/** Average frame rate: n / sum(time), never the mean of the frames' rates. @p per_second Time units in a
 * second: 1e3 for ms, 1e9 for ns. */
double pp_average_fps(const double *time, size_t n, double per_second);

/* Lows: the frame rate of the worst share of the frames. */

/** The definitions of a low. Tools mean six different things by "1 % low". */
enum pp_low {
    PP_LOW_MANGOHUD,          /**< MangoHud's logging */
    PP_LOW_PRESENTMON,        /**< PresentMon's percentile */
    PP_LOW_CAPFRAMEX_P,       /**< CapFrameX's percentile */
    PP_LOW_CAPFRAMEX_AVERAGE, /**< CapFrameX's low average */
    PP_LOW_INTEGRAL,          /**< MSI Afterburner's integral */
    PP_LOW_WORST_MEAN,        /**< the mean of the longest frame times */
    PP_LOW_COUNT
};

/**
 * Compute a low by one definition.
 *
 * @param low        The definition.
 * @param share      0.01 for "1 % low", 0.001 for "0.1 % low".
 * @param sorted     Frame times > 0.
 * @param per_second Time units in a second.
 * @return Frames per second; NaN for an unknown definition.
 *
 * Source: the tools' own code (MangoHud logging, PresentMon metrics, CapFrameX with MathNet.Numerics'
 * quantiles, MSI Afterburner's integral as CapFrameX has it), checked by
 * tests/unit/counters/vectors/statistics.
 */
double pp_low_fps(enum pp_low low, double share, const double *sorted, size_t n, double per_second);

/** Are @p n frames enough for a low of this share? They are if the share holds a whole frame: 100 frames for
 * 1 %, 1000 for 0.1 %. With fewer, print "insufficient" instead of a number. */
bool pp_low_enough(double share, size_t n);

/** Number of bins of a histogram with 2^k bins for every power of two. */
#define PP_LOG_HISTOGRAM_BINS(k) ((size_t)(65 - (k)) << (k))

/** Bin of a value. Values below 2^(k+1) have a bin each; above, a bin is no wider than value / 2^k.
 * @p k 0 to 16. */
size_t pp_log_histogram_bin(uint64_t value, unsigned k);

/** The smallest value of a bin. */
uint64_t pp_log_histogram_low(size_t bin, unsigned k);

/**
 * The regularised incomplete beta function I_x(a, b): the probability that a beta-distributed value is at
 * most @p x.
 *
 * @return 0 for x <= 0, 1 for x >= 1; NaN if @p a or @p b is not above 0 or an argument is NaN.
 * Source: continued fraction DLMF 8.17.22, evaluated with Lentz's method; relative error about 1e-15 (a + b).
 */
double pp_beta_probability(double x, double a, double b);

/** The x with pp_beta_probability(x, a, b) = @p p, by bisection. 0 for p <= 0, 1 for p >= 1; NaN as there. */
double pp_beta_quantile(double p, double a, double b);

/** Two-sided p value of Student's t: the probability of a value as far from 0 as @p t or farther.
 * @p freedom Degrees of freedom > 0, not necessarily whole; INFINITY: the normal distribution. NaN if not. */
double pp_student_two_sided(double t, double freedom);

/** Student's t that is not exceeded in either direction with probability @p level: 0.95 gives 2.776 for 4
 * degrees of freedom. By bisection. @p level from 0 up to but not including 1. NaN if an argument is outside
 * its range. */
double pp_student_quantile(double level, double freedom);

#endif
