/** @file
 * Two samples: shift, effect size, test. */
#include "counters/stats/stats_compare.h"

#include <math.h>
#include <string.h>

/* Doubles as integers of the same order, so that bisection takes 64 steps whatever the range. */
static uint64_t
order_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double
double_of(uint64_t order)
{
    uint64_t bits = order >> 63 ? order & ~((uint64_t)1 << 63) : ~order;
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Differences b - a that are <= limit. Rounding is monotonic, so for a growing a the number of b's grows. */
static uint64_t
differences_up_to(const double *a, size_t na, const double *b, size_t nb, double limit)
{
    uint64_t count = 0;
    size_t j = 0;
    for (size_t i = 0; i < na; i++) {
        while (j < nb && b[j] - a[i] <= limit)
            j++;
        count += j;
    }
    return count;
}

/* The k-th smallest difference, from 0. */
static double
difference_at(const double *a, size_t na, const double *b, size_t nb, uint64_t k)
{
    uint64_t low = order_of(b[0] - a[na - 1]), high = order_of(b[nb - 1] - a[0]);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (differences_up_to(a, na, b, nb, double_of(middle)) > k)
            high = middle;
        else
            low = middle + 1;
    }
    return double_of(low);
}

double
pp_hodges_lehmann(const double *sorted_a, size_t na, const double *sorted_b, size_t nb)
{
    if (!na || !nb || isnan(sorted_a[na - 1]) || isnan(sorted_b[nb - 1]))
        return NAN;
    uint64_t pairs = (uint64_t)na * nb;
    double low = difference_at(sorted_a, na, sorted_b, nb, (pairs - 1) / 2);
    if (pairs % 2)
        return low;
    return low + 0.5 * (difference_at(sorted_a, na, sorted_b, nb, pairs / 2) - low);
}

/* Twice the pairs with a > b plus the ties; and the sum of t^3 - t over groups of equal values of both. */
static double
twice_u1(const double *a, size_t na, const double *b, size_t nb, double *ret_ties)
{
    double twice = 0, ties = 0;
    size_t i = 0, j = 0;
    while (i < na || j < nb) {
        double x = j == nb || (i < na && a[i] <= b[j]) ? a[i] : b[j];
        size_t i0 = i, j0 = j;
        while (i < na && a[i] <= x)
            i++;
        while (j < nb && b[j] <= x)
            j++;
        twice += (double)(i - i0) * ((double)j0 + (double)j);
        double t = (double)(i - i0) + (double)(j - j0);
        ties += t * t * t - t;
    }
    *ret_ties = ties;
    return twice;
}

void
pp_mann_whitney(const double *sorted_a, size_t na, const double *sorted_b, size_t nb,
                struct pp_mann_whitney *ret)
{
    *ret = (struct pp_mann_whitney){NAN, NAN, NAN, NAN};
    if (!na || !nb || isnan(sorted_a[na - 1]) || isnan(sorted_b[nb - 1]))
        return;
    double ties, pairs = (double)na * (double)nb, n = (double)na + (double)nb;
    ret->u1 = twice_u1(sorted_a, na, sorted_b, nb, &ties) / 2;
    ret->cliffs_delta = 2 * ret->u1 / pairs - 1;
    double variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
    double distance = fabs(ret->u1 - pairs / 2) - 0.5;
    ret->z = variance > 0 && distance > 0 ? distance / sqrt(variance) : 0;
    ret->p_two_sided = erfc(ret->z / sqrt(2));
}
