/** @file
 * Two samples: shift, effect size, test, bootstrap. */
#include "counters/stats/stats_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"
#include "counters/util/random.h"

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

/* A sample prepared for many medians: the sorted values, and each measured value's place among them. A
 * resample is then a count for each place, and its median is found without sorting. */
struct sample {
    size_t n;
    double *sorted;
    uint32_t *place;
    uint32_t *count;
};

static void
sample_finish(struct sample *sample)
{
    free(sample->sorted);
    free(sample->place);
    free(sample->count);
}

static int
sample_init(struct sample *sample, const double *value, size_t n)
{
    *sample = (struct sample){.n = n};
    if (!n || n > UINT32_MAX)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        if (isnan(value[i]))
            return -EINVAL;
    }
    sample->sorted = malloc(n * sizeof(*sample->sorted));
    sample->place = malloc(n * sizeof(*sample->place));
    sample->count = malloc(n * sizeof(*sample->count));
    if (!sample->sorted || !sample->place || !sample->count)
        return -ENOMEM;
    memcpy(sample->sorted, value, n * sizeof(*value));
    pp_stats_sort(sample->sorted, n);
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = n - 1;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (sample->sorted[middle] < value[i])
                low = middle + 1;
            else
                high = middle;
        }
        sample->place[i] = (uint32_t)low;
    }
    return 0;
}

/* Median of one moving-block resample. */
static double
resampled_median(struct sample *sample, size_t block, uint64_t *random)
{
    size_t n = sample->n, drawn = 0;
    if (block > n)
        block = n;
    memset(sample->count, 0, n * sizeof(*sample->count));
    while (drawn < n) {
        const uint32_t *place = sample->place + pp_random_below(random, n - block + 1);
        size_t take = block < n - drawn ? block : n - drawn;
        for (size_t i = 0; i < take; i++)
            sample->count[place[i]]++;
        drawn += take;
    }
    size_t seen = 0, i = 0;
    while (seen + sample->count[i] <= (n - 1) / 2)
        seen += sample->count[i++];
    double low = sample->sorted[i];
    if (n % 2)
        return low;
    while (seen + sample->count[i] <= n / 2)
        seen += sample->count[i++];
    return low + 0.5 * (sample->sorted[i] - low);
}

int
pp_bootstrap_median_shift(const double *a, size_t na, const double *b, size_t nb,
                          const struct pp_bootstrap *how, struct pp_interval *ret)
{
    struct sample sa = {0}, sb = {0};
    double *replicate = NULL;
    int err = -EINVAL;
    if (!how->replicates || how->replicates > SIZE_MAX / sizeof(*replicate) || !how->block ||
        !(how->level >= 0 && how->level <= 1))
        return err;
    err = sample_init(&sa, a, na);
    if (!err)
        err = sample_init(&sb, b, nb);
    if (!err && !(replicate = malloc(how->replicates * sizeof(*replicate))))
        err = -ENOMEM;
    if (!err) {
        uint64_t random = how->seed;
        for (size_t i = 0; i < how->replicates; i++) {
            double median_a = resampled_median(&sa, how->block, &random);
            replicate[i] = resampled_median(&sb, how->block, &random) - median_a;
        }
        pp_stats_sort(replicate, how->replicates);
        ret->point = pp_median(sb.sorted, nb) - pp_median(sa.sorted, na);
        ret->low = pp_quantile7(replicate, how->replicates, (1 - how->level) / 2);
        ret->high = pp_quantile7(replicate, how->replicates, (1 + how->level) / 2);
    }
    free(replicate);
    sample_finish(&sa);
    sample_finish(&sb);
    return err;
}
