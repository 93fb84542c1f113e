/** @file
 * See trend.h. */
#include "cli/compare/trend.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/diff_build.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"

/* Asks a run for a number. @param key The figure of the series. @param ret_lacks Set to true with a number of
 * 0 that says: the run lacks it. Of a point whose runs all lack it, there is no number. */
typedef double ask_run(const struct pp_run_surface *surface, const struct pp_trend_series *series,
                       const void *key, bool *ret_lacks);

/* The median of a point's runs. */
static double
value_of_point(const struct pp_trend_point *point, const struct pp_trend_series *series, ask_run *ask,
               const void *key, double *work)
{
    size_t runs = 0, lacking = 0;
    for (size_t r = 0; r < point->runs.runs; r++) {
        bool lacks = false;
        double value = ask(&point->runs.run[r].surface[0], series, key, &lacks);
        if (isfinite(value))
            work[runs++] = value;
        lacking += lacks;
    }
    if (lacking == runs)
        return (double)NAN;
    pp_stats_sort(work, runs);
    return pp_median(work, runs);
}

/* The most runs that a point has. */
static size_t
most_runs(const struct pp_trend *trend)
{
    size_t most = 1;
    for (size_t i = 0; i < trend->points.len; i++)
        most = trend->points.point[i].runs.runs > most ? trend->points.point[i].runs.runs : most;
    return most;
}

static void
series_finish(struct pp_trend_series *series)
{
    free(series->name);
    free(series->value);
    free(series->change);
}

/* Search a series, without the points that lack its figure. */
static int
search(struct pp_trend_series *series, size_t points, double threshold)
{
    struct pp_change_points_rule rule = pp_change_points_rule_usual;
    double *value = calloc(points + 1, sizeof(*value));
    size_t *place = calloc(points + 1, sizeof(*place)), n = 0;
    int rc = value && place ? 0 : -ENOMEM;
    rule.threshold = threshold;
    for (size_t i = 0; rc == 0 && i < points; i++) {
        if (isfinite(series->value[i])) {
            value[n] = series->value[i];
            place[n++] = i;
        }
    }
    if (rc == 0) {
        place[n] = points;
        rc = pp_change_points(value, n, &rule, &series->change, &series->changes);
    }
    series->values = n;
    for (size_t c = 0; rc == 0 && c < series->changes; c++) {
        struct pp_change_point *change = &series->change[c];
        change->index = place[change->index];
        change->first = place[change->first];
        change->last = place[change->last];
        change->from = place[change->from];
        change->to = place[change->to];
    }
    free(value);
    free(place);
    return rc;
}

/* Append a series. @param like Kind, unit, stat, id. */
static int
add(struct pp_trend *trend, const struct pp_trend_series *like, const char *name, ask_run *ask,
    const void *key, double threshold)
{
    size_t points = trend->points.len;
    if (pp_grow_array(&trend->series, &trend->cap, trend->len + 1, sizeof(*trend->series)))
        return -ENOMEM;
    struct pp_trend_series series = *like;
    double *work = calloc(most_runs(trend), sizeof(*work));
    series.name = strdup(name);
    series.value = calloc(points + 1, sizeof(*series.value));
    int rc = work && series.name && series.value ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < points; i++)
        series.value[i] = value_of_point(&trend->points.point[i], &series, ask, key, work);
    free(work);
    rc = rc ? rc : search(&series, points, threshold);
    if (rc == 0 && series.values)
        trend->series[trend->len++] = series;
    else
        series_finish(&series);
    return rc;
}

static double
ask_time(const struct pp_run_surface *surface, const struct pp_trend_series *series, const void *key,
         bool *ret_lacks)
{
    const enum pp_time_kind *kind = key;
    (void)ret_lacks;
    return pp_diff_stat_of(&surface->plain.time[*kind], series->stat).value;
}

static bool
takes(const struct pp_diff_options *options, const char *name)
{
    return !options->metric || fnmatch(options->metric, name, 0) == 0;
}

static int
add_times(struct pp_trend *trend, const struct pp_diff_options *options)
{
    static const struct {
        const char *name;
        enum pp_time_kind kind;
        bool usual; /* also without --metric */
    } time[] = {{"frame_time", PP_TIME_FRAME, true},
                {"gpu_time", PP_TIME_GPU, true},
                {"gpu_busy", PP_TIME_GPU_BUSY, false},
                {"cpu_busy", PP_TIME_CPU_BUSY, false}};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < PP_ARRAY_SIZE(time); i++) {
        const struct pp_trend_series like = {
            .kind = PP_DIFF_FRAME, .unit = PP_DIFF_NS, .stat = options->stat, .id = ""};
        if (takes(options, time[i].name) && (time[i].usual || options->metric))
            rc = add(trend, &like, time[i].name, ask_time, &time[i].kind, options->threshold);
    }
    return rc;
}

static double
ask_counter(const struct pp_run_surface *surface, const struct pp_trend_series *series, const void *key,
            bool *ret_lacks)
{
    const struct pp_counter_figures *counter = pp_run_find_counter(surface, key);
    (void)series;
    (void)ret_lacks;
    return counter ? counter->mean : (double)NAN;
}

/* Counters of the newest point that the user asked for. */
static int
add_counters(struct pp_trend *trend, const struct pp_diff_options *options)
{
    const struct pp_run_surface *newest = &trend->points.point[trend->points.len - 1].runs.run[0].surface[0];
    int rc = 0;
    for (size_t i = 0; rc == 0 && options->metric && i < newest->counters; i++) {
        const struct pp_trend_series like = {
            .kind = PP_DIFF_COUNTER, .unit = PP_DIFF_COUNT, .stat = PP_DIFF_MEAN, .id = ""};
        if (takes(options, newest->counter[i].name))
            rc = add(trend, &like, newest->counter[i].name, ask_counter, newest->counter[i].name,
                     options->threshold);
    }
    return rc;
}

static double
ask_pass(const struct pp_run_surface *surface, const struct pp_trend_series *series, const void *key,
         bool *ret_lacks)
{
    const struct pp_pass_figures *of = key, *pass = pp_run_find_cost(surface, of->id, of->name, ret_lacks);
    if (!pass)
        return *ret_lacks ? 0 : (double)NAN;
    return series->stat == PP_DIFF_P5    ? pass->p5_ns
           : series->stat == PP_DIFF_P50 ? pass->p50_ns
                                         : pass->frame_ns;
}

static int
by_id_and_name(const void *a, const void *b)
{
    const struct pp_pass_figures *x = *(const struct pp_pass_figures *const *)a,
                                 *y = *(const struct pp_pass_figures *const *)b;
    int order = strcmp(x->id, y->id);
    return order ? order : strcmp(x->name, y->name);
}

/* By their cost, the largest first. */
static int
by_cost(const void *a, const void *b)
{
    const struct pp_pass_figures *x = *(const struct pp_pass_figures *const *)a,
                                 *y = *(const struct pp_pass_figures *const *)b;
    if (x->frame_ns < y->frame_ns || x->frame_ns > y->frame_ns)
        return x->frame_ns > y->frame_ns ? -1 : 1;
    return by_id_and_name(a, b);
}

/* Append the passes of a run that are new, and sort them. */
static size_t
add_new_passes(const struct pp_run_surface *surface, const struct pp_pass_figures **pass, size_t len)
{
    size_t before = len;
    for (size_t k = 0; k < surface->passes; k++) {
        const struct pp_pass_figures *one = &surface->pass[k];
        if (pp_run_pass_counts(one) &&
            !bsearch(&one, pass, before, sizeof(const struct pp_pass_figures *), by_id_and_name))
            pass[len++] = one;
    }
    if (len > before)
        qsort(pass, len, sizeof(const struct pp_pass_figures *), by_id_and_name);
    return len;
}

/* The passes of all runs of all points; of each that of the newest point that has it. @return Owned by the
 * caller; NULL: no memory. */
static const struct pp_pass_figures **
passes_of(const struct pp_trend *trend, size_t *ret_len)
{
    size_t all = 0, len = 0;
    for (size_t i = 0; i < trend->points.len; i++)
        for (size_t r = 0; r < trend->points.point[i].runs.runs; r++)
            all += trend->points.point[i].runs.run[r].surface[0].passes;
    const struct pp_pass_figures **pass = calloc(all + 1, sizeof(const struct pp_pass_figures *));
    for (size_t i = trend->points.len; pass && i > 0; i--) {
        const struct pp_diff_side *runs = &trend->points.point[i - 1].runs;
        for (size_t r = 0; r < runs->runs; r++)
            len = add_new_passes(&runs->run[r].surface[0], pass, len);
    }
    if (pass)
        qsort(pass, len, sizeof(const struct pp_pass_figures *), by_cost);
    *ret_len = len;
    return pass;
}

/* Does a pass run once in each frame, in all runs that have it? Then a median is that of its cost in a frame.
 */
static bool
runs_once(const struct pp_trend *trend, const struct pp_pass_figures *of)
{
    for (size_t i = 0; i < trend->points.len; i++) {
        const struct pp_diff_side *runs = &trend->points.point[i].runs;
        for (size_t r = 0; r < runs->runs; r++) {
            const struct pp_pass_figures *pass = pp_run_find_pass(&runs->run[r].surface[0], of->id, of->name);
            if (pass && !(pass->per_frame >= 1 && pass->per_frame <= 1 && !isnan(pass->p50_ns)))
                return false;
        }
    }
    return true;
}

/* Is a pass too small in all runs to matter? */
static bool
is_small(const struct pp_trend *trend, const struct pp_pass_figures *of, double min_ns)
{
    for (size_t i = 0; i < trend->points.len; i++) {
        const struct pp_diff_side *runs = &trend->points.point[i].runs;
        for (size_t r = 0; r < runs->runs; r++) {
            const struct pp_run_surface *surface = &runs->run[r].surface[0];
            const struct pp_pass_figures *pass = pp_run_find_pass(surface, of->id, of->name);
            double frame = surface->time[PP_TIME_GPU].mean_ns;
            double least = isnan(min_ns) ? fmin(PP_DIFF_MIN_NS, PP_DIFF_MIN_SHARE * frame) : min_ns;
            if (pass && pass->in_a_frame && pass->frame_ns >= least && !pass->unresolved)
                return false;
        }
    }
    return true;
}

static int
add_passes(struct pp_trend *trend, const struct pp_diff_options *options)
{
    size_t len = 0;
    const struct pp_pass_figures **pass = passes_of(trend, &len);
    int rc = pass ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < len; i++) {
        if (is_small(trend, pass[i], options->min_ns))
            continue;
        const bool typical = pp_diff_stat_is_typical(options->stat) && runs_once(trend, pass[i]);
        const struct pp_trend_series like = {.kind = PP_DIFF_PASS,
                                             .unit = PP_DIFF_NS,
                                             .stat = typical ? options->stat : PP_DIFF_MEAN,
                                             .id = pass[i]->id};
        char *name = pp_diff_pass_title(pass[i]);
        rc = name ? add(trend, &like, name, ask_pass, pass[i], options->threshold) : -ENOMEM;
        free(name);
    }
    free(pass);
    return rc;
}

int
pp_trend_make(struct pp_trend *trend, const struct pp_diff_options *options)
{
    struct pp_diff_options chosen = *options;
    int rc = pp_trend_stat_choose(&trend->points, options, &trend->stat);
    chosen.stat = trend->stat.stat;
    if (rc || !trend->points.len)
        return rc;
    rc = add_times(trend, &chosen);
    if (rc == 0 && !chosen.metric)
        rc = add_passes(trend, &chosen);
    return rc ? rc : add_counters(trend, &chosen);
}

size_t
pp_trend_point_before(const struct pp_trend_series *series, const struct pp_change_point *change)
{
    size_t before = change->index - 1;
    while (before > change->from && isnan(series->value[before]))
        before--;
    return before;
}

void
pp_trend_point_finish(struct pp_trend_point *point)
{
    free(point->name);
    pp_diff_side_finish(&point->runs);
}

void
pp_trend_points_finish(struct pp_trend_points *points)
{
    for (size_t i = 0; i < points->len; i++)
        pp_trend_point_finish(&points->point[i]);
    for (size_t i = 0; i < points->left; i++) {
        free(points->left_out[i].name);
        free(points->left_out[i].reason);
    }
    free(points->point);
    free(points->left_out);
    *points = (struct pp_trend_points){.len = 0};
}

void
pp_trend_finish(struct pp_trend *trend)
{
    for (size_t i = 0; i < trend->len; i++)
        series_finish(&trend->series[i]);
    free(trend->series);
    pp_trend_points_finish(&trend->points);
    *trend = (struct pp_trend){.len = 0};
}

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
