/** @file
 * Student's t and the beta distribution; see distributions.h. */
#include "counters/stats/distributions.h"

#include <math.h>

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
