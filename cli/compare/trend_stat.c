/** @file
 * See trend_stat.h. */
#include "cli/compare/trend_stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cli/compare/diff_build.h"
#include "cli/compare/diff_steady.h"
#include "counters/stats/stats.h"

/* Fewer neighbours say little about the spread. */
#define NEIGHBOURS_LEAST 5U
/* A standard deviation is this many times the median size of normal numbers. */
#define DEVIATIONS 1.4826

/* The median of a point's runs; NaN: they lack it. @param work As many numbers as the point has runs. */
static double
median_of(const struct pp_diff_side *runs, enum pp_time_kind kind, enum pp_diff_stat stat, double *work)
{
    size_t n = 0;
    for (size_t r = 0; r < runs->runs; r++) {
        double value = pp_diff_stat_of(&runs->run[r].surface[0].plain.time[kind], stat).value;
        if (value > 0)
            work[n++] = value;
    }
    pp_stats_sort(work, n);
    return pp_median(work, n);
}

/* The spread of neighbouring points, which a few changes of the level do not change. @param work A number for
 * each point, and one for each run of a point. */
static double
spread_of(const struct pp_trend_points *points, enum pp_time_kind kind, enum pp_diff_stat stat, double *work)
{
    double *size = work, *of_runs = work + points->len, before = NAN;
    size_t n = 0;
    for (size_t i = 0; i < points->len; i++) {
        double value = log(median_of(&points->point[i].runs, kind, stat, of_runs));
        if (isfinite(value - before))
            size[n++] = fabs(value - before);
        if (isfinite(value))
            before = value;
    }
    pp_stats_sort(size, n);
    return n < NEIGHBOURS_LEAST ? (double)NAN : DEVIATIONS * pp_median(size, n) / sqrt(2);
}

int
pp_trend_stat_choose(const struct pp_trend_points *points, const struct pp_diff_options *options,
                     struct pp_trend_stat *ret)
{
    struct pp_trend_stat chosen = {
        .stat = options->stat, .p50_spread = (double)NAN, .p5_spread = (double)NAN};
    size_t most_runs = 0;
    if (!options->choose_stat || options->metric || !points->len) {
        *ret = chosen;
        return 0;
    }
    for (size_t i = 0; i < points->len; i++)
        most_runs = points->point[i].runs.runs > most_runs ? points->point[i].runs.runs : most_runs;
    double *work = calloc(points->len + most_runs + 1, sizeof(*work));
    if (!work)
        return -ENOMEM;
    enum pp_time_kind kind = PP_TIME_GPU;
    chosen.p50_spread = spread_of(points, kind, PP_DIFF_P50, work);
    if (isnan(chosen.p50_spread)) {
        kind = PP_TIME_FRAME;
        chosen.p50_spread = spread_of(points, kind, PP_DIFF_P50, work);
    }
    chosen.p5_spread = spread_of(points, kind, PP_DIFF_P5, work);
    chosen.disturbed = pp_diff_is_steadier(chosen.p50_spread, chosen.p5_spread);
    if (chosen.disturbed && points->point[points->len - 1].runs.run[0].surface[0].software)
        chosen.stat = PP_DIFF_P5;
    free(work);
    *ret = chosen;
    return 0;
}
