/** @file
 * Blocks and intervals within a run; see within_run.h. */
#include "counters/stats/within_run.h"

#include <math.h>

#include "counters/stats/distributions.h"

#define BLOCK_LEAST 10U
/* A series has this many blocks or more, where it is long enough. */
#define BLOCKS_LEAST 10U
/* Bounds of the time that the autocorrelation takes: lags, and values that are looked at. */
#define LAGS_MOST   500U
#define VALUES_MOST 20000U

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
    return n > LAGS_MOST ? LAGS_MOST : n;
}

struct pp_block
pp_block_length(const double *value, size_t n)
{
    size_t wanted = 2 * first_small_lag(value, n < VALUES_MOST ? n : VALUES_MOST), most = n / BLOCKS_LEAST;
    size_t length = wanted > BLOCK_LEAST ? wanted : BLOCK_LEAST;
    bool correlated = wanted > 2 && (wanted > most || wanted / 2 >= LAGS_MOST);
    length = length < most ? length : most;
    return (struct pp_block){.length = length ? length : 1, .too_correlated = correlated};
}

/* Half the interval of the mean of the values, or of the share of values that are at most @p limit. */
static double
half_width(const double *value, size_t n, const double *limit, size_t block, double level)
{
    size_t blocks = block ? n / block : 0;
    double mean = 0, squares = 0;
    if (blocks < 2)
        return NAN;
    for (size_t b = 0; b < blocks; b++) {
        double sum = 0;
        for (size_t i = b * block; i < (b + 1) * block; i++)
            sum += !limit ? value[i] : value[i] <= *limit ? 1 : 0;
        double deviation = sum / (double)block - mean;
        mean += deviation / (double)(b + 1);
        squares += deviation * (sum / (double)block - mean);
    }
    double freedom = (double)(blocks - 1);
    return pp_student_quantile(level, freedom) * sqrt(squares / freedom / (double)blocks);
}

double
pp_mean_half_width(const double *value, size_t n, size_t block, double level)
{
    return half_width(value, n, NULL, block, level);
}

struct pp_interval
pp_quantile_interval(const double *value, const double *sorted, size_t n, double p, size_t block,
                     double level)
{
    double point = pp_quantile7(sorted, n, p), half = half_width(value, n, &point, block, level);
    return (struct pp_interval){
        .point = point, .low = pp_quantile7(sorted, n, p - half), .high = pp_quantile7(sorted, n, p + half)};
}
