/** @file
 * Moving-block bootstrap; see bootstrap.h. */
#include "counters/stats/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/within_run.h"
#include "counters/util/random.h"

/* A series prepared for many quantiles or means: the sorted values, and each measured value's place among
 * them. A resample is then a count for each place, and its quantile is found without sorting. Sums of the
 * first i values give the sum of a block at once. */
struct sample {
    size_t n, block;
    double *sorted;
    double *sum; /* n + 1 of them */
    uint32_t *place;
    uint32_t *count;
};

static void
sample_finish(struct sample *sample)
{
    free(sample->sorted);
    free(sample->sum);
    free(sample->place);
    free(sample->count);
}

/* Index of the first of the sorted values that is not below @p value. */
static size_t
place_of(const double *sorted, size_t n, double value)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int
sample_init(struct sample *sample, const double *value, size_t n, size_t block)
{
    *sample = (struct sample){.n = n};
    if (!n || n > UINT32_MAX)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        if (isnan(value[i]))
            return -EINVAL;
    }
    sample->block = block ? block : pp_block_length(value, n).length;
    if (sample->block > n)
        sample->block = n;
    sample->sorted = malloc(n * sizeof(*sample->sorted));
    sample->sum = malloc((n + 1) * sizeof(*sample->sum));
    sample->place = malloc(n * sizeof(*sample->place));
    sample->count = malloc(n * sizeof(*sample->count));
    if (!sample->sorted || !sample->sum || !sample->place || !sample->count)
        return -ENOMEM;
    memcpy(sample->sorted, value, n * sizeof(*value));
    pp_stats_sort(sample->sorted, n);
    sample->sum[0] = 0;
    for (size_t i = 0; i < n; i++) {
        sample->place[i] = (uint32_t)place_of(sample->sorted, n, value[i]);
        sample->sum[i + 1] = sample->sum[i] + value[i];
    }
    return 0;
}

/* The type-7 quantile of a resample that is given as counts. */
static double
quantile_of_counts(const struct sample *sample, double p)
{
    double h = p * (double)(sample->n - 1);
    size_t at = (size_t)h, i = 0, seen = 0;
    while (seen + sample->count[i] <= at)
        seen += sample->count[i++];
    double low = sample->sorted[i];
    if (at + 1 >= sample->n)
        return low;
    while (seen + sample->count[i] <= at + 1)
        seen += sample->count[i++];
    return low + (h - (double)at) * (sample->sorted[i] - low);
}

/* The mean, or a quantile, of one moving-block resample. */
static double
resampled(struct sample *sample, double quantile, uint64_t *random)
{
    size_t n = sample->n, drawn = 0;
    double sum = 0;
    memset(sample->count, 0, n * sizeof(*sample->count));
    while (drawn < n) {
        size_t start = (size_t)pp_random_below(random, n - sample->block + 1);
        size_t take = sample->block < n - drawn ? sample->block : n - drawn;
        if (isnan(quantile))
            sum += sample->sum[start + take] - sample->sum[start];
        else
            for (size_t i = 0; i < take; i++)
                sample->count[sample->place[start + i]]++;
        drawn += take;
    }
    return isnan(quantile) ? sum / (double)n : quantile_of_counts(sample, quantile);
}

static double
figure_of(const struct sample *sample, double quantile)
{
    return isnan(quantile) ? pp_stats_mean(sample->sorted, sample->n)
                           : pp_quantile7(sample->sorted, sample->n, quantile);
}

static int
check(const struct pp_bootstrap *how)
{
    bool quantile = isnan(how->quantile) || (how->quantile >= 0 && how->quantile <= 1);
    bool replicates = how->replicates && how->replicates <= SIZE_MAX / sizeof(double);
    return replicates && quantile && how->level >= 0 && how->level <= 1 ? 0 : -EINVAL;
}

static void
interval_of(double *replicate, const struct pp_bootstrap *how, double point, struct pp_interval *ret)
{
    pp_stats_sort(replicate, how->replicates);
    ret->point = point;
    ret->low = pp_quantile7(replicate, how->replicates, (1 - how->level) / 2);
    ret->high = pp_quantile7(replicate, how->replicates, (1 + how->level) / 2);
}

int
pp_bootstrap_one(const double *value, size_t n, const struct pp_bootstrap *how, struct pp_interval *ret)
{
    struct sample sample = {0};
    double *replicate = NULL;
    int err = check(how);
    if (err)
        return err;
    err = sample_init(&sample, value, n, how->block);
    if (!err && !(replicate = malloc(how->replicates * sizeof(*replicate))))
        err = -ENOMEM;
    if (!err) {
        uint64_t random = how->seed;
        for (size_t i = 0; i < how->replicates; i++)
            replicate[i] = resampled(&sample, how->quantile, &random);
        interval_of(replicate, how, figure_of(&sample, how->quantile), ret);
    }
    free(replicate);
    sample_finish(&sample);
    return err;
}

int
pp_bootstrap_shift(const double *a, size_t na, const double *b, size_t nb, const struct pp_bootstrap *how,
                   struct pp_interval *ret)
{
    struct sample sa = {0}, sb = {0};
    double *replicate = NULL, q = how->quantile;
    int err = check(how);
    if (err)
        return err;
    err = sample_init(&sa, a, na, how->block);
    if (!err)
        err = sample_init(&sb, b, nb, how->block);
    if (!err && !(replicate = malloc(how->replicates * sizeof(*replicate))))
        err = -ENOMEM;
    if (!err) {
        uint64_t random = how->seed;
        for (size_t i = 0; i < how->replicates; i++) {
            double of_a = resampled(&sa, q, &random);
            replicate[i] = resampled(&sb, q, &random) - of_a;
        }
        interval_of(replicate, how, figure_of(&sb, q) - figure_of(&sa, q), ret);
    }
    free(replicate);
    sample_finish(&sa);
    sample_finish(&sb);
    return err;
}
