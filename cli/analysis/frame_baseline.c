/** @file
 * See frame_baseline.h. */
#include "cli/analysis/frame_baseline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "counters/stats/stats.h"

/* The median of fewer values means nothing. */
#define FEW_NEIGHBOURS 10U

/* The four limits that a slow frame exceeds. The first: times the neighbours' median. */
#define SLOW_FACTOR 1.75
/* The second: standard deviations of the logarithm of their times; 1 of 300,000 normal values exceeds it. */
#define SLOW_SIGMAS 4.5
/* The second limit is at most this many times the median: times with two peaks have a large deviation. */
#define SLOW_FACTOR_MOST 8.0
/* Where the second limit is above this many times the median, it is at most this many times what all but a
 * few neighbours do not exceed. */
#define SLOW_FACTOR_WIDE 6.0
#define SLOW_OVER_FEW    2.0
#define SLOW_FEW         4U
/* The third: times what nine tenths of them do not reach, because a common time is no stutter. */
#define SLOW_OVER_P90 1.5
/* The fourth: above the median. A person can notice it. */
#define SLOW_LEAST_NS 2e6

/* The median distance from the median of a normal distribution, in standard deviations, is 1 / this. */
#define MAD_TO_SIGMA 1.4826

int
pp_frame_series_make(const struct pp_saved_session *rec, const struct pp_frame_table *table, size_t surface,
                     size_t level, double also, struct pp_frame_series *ret)
{
    *ret = (struct pp_frame_series){.table = table};
    ret->row = calloc(table->len + 1, sizeof(*ret->row));
    if (!ret->row)
        return -ENOMEM;
    for (size_t i = 0; i < table->len; i++) {
        const struct pp_saved_frame *row = &table->row[i];
        bool wanted = row->number >= also && row->number <= also;
        if (!row->outside && row->surface == surface && row->level == level &&
            (wanted || !pp_saved_is_first(rec, row->number)))
            ret->row[ret->len++] = (uint32_t)i;
    }
    return 0;
}

void
pp_frame_series_finish(struct pp_frame_series *series)
{
    free(series->row);
    *series = (struct pp_frame_series){.len = 0};
}

void
pp_baseline_neighbours(const struct pp_frame_series *series, size_t block, size_t *ret_from, size_t *ret_to)
{
    size_t to = (block + 3) * PP_BASELINE_BLOCK;
    *ret_from = block > 2 ? (block - 2) * PP_BASELINE_BLOCK : 0;
    *ret_to = to < series->len ? to : series->len;
}

static double
cell(const struct pp_frame_series *series, size_t i, size_t column)
{
    return pp_frame_cell(series->table, &series->table->row[series->row[i]], column);
}

/* The median distance of sorted values from @p middle. @param value Overwritten. */
static double
spread(double *value, size_t n, double middle)
{
    for (size_t i = 0; i < n; i++)
        value[i] = fabs(value[i] - middle);
    pp_stats_sort(value, n);
    return pp_median(value, n);
}

struct pp_baseline
pp_baseline_of_block(const struct pp_frame_series *series, size_t block)
{
    double value[PP_NEIGHBOURS_MAX];
    size_t from = 0, to = 0, n = 0;
    pp_baseline_neighbours(series, block, &from, &to);
    for (size_t i = from; i < to; i++) {
        double time = cell(series, i, PP_CELL_FRAME_TIME);
        if (time > 0)
            value[n++] = time;
    }
    return pp_baseline_of_times(value, n);
}

struct pp_baseline
pp_baseline_of_times(double *value, size_t n)
{
    if (n < FEW_NEIGHBOURS)
        return (struct pp_baseline){
            .usual_ns = (double)NAN, .slow_ns = (double)NAN, .common_ns = (double)NAN};
    pp_stats_sort(value, n);
    double usual = pp_median(value, n);
    double common = pp_quantile7(value, n, 0.9);
    double few = SLOW_OVER_FEW * value[n - 1 - SLOW_FEW];
    for (size_t i = 0; i < n; i++)
        value[i] = log(value[i]);
    double spread_factor = exp(SLOW_SIGMAS * MAD_TO_SIGMA * spread(value, n, log(usual)));
    double spread_ns = usual * fmin(SLOW_FACTOR_MOST, spread_factor);
    spread_ns = spread_factor > SLOW_FACTOR_WIDE ? fmin(few, spread_ns) : spread_ns;
    const double limit[] = {[PP_SLOW_FACTOR] = usual * SLOW_FACTOR,
                            [PP_SLOW_SPREAD] = spread_ns,
                            [PP_SLOW_COMMON] = SLOW_OVER_P90 * common,
                            [PP_SLOW_LEAST] = usual + SLOW_LEAST_NS};
    struct pp_baseline ret = {.usual_ns = usual, .slow_ns = limit[0], .common_ns = common};
    for (size_t i = 1; i < sizeof(limit) / sizeof(*limit); i++)
        if (limit[i] > ret.slow_ns) {
            ret.slow_ns = limit[i];
            ret.rule = (enum pp_slow_rule)i;
        }
    return ret;
}

double
pp_baseline_usual(const struct pp_frame_series *series, size_t i, size_t column, double *ret_spread)
{
    double value[PP_NEIGHBOURS_MAX];
    size_t from = 0, to = 0, n = 0;
    pp_baseline_neighbours(series, i / PP_BASELINE_BLOCK, &from, &to);
    for (size_t j = from; j < to; j++) {
        double number = cell(series, j, column);
        if (j != i && !isnan(number))
            value[n++] = number;
    }
    if (n < FEW_NEIGHBOURS)
        return (double)NAN;
    pp_stats_sort(value, n);
    double median = pp_median(value, n);
    if (ret_spread)
        *ret_spread = spread(value, n, median);
    return median;
}
