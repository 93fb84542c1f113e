/** @file
 * See series.h. Times are whole nanoseconds, and few are longer than four seconds. */
#include "cli/session/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"
#include "counters/util/grow_array.h"

/* With fewer values, qsort() is faster. */
#define RADIX_LEAST 512U
/* Bits of a digit of the radix sort, and its digits. */
#define DIGIT_BITS 11U
#define DIGITS     3U

/* Is this a value of pp_series.whole? -0.0 is none, because it would lose its sign. */
static bool
is_whole(double value)
{
    return value >= 0 && value <= UINT32_MAX && value <= (double)(uint32_t)value && !signbit(value);
}

/* Make place for this many values. */
static int
reserve(struct pp_series *series, size_t len)
{
    if (series->value)
        return pp_grow_large_array(&series->value, &series->cap, len, sizeof(*series->value));
    series->cap = series->whole ? series->cap : 0;
    return pp_grow_large_array(&series->whole, &series->cap, len, sizeof(*series->whole));
}

/* Let the series hold any numbers. */
static int
widen(struct pp_series *series)
{
    if (series->value)
        return 0;
    size_t cap = series->cap ? series->cap : 16;
    double *value = reallocarray(NULL, cap, sizeof(*value));
    if (!value)
        return -ENOMEM;
    for (size_t i = 0; i < series->len; i++)
        value[i] = series->whole[i];
    free(series->whole);
    series->whole = NULL;
    series->value = value;
    series->cap = cap;
    return 0;
}

int
pp_series_add(struct pp_series *series, double value, double frame)
{
    if (isnan(value))
        return 0;
    int rc = series->value || is_whole(value) ? 0 : widen(series);
    rc = rc ? rc : reserve(series, series->len + 1);
    if (rc)
        return rc;
    if (!series->len || value > series->most) {
        series->most = value;
        series->most_frame = frame >= 0 ? frame : (double)NAN;
    }
    if (series->value)
        series->value[series->len++] = value;
    else
        series->whole[series->len++] = (uint32_t)value;
    return 0;
}

int
pp_series_append(struct pp_series *series, const struct pp_series *more)
{
    int rc = !more->value ? 0 : widen(series);
    if (rc || !more->len)
        return rc;
    rc = reserve(series, series->len + more->len);
    if (rc)
        return rc;
    if (!series->len || more->most > series->most) {
        series->most = more->most;
        series->most_frame = more->most_frame;
    }
    for (size_t i = 0; i < more->len; i++, series->len++) {
        if (series->value)
            series->value[series->len] = pp_series_at(more, i);
        else if (series->whole && more->whole)
            series->whole[series->len] = more->whole[i];
    }
    return 0;
}

void
pp_series_filter(struct pp_series *series, bool (*kept)(void *data, size_t i), void *data)
{
    size_t len = 0;
    for (size_t i = 0; i < series->len; i++) {
        if (!kept(data, i))
            continue;
        if (series->value)
            series->value[len++] = series->value[i];
        else
            series->whole[len++] = series->whole[i];
    }
    series->len = len;
}

double *
pp_series_values(const struct pp_series *series)
{
    double *ret = series->len ? reallocarray(NULL, series->len, sizeof(*ret)) : NULL;
    for (size_t i = 0; ret && i < series->len; i++)
        ret[i] = pp_series_at(series, i);
    return ret;
}

static int
compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sort by one digit after the other, from the lowest on. @param other As much memory as the values have.
 * @return Where the sorted values are: @p value or @p other. */
static uint32_t *
radix_sort(uint32_t *value, uint32_t *other, size_t len)
{
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        size_t at[1U << DIGIT_BITS] = {0}, sum = 0;
        unsigned shift = digit * DIGIT_BITS, mask = (1U << DIGIT_BITS) - 1;
        for (size_t i = 0; i < len; i++)
            at[value[i] >> shift & mask]++;
        for (size_t i = 0; i <= mask; i++) {
            size_t count = at[i];
            at[i] = sum;
            sum += count;
        }
        for (size_t i = 0; i < len; i++)
            other[at[value[i] >> shift & mask]++] = value[i];
        uint32_t *was = value;
        value = other;
        other = was;
    }
    return value;
}

void
pp_series_order(struct pp_series *series)
{
    size_t len = series->len;
    uint32_t *other = series->value || len < RADIX_LEAST ? NULL : reallocarray(NULL, len, sizeof(*other));
    if (series->value) {
        pp_stats_sort(series->value, len);
    } else if (other) {
        uint32_t *sorted = radix_sort(series->whole, other, len);
        if (sorted != series->whole)
            memcpy(series->whole, sorted, len * sizeof(*sorted));
        free(other);
    } else if (len) {
        qsort(series->whole, len, sizeof(*series->whole), compare);
    }
}

double
pp_series_quantile7(const struct pp_series *series, double p)
{
    double part = 0;
    if (!series->len || isnan(p))
        return (double)NAN;
    size_t i = pp_quantile7_place(series->len, p, &part);
    double low = pp_series_at(series, i);
    return part > 0 ? low + part * (pp_series_at(series, i + 1) - low) : low;
}

double
pp_series_sum(const struct pp_series *series)
{
    double *value = pp_series_values(series);
    double ret = value ? pp_stats_sum(value, series->len) : series->len ? (double)NAN : 0;
    free(value);
    return ret;
}

double
pp_series_mean(const struct pp_series *series)
{
    return series->len ? pp_series_sum(series) / (double)series->len : (double)NAN;
}

void
pp_series_finish(struct pp_series *series)
{
    free(series->whole);
    free(series->value);
    *series = (struct pp_series){.len = 0};
}
