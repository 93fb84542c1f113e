/** @file
 * Room: numbers about numbers. Percentiles, averages, lows, stutter, jank, outliers, histograms, each under
 * the name of its definition, since "1 % low" means six different things in shipping tools. Pure functions
 * over arrays of doubles; times may be in any unit as long as one call uses one. Knows no graphics API, no
 * file, no thread. Next room: stats_compare.h (two runs).
 *
 * Everywhere: an empty array gives NaN (counts: 0); "sorted" means ascending, as pp_stats_sort() leaves it;
 * no function keeps a pointer, locks or logs; only those that return int allocate. Any thread. */
#ifndef PP_COUNTERS_STATS_STATS_H
#define PP_COUNTERS_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The named definitions. Those from PP_STAT_LOW_MANGOHUD to PP_STAT_LOW_WORST_MEAN are "lows": see
 * pp_low_fps(). */
enum pp_stat {
    PP_STAT_AVERAGE_FPS,
    PP_STAT_MEAN,
    PP_STAT_MEDIAN,
    PP_STAT_QUANTILE7,
    PP_STAT_QUANTILE8,
    PP_STAT_LOW_MANGOHUD,
    PP_STAT_LOW_PRESENTMON,
    PP_STAT_LOW_CAPFRAMEX_P,
    PP_STAT_LOW_CAPFRAMEX_AVERAGE,
    PP_STAT_LOW_INTEGRAL,
    PP_STAT_LOW_WORST_MEAN,
    PP_STAT_STUTTER_MEAN,
    PP_STAT_STUTTER_MOVING,
    PP_STAT_JANK,
    PP_STAT_MAD_OUTLIERS,
    PP_STAT_HODGES_LEHMANN,
    PP_STAT_CLIFFS_DELTA,
    PP_STAT_MANN_WHITNEY,
    PP_STAT_BLOCK_BOOTSTRAP,
    PP_STAT_BIAS,
    PP_STAT_COUNT
};

/** What a definition is called and says; printed beside every number made by it. */
struct pp_stat_def {
    const char *name;       /**< for options and keys: "presentmon-p", "quantile7" */
    const char *label;      /**< for tables: "PresentMon percentile FPS" */
    const char *definition; /**< one line, without a full stop */
};

/** The definition @p stat; NULL if there is no such one. */
const struct pp_stat_def *pp_stat_def(enum pp_stat stat);

/** The definition called @p name; PP_STAT_COUNT if none is. */
enum pp_stat pp_stat_find(const char *name);

/* One sample. */

/** Sort ascending, in place. NaN go to the end. */
void pp_stats_sort(double *value, size_t n);

/** Sum with compensation: exact to the last place or two whatever the length. */
double pp_stats_sum(const double *value, size_t n);

double pp_stats_mean(const double *value, size_t n);

/** Standard deviation of the sample (divided by n - 1); NaN below two values. */
double pp_stats_deviation(const double *value, size_t n);

/** Type-7 quantile (Excel, NumPy, PresentMon): linear at h = p (n - 1). @p p from 0 to 1. */
double pp_quantile7(const double *sorted, size_t n, double p);

/** Type-8 quantile (MathNet, CapFrameX): linear at h = (n + 1/3) p + 1/3, counted from 1. @p p from 0 to 1.
 */
double pp_quantile8(const double *sorted, size_t n, double p);

/** pp_quantile7() at 0.5. */
double pp_median(const double *sorted, size_t n);

/** N / sum(t), never the mean of the frames' FPS. @p per_second: time units in a second (1e3 for ms, 1e9 for
 * ns). */
double pp_average_fps(const double *time, size_t n, double per_second);

/* Lows: the frame rate of the worst share of the frames. */

/**
 * The low of a definition.
 *
 * @param low        PP_STAT_LOW_MANGOHUD to PP_STAT_LOW_WORST_MEAN; others give NaN.
 * @param share      0.01 for "1 % low", 0.001 for "0.1 % low".
 * @param sorted     Frame times > 0.
 * @param per_second Time units in a second.
 * @return Frames per second.
 *
 * Source: the tools' own code (MangoHud logging, PresentMon metrics, CapFrameX with MathNet.Numerics'
 * quantiles, MSI Afterburner's integral as CapFrameX has it), checked by tests/counters/vectors/statistics.
 */
double pp_low_fps(enum pp_stat low, double share, const double *sorted, size_t n, double per_second);

/** Do @p n frames say anything about this share of them? They do if one whole frame is in it: 100 for 1 %,
 * 1000 for 0.1 %. Below, print "insufficient" instead of a number. */
bool pp_low_enough(double share, size_t n);

/* Stutter, jank, outliers. */

/** Frames over a limit, and the share of the whole time that they took. */
struct pp_stutter {
    size_t count;
    double count_percent;
    double time_percent;
};

/** CapFrameX's online rule: frames longer than @p factor (2.5) times the mean. */
void pp_stutter_mean(const double *time, size_t n, double factor, struct pp_stutter *ret);

/** CapFrameX's offline rule: frames longer than @p factor times the moving average, a trailing window of
 * round(10 sqrt(mean in ms)) frames that ends with the frame itself; at the start, those there are. */
void pp_stutter_moving(const double *time, size_t n, double factor, double per_second,
                       struct pp_stutter *ret);

/** Frames against a display of fixed period. */
struct pp_jank {
    size_t frames; /**< that missed at least one */
    size_t missed; /**< vertical syncs missed in all */
};

/** missed = max(0, ceil(t / period - 1e-9) - 1) a frame; @p period in the unit of @p time, > 0. */
void pp_jank(const double *time, size_t n, double period, struct pp_jank *ret);

/** Median and median absolute deviation, for robust outliers. */
struct pp_mad {
    double median, mad;
};

/**
 * Median and MAD.
 *
 * @param sorted  The sample.
 * @param scratch n doubles, overwritten.
 */
void pp_mad_of(const double *sorted, size_t n, double *scratch, struct pp_mad *ret);

/** Is this frame slower than the robust limit: 0.67449 (t - median) / MAD > k (3.5)? No frame is if MAD is 0.
 */
bool pp_mad_outlier(const struct pp_mad *mad, double time, double k);

/* Histograms. */

/** Bins of equal width: [lo + i width, lo + (i + 1) width). What lies outside is counted, not lost. */
struct pp_hist {
    double lo, width;
    size_t bins;
    uint64_t *count; /**< bins elements; the caller's */
    uint64_t underflow, overflow;
};

/** Add values to a histogram whose counts the caller has cleared. NaN counts as overflow. */
void pp_hist_add(struct pp_hist *hist, const double *value, size_t n);

/** Bins of a log-linear histogram with 2^k bins for every power of two: PP_LOGHIST_BINS(k). */
#define PP_LOGHIST_BINS(k) ((size_t)(65 - (k)) << (k))

/** Bin of a value: values below 2^(k+1) have a bin each; above, a bin is no wider than value / 2^k. @p k 0
 * to 16. */
size_t pp_loghist_bin(uint64_t value, unsigned k);

/** The smallest value of a bin. */
uint64_t pp_loghist_low(size_t bin, unsigned k);

/* The cost of the bracket itself. */

/** What empty brackets of one kind read. */
struct pp_bias {
    double minimum, median, iqr;
};

/** From the sorted readings of empty brackets, 101 or more. */
void pp_bias_of(const double *sorted, size_t n, struct pp_bias *ret);

/**
 * Take the bracket's own cost from a reading.
 *
 * @param brackets  Brackets inside the reading, itself included: 1 + its children.
 * @param ret_below Set: is the reading below median + 3 IQR, "below resolution"? May be NULL.
 * @return max(0, raw - brackets * median).
 */
double pp_bias_correct(const struct pp_bias *bias, double raw, uint64_t brackets, bool *ret_below);

#endif
