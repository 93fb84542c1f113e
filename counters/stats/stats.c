/** @file
 * See stats.h. */
#include "counters/stats/stats.h"

#include <math.h>
#include <stdlib.h>

int
pp_compare_numbers(const void *a, const void *b)
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
        qsort(value, n, sizeof(*value), pp_compare_numbers);
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

/* Student's t and the beta distribution. */

/* Below this, a value of the continued fraction counts as 0 and is replaced: Lentz's method divides by it. */
#define TINY 1e-300
/* The continued fraction needs about sqrt(max(a, b)) terms where it is used. */
#define TERMS_MOST 100000

/* lgamma() writes the global signgam; lgamma_r() does not. */
static double
log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double
not_tiny(double x)
{
    return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction 1 / (1 + d1 / (1 + d2 / (1 + ...))) of DLMF 8.17.22. */
static double
beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / not_tiny(1 - (a + b) * x / (a + 1)), fraction = d;
    for (int m = 1; m < TERMS_MOST; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / not_tiny(1 + even * d);
        c = not_tiny(1 + even / c);
        fraction *= c * d;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / not_tiny(1 + odd * d);
        c = not_tiny(1 + odd / c);
        fraction *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return fraction;
}

/* I_x(a, b), where both x and y = 1 - x are given: the smaller of them keeps its digits. */
static double
beta_of(double x, double y, double a, double b)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(y, b, a) / b;
}

double
pp_beta_probability(double x, double a, double b)
{
    if (isnan(x) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b))
        return NAN;
    return beta_of(x, 1 - x, a, b);
}

double
pp_beta_quantile(double p, double a, double b)
{
    if (isnan(p) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b))
        return NAN;
    if (p <= 0)
        return 0;
    if (p >= 1)
        return 1;
    double low = 0, high = 1;
    for (;;) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            return middle;
        if (beta_of(middle, 1 - middle, a, b) < p)
            low = middle;
        else
            high = middle;
    }
}

double
pp_student_two_sided(double t, double freedom)
{
    if (isnan(t) || !(freedom > 0))
        return NAN;
    if (isinf(t))
        return 0;
    if (isinf(freedom))
        return erfc(fabs(t) / sqrt(2));
    double square = t * t, sum = freedom + square;
    return beta_of(freedom / sum, square / sum, freedom / 2, 0.5);
}

double
pp_student_quantile(double level, double freedom)
{
    if (!(level >= 0 && level < 1) || !(freedom > 0))
        return NAN;
    double low = 0, high = 1, p = 1 - level;
    while (pp_student_two_sided(high, freedom) > p && high < 1e150)
        high *= 2;
    for (;;) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high || high - low <= 1e-14 * high)
            return middle;
        if (pp_student_two_sided(middle, freedom) > p)
            low = middle;
        else
            high = middle;
    }
}
