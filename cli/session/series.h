/** @file
 * A series: values of the rows of a file, in their order. A session may have tens of millions, so most take
 * four bytes. Knows no column. */
#ifndef PP_CLI_SESSION_SERIES_H
#define PP_CLI_SESSION_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How far a figure of a series may be wrong, from this run alone: half the width of its 95 % interval. NaN:
 * there are too few values. */
struct pp_spread {
    double p5_half, p50_half, p95_half, p99_half, mean_half;
    uint32_t block;  /**< this many neighbouring values depend on each other */
    bool correlated; /**< they depend on more values than a block may have: the interval is too narrow */
};

/** Values that were present, in the order of the rows. Begin with all zero; pp_series_finish(). */
struct pp_series {
    uint32_t *whole; /**< the values, while all are whole numbers below 2^32; owned */
    double *value;   /**< the values, from the first other one on; owned. NULL: they are in whole */
    size_t len, cap;
    double most, most_frame; /**< the largest value, and its frame (NaN: none); only where
                                there are values */
    struct pp_spread spread; /**< valid with `sorted` */
    bool sorted;             /**< the values are in ascending order (cli/analysis/accuracy.h) */
};

/** Add a number of a frame, if it is not NaN. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_series_add(struct pp_series *series, double value, double frame);

/** Append the values of another series. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_series_append(struct pp_series *series,
                                                         const struct pp_series *more);

/** Remove values. @param kept Called for each value with its index, in this order; false: remove it. */
void pp_series_filter(struct pp_series *series, bool (*kept)(void *data, size_t i), void *data);

/** A value. @param i Below series->len. */
static inline double
pp_series_at(const struct pp_series *series, size_t i)
{
    return series->value ? series->value[i] : (double)series->whole[i];
}

/** All values. @return By free(); NULL: no memory, or no values. */
double *pp_series_values(const struct pp_series *series);

/** Sort the values in ascending order. `sorted` and `spread` stay as they are. */
void pp_series_order(struct pp_series *series);

/** Type-7 quantile, as pp_quantile7(). The values are in ascending order. */
double pp_series_quantile7(const struct pp_series *series, double p);

/** The sum, as pp_stats_sum(). NaN: no memory. */
double pp_series_sum(const struct pp_series *series);

/** The mean, as pp_stats_mean(). NaN: no values, or no memory. */
double pp_series_mean(const struct pp_series *series);

/** Free the values. The series is empty afterwards. */
void pp_series_finish(struct pp_series *series);

#endif
