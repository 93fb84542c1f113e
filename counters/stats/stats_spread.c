/** @file
 * See stats_spread.h. */
#include "counters/stats/stats_spread.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "counters/stats/stats.h"

#define LEVEL 0.95

struct pp_run_spread
pp_run_spread_of(const double *value, size_t runs)
{
    struct pp_run_spread ret = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < runs; i++) {
        if (!isfinite(value[i]))
            continue;
        ret.runs++;
        sum += value[i];
        ret.least = fmin(ret.least, value[i]);
        ret.most = fmax(ret.most, value[i]);
    }
    if (!ret.runs)
        return ret;
    ret.mean = sum / (double)ret.runs;
    for (size_t i = 0; i < runs; i++)
        squares += isfinite(value[i]) ? (value[i] - ret.mean) * (value[i] - ret.mean) : 0;
    if (ret.runs < 2)
        return ret;
    double freedom = (double)(ret.runs - 1);
    ret.deviation = sqrt(squares / freedom);
    ret.half = pp_student_quantile(LEVEL, freedom) * ret.deviation / sqrt((double)ret.runs);
    if (ret.mean != 0) {
        ret.deviation_share = ret.deviation / fabs(ret.mean);
        ret.half_share = ret.half / fabs(ret.mean);
    }
    return ret;
}

/* Instead of infinitely many degrees of freedom of the prior. */
#define FREEDOM_MOST 1e6
/* The prior counts for at most this many times the comparison's own runs. With more, sides whose passes all
 * changed by chance in the same direction are called different too often. */
#define BORROW_MOST 3
/* Of the prior's degrees of freedom, this many count. Spreads of passes that differ have a longer tail than
 * the estimate takes them to have; where they do not differ, the limit above decides. */
#define FREEDOM_SHARE 0.5
/* A larger error is not explained by the prior with this probability. */
#define UNUSUAL 0.01

/* What all comparisons have in common: a squared error and its degrees of freedom. */
struct prior {
    double square, freedom;
};

static bool
takes_part(const struct pp_run_change *change)
{
    return change->verdict != PP_CHANGE_NO_VALUE && change->verdict != PP_CHANGE_FEW_RUNS &&
           change->logarithms && change->error > 0 && isfinite(change->freedom);
}

/* Derivative of log gamma: the recurrence up to 10, then the asymptotic series (DLMF 5.5.2, 5.11.2). */
static double
digamma(double x)
{
    double sum = 0;
    while (x < 10) {
        sum -= 1 / x;
        x += 1;
    }
    double r = 1 / (x * x);
    return sum + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240)));
}

/* The derivative of digamma (DLMF 5.15.5, 5.15.8). */
static double
trigamma(double x)
{
    double sum = 0;
    while (x < 10) {
        sum += 1 / (x * x);
        x += 1;
    }
    double r = 1 / (x * x);
    return sum + 1 / x + r / 2 + r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r / 30)));
}

/* The x with trigamma(x) = y, by bisection: trigamma falls. */
static double
trigamma_inverse(double y)
{
    double low = 1e-3, high = FREEDOM_MOST;
    while (high - low > 1e-9 * high) {
        double middle = sqrt(low * high);
        if (trigamma(middle) > y)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Smyth's moments of e = log(error^2) - digamma(f / 2) + log(f / 2): its mean is about log(s0), and its
 * variance that of chi square, trigamma(f / 2), and of the prior. @return Number of comparisons that take
 * part. */
static size_t
estimate(const struct pp_run_change *change, size_t n, struct prior *ret)
{
    double mean = 0, squares = 0, expected = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!takes_part(&change[i]))
            continue;
        double half = change[i].freedom / 2;
        double e = 2 * log(change[i].error) - digamma(half) + log(half), deviation = e - mean;
        count++;
        mean += deviation / (double)count;
        squares += deviation * (e - mean);
        expected += trigamma(half);
    }
    if (count < PP_SHARED_SPREAD_LEAST)
        return count;
    double excess = squares / (double)(count - 1) - expected / (double)count;
    double half = excess > 0 ? trigamma_inverse(excess) : FREEDOM_MOST / 2;
    *ret = (struct prior){.square = exp(mean + digamma(half) - log(half)), .freedom = 2 * half};
    return count;
}

/* Probability of an error at least as large, if the prior is right: the F distribution as incomplete beta
 * function. */
static double
explained(const struct prior *prior, double square, double freedom)
{
    double ratio = square / prior->square;
    return pp_beta_probability(prior->freedom / (prior->freedom + freedom * ratio), prior->freedom / 2,
                               freedom / 2);
}

void
pp_share_spread(struct pp_run_change *change, size_t n, const struct pp_change_rule *rule)
{
    struct prior prior;
    if (estimate(change, n, &prior) < PP_SHARED_SPREAD_LEAST)
        return;
    for (size_t i = 0; i < n; i++) {
        double square = change[i].error * change[i].error, freedom = change[i].freedom;
        if (!takes_part(&change[i]) || explained(&prior, square, freedom) < UNUSUAL)
            continue;
        double borrowed = fmin(FREEDOM_SHARE * prior.freedom, BORROW_MOST * freedom),
               both = borrowed + freedom;
        pp_change_take_error(&change[i], sqrt((borrowed * prior.square + freedom * square) / both), both,
                             rule);
    }
}

/* The median of sorted numbers without one of them. @param n Numbers; 2 or more. @param without One of the
 * numbers; NaN: with all of them. */
static double
median_without(const double *sorted, size_t n, double without)
{
    size_t at = 0, end = n;
    if (isnan(without))
        return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    while (at < end) {
        size_t middle = at + (end - at) / 2;
        if (sorted[middle] < without)
            at = middle + 1;
        else
            end = middle;
    }
    const size_t left = n - 1, high = left / 2, low = left % 2 ? high : high - 1;
    return (sorted[low + (low >= at)] + sorted[high + (high >= at)]) / 2;
}

/* The logarithms of a series, without their mean; NaN: missing. @return Can the series say something of a
 * run?
 */
static bool
around_mean(const double *value, size_t runs, double *ret)
{
    double sum = 0;
    size_t known = 0;
    for (size_t r = 0; r < runs; r++) {
        if (value[r] <= 0)
            return false;
        ret[r] = log(value[r]);
        known += isfinite(ret[r]) ? 1 : 0;
        sum += isfinite(ret[r]) ? ret[r] : 0;
    }
    for (size_t r = 0; r < runs; r++)
        ret[r] = isfinite(ret[r]) ? ret[r] - sum / (double)known : (double)NAN;
    return known > 0;
}

int
pp_leave_common_out(const double *value, size_t series, size_t runs, double *ret_value, double *ret_factor)
{
    double *around = calloc(series * runs + 1, sizeof(*around));
    double *sorted = calloc(series + 1, sizeof(*sorted));
    int rc = around && sorted ? 0 : -ENOMEM;
    for (size_t s = 0; rc == 0 && s < series; s++)
        if (!around_mean(&value[s * runs], runs, &around[s * runs]))
            for (size_t r = 0; r < runs; r++)
                around[s * runs + r] = (double)NAN;
    for (size_t r = 0; rc == 0 && r < runs; r++) {
        size_t known = 0;
        for (size_t s = 0; s < series; s++)
            if (!isnan(around[s * runs + r]))
                sorted[known++] = around[s * runs + r];
        pp_stats_sort(sorted, known);
        ret_factor[r] =
            known > PP_COMMON_LEAST ? exp(median_without(sorted, known, (double)NAN)) : (double)NAN;
        for (size_t s = 0; s < series; s++) {
            double own = around[s * runs + r];
            bool enough = known >= PP_COMMON_LEAST + !isnan(own);
            ret_value[s * runs + r] =
                enough ? value[s * runs + r] / exp(median_without(sorted, known, own)) : (double)NAN;
        }
    }
    free(around);
    free(sorted);
    return rc;
}

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
