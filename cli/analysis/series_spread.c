/** @file
 * See series_spread.h. */
#include "cli/analysis/series_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"

#define BLOCK_LEAST 10U
#define BLOCKS      10U    /* at least, where the series is long enough */
#define LAGS_MOST   500U   /* blocks are no longer than twice this */
#define LOOK_MOST   20000U /* values whose autocorrelation is computed */

/* The first lag at which the autocorrelation is small; LAGS_MOST: none is. */
static size_t
first_small_lag(const double *value, size_t n)
{
    double mean = pp_stats_mean(value, n), all = 0, limit = 2 / sqrt((double)n);
    for (size_t i = 0; i < n; i++)
        all += (value[i] - mean) * (value[i] - mean);
    for (size_t lag = 1; lag < LAGS_MOST && lag < n; lag++) {
        double sum = 0;
        for (size_t i = lag; i < n; i++)
            sum += (value[i] - mean) * (value[i - lag] - mean);
        if (!(all > 0) || fabs(sum / all) < limit)
            return lag;
    }
    return LAGS_MOST;
}

/* How many neighbouring values depend on each other. */
static size_t
block_length(const double *value, size_t n, bool *ret_correlated)
{
    size_t wanted = 2 * first_small_lag(value, n < LOOK_MOST ? n : LOOK_MOST);
    size_t block = wanted > BLOCK_LEAST ? wanted : BLOCK_LEAST;
    *ret_correlated = wanted > n / BLOCKS && wanted > 2;
    return block < n / BLOCKS ? block : n / BLOCKS;
}

/* The 97.5 % quantile of Student's t, to three places from 5 degrees of freedom on (Cornish and Fisher). */
static double
student(double freedom)
{
    const double z = 1.959963984540054, z3 = z * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

/* Half of the interval of the mean of what the blocks' values are. @param most NaN: the values themselves;
 * else 1 for each value up to it, and 0 for the others. */
static double
half_of_mean(const double *value, size_t n, size_t block, double most)
{
    size_t blocks = n / block;
    double mean = 0, squares = 0;
    for (size_t b = 0; b < blocks; b++) {
        double sum = 0;
        for (size_t i = b * block; i < (b + 1) * block; i++)
            sum += isnan(most) ? value[i] : value[i] <= most;
        double delta = sum / (double)block - mean;
        mean += delta / (double)(b + 1);
        squares += delta * (sum / (double)block - mean);
    }
    double error = sqrt(squares / (double)(blocks - 1) / (double)blocks);
    return student((double)(blocks - 1)) * error;
}

/* Half of the interval of the median: the share of values up to the median has an interval, whose ends are
 * quantiles. */
static double
half_of_median(const double *value, const double *sorted, size_t n, size_t block)
{
    double half = half_of_mean(value, n, block, pp_median(sorted, n));
    double low = pp_quantile7(sorted, n, fmax(0, 0.5 - half));
    double high = pp_quantile7(sorted, n, fmin(1, 0.5 + half));
    return (high - low) / 2;
}

void
pp_series_sort(struct pp_series *series)
{
    size_t n = series->len;
    if (series->sorted)
        return;
    struct pp_spread spread = {.median_half = (double)NAN, .mean_half = (double)NAN};
    double *given = n < PP_SPREAD_LEAST ? NULL : malloc(n * sizeof(*given)); /* in the order of the rows */
    if (given)
        memcpy(given, series->value, n * sizeof(*given));
    pp_stats_sort(series->value, n);
    if (given) {
        size_t block = block_length(given, n, &spread.correlated);
        spread.block = (uint32_t)block;
        spread.mean_half = half_of_mean(given, n, block, (double)NAN);
        spread.median_half = half_of_median(given, series->value, n, block);
    }
    free(given);
    series->spread = spread;
    series->sorted = true;
}
