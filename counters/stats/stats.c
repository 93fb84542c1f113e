/** @file
 * See stats.h. Sums, quantiles, lows.
 *
 * Bins of log-linear histograms; */
#include "counters/stats/stats.h"

#include <math.h>
#include <stdlib.h>

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return (isnan(x) ? 1 : 0) - (isnan(y) ? 1 : 0);
    return (x > y) - (x < y);
}

void
pp_stats_sort(double *value, size_t n)
{
    if (n > 1)
        qsort(value, n, sizeof(*value), compare);
}

/* Neumaier's variant of Kahan's sum. It is also right when a term is larger than the sum so far. */
double
pp_stats_sum(const double *value, size_t n)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        double next = sum + value[i];
        lost += fabs(sum) >= fabs(value[i]) ? (sum - next) + value[i] : (value[i] - next) + sum;
        sum = next;
    }
    return isfinite(lost) ? sum + lost : sum;
}

double
pp_stats_mean(const double *value, size_t n)
{
    return n ? pp_stats_sum(value, n) / (double)n : NAN;
}

size_t
pp_quantile7_place(size_t n, double p, double *ret_part)
{
    double h = fmin(fmax(p, 0), 1) * (double)(n - 1);
    size_t i = (size_t)h;
    *ret_part = i + 1 < n ? h - (double)i : 0;
    return i + 1 < n ? i : n - 1;
}

double
pp_quantile7(const double *sorted, size_t n, double p)
{
    double part = 0;
    if (!n || isnan(p))
        return NAN;
    size_t i = pp_quantile7_place(n, p, &part);
    return part > 0 ? sorted[i] + part * (sorted[i + 1] - sorted[i]) : sorted[i];
}

/* get(i) of an array that is read forwards, or backwards as rates. */
static double
quantile8(const double *sorted, size_t n, double p, double rate)
{
    if (!n || isnan(p))
        return NAN;
    double h = ((double)n + 1.0 / 3) * p + 1.0 / 3;
    size_t low = h < 1 ? 0 : h >= (double)n ? n - 1 : (size_t)h - 1;
    size_t high = h < 1 || h >= (double)n ? low : low + 1;
    double at = rate != 0 ? rate / sorted[n - 1 - low] : sorted[low];
    if (high == low)
        return at;
    double next = rate != 0 ? rate / sorted[n - 1 - high] : sorted[high];
    return at + (h - (double)(low + 1)) * (next - at);
}

double
pp_quantile8(const double *sorted, size_t n, double p)
{
    return quantile8(sorted, n, p, 0);
}

double
pp_median(const double *sorted, size_t n)
{
    return pp_quantile7(sorted, n, 0.5);
}

double
pp_average_fps(const double *time, size_t n, double per_second)
{
    return n ? per_second * (double)n / pp_stats_sum(time, n) : NAN;
}

static double
low_mangohud(double share, const double *sorted, size_t n, double per_second)
{
    float index = (float)share * (float)n - 1.0F;
    size_t i = index > 0 ? (size_t)index : 0;
    return per_second / sorted[n - 1 - (i < n ? i : n - 1)];
}

static double
low_average(double share, const double *sorted, size_t n, double per_second)
{
    double limit = pp_quantile8(sorted, n, 1 - share);
    size_t first = n;
    while (first > 0 && sorted[first - 1] >= limit)
        first--;
    return per_second / pp_stats_mean(sorted + first, n - first);
}

static double
low_integral(double share, const double *sorted, size_t n, double per_second)
{
    double limit = share * pp_stats_sum(sorted, n), sum = 0;
    size_t i = n;
    do {
        sum += sorted[--i];
    } while (i > 0 && sum < limit);
    return per_second / sorted[i];
}

static double
low_worst_mean(double share, const double *sorted, size_t n, double per_second)
{
    /* 0.01 is not a hundredth: without the 1e-9, 0.29 * 100 frames would be 28. */
    double worst = share * (double)n + 1e-9;
    size_t k = worst < 1 ? 1 : worst >= (double)n ? n : (size_t)worst;
    return per_second / pp_stats_mean(sorted + (n - k), k);
}

double
pp_low_fps(enum pp_low low, double share, const double *sorted, size_t n, double per_second)
{
    typedef double low_fn(double, const double *, size_t, double);
    static low_fn *const by_list[PP_LOW_COUNT] = {
        [PP_LOW_MANGOHUD] = low_mangohud,
        [PP_LOW_CAPFRAMEX_AVERAGE] = low_average,
        [PP_LOW_INTEGRAL] = low_integral,
        [PP_LOW_WORST_MEAN] = low_worst_mean,
    };
    if (!n || !(share >= 0 && share <= 1))
        return NAN;
    if (low == PP_LOW_PRESENTMON)
        return per_second / pp_quantile7(sorted, n, 1 - share);
    if (low == PP_LOW_CAPFRAMEX_P)
        return quantile8(sorted, n, share, per_second);
    if ((unsigned)low >= PP_LOW_COUNT || !by_list[low])
        return NAN;
    return by_list[low](share, sorted, n, per_second);
}

bool
pp_low_enough(double share, size_t n)
{
    return share * (double)n >= 1 - 1e-9;
}

size_t
pp_log_histogram_bin(uint64_t value, unsigned k)
{
    unsigned exponent = 0;
    if (value >> k)
        exponent = 63 - (unsigned)__builtin_clzll(value) - k;
    return ((size_t)exponent << k) + (size_t)(value >> exponent);
}

uint64_t
pp_log_histogram_low(size_t bin, unsigned k)
{
    size_t octave = bin >> k;
    if (octave < 2)
        return bin;
    return (((uint64_t)1 << k) + (bin & (((size_t)1 << k) - 1))) << (octave - 1);
}
