/** @file
 * See summary.h. */
#include "cli/analysis/summary.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/accuracy.h"
#include "cli/session/session_shown.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"

/* The names under which drivers that render on the CPU present themselves. Source: Mesa 22.3 (llvmpipe,
 * softpipe, swrast; lavapipe names llvmpipe, too), SwiftShader, Mesa's and X.org's indirect renderer. */
static const char *const software_name[] = {"llvmpipe", "softpipe",    "lavapipe",
                                            "swrast",   "SwiftShader", "Software Rasterizer"};

bool
pp_summary_is_software(const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(software_name); i++)
        if (name && strcasestr(name, software_name[i]))
            return true;
    return false;
}

/* Choose the levels whose frames the times show. Finer brackets change the times that they measure, so no
 * figure mixes levels. */
static void
choose_levels(struct pp_surface_summary *summary)
{
    const struct pp_saved_surface *s = summary->surface;
    size_t cpu[PP_SAVED_LEVELS], busy[PP_SAVED_LEVELS], gpu[PP_SAVED_LEVELS], with_gpu = 0;
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++) {
        cpu[i] = s->times[i].frame_time.len;
        busy[i] = s->times[i].gpu_busy.len;
        gpu[i] = s->times[i].gpu_time.len;
        with_gpu += busy[i];
    }
    summary->cpu_level = pp_levels_cpu(s);
    summary->gpu_level = pp_levels_coarsest(with_gpu ? busy : gpu);
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        summary->left_out += i == summary->cpu_level ? 0 : cpu[i];
    summary->finer = s->by_level[PP_SAVED_PASS] + s->by_level[PP_SAVED_DRAW];
}

/* A percentile of sorted values; NaN where the share above it holds no whole frame. */
static double
percentile(const struct pp_series *sorted, double p)
{
    bool enough = p <= 0.5 || pp_low_enough(1 - p, sorted->len);
    return enough ? pp_series_quantile7(sorted, p) : (double)NAN;
}

const char *const pp_time_kind_name[PP_TIME_KINDS] = {"frame_time", "cpu_busy", "cpu_wait",
                                                      "gpu_time",   "gpu_busy", "gpu_wait"};

#define ROW struct pp_time_figures

static const struct pp_table_column columns[] = {
    {PP_CELL(ROW, frames), .id = "frames", .in = PP_IN_JSON, .whole = true, .doc = "how many values"},
    {PP_CELL(ROW, mean_ns), .id = "mean_ns", .heading = "mean", .unit = "ns", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_JSON | PP_IN_PAGE, .width = 10},
    {PP_CELL(ROW, p5_ns), .id = "p5_ns", .unit = "ns", .in = PP_IN_JSON, .since = 5,
     .doc = "5 % took less; from schema 5 on"},
    {PP_CELL(ROW, p50_ns), .id = "p50_ns", .heading = "p50", .unit = "ns", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_JSON | PP_IN_PAGE | PP_IN_METRICS, .width = 10},
    {PP_CELL(ROW, p95_ns), .id = "p95_ns", .heading = "p95", .unit = "ns", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_JSON | PP_IN_PAGE | PP_IN_METRICS, .width = 10, .doc = "null: too few frames"},
    {PP_CELL(ROW, p99_ns), .id = "p99_ns", .heading = "p99", .unit = "ns", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_JSON | PP_IN_PAGE | PP_IN_METRICS, .width = 10},
    {PP_CELL(ROW, p999_ns), .id = "p999_ns", .unit = "ns", .in = PP_IN_JSON},
    {PP_CELL(ROW, max_ns), .id = "max_ns", .heading = "max", .unit = "ns", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_JSON | PP_IN_PAGE, .width = 10},
    {PP_CELL(ROW, max_frame), .id = "max_frame", .heading = "at frame", .form = PP_FORM_COUNT,
     .in = PP_IN_TEXT | PP_IN_JSON | PP_IN_PAGE, .width = 9, .doc = "number of the frame with max_ns"},
    {PP_CELL(ROW, frames), .id = "frames", .heading = "frames", .form = PP_FORM_COUNT, .in = PP_IN_PAGE},
    {PP_CELL(ROW, spread), .id = "within_run", .in = PP_IN_JSON, .since = 2},
};

const struct pp_columns pp_time_columns = {"times", "times", columns, PP_ARRAY_SIZE(columns), sizeof(ROW)};

/* Compute the statistics of a series. Sorts it. */
static struct pp_time_figures
times_of(struct pp_series *series)
{
    pp_series_sort(series);
    return (struct pp_time_figures){
        .frames = (double)series->len,
        .mean_ns = pp_series_mean(series),
        .p5_ns = percentile(series, 0.05),
        .p50_ns = percentile(series, 0.50),
        .p95_ns = percentile(series, 0.95),
        .p99_ns = percentile(series, 0.99),
        .p999_ns = percentile(series, 0.999),
        .max_ns = series->len ? series->most : (double)NAN,
        .max_frame = series->len ? series->most_frame : (double)NAN,
        .spread = series->spread,
    };
}

static double
low(double share, const struct pp_series *sorted)
{
    if (!pp_low_enough(share, sorted->len) || !(sorted->most > 0))
        return (double)NAN;
    double *value = pp_series_values(sorted);
    double ret = value ? pp_low_fps(PP_LOW_WORST_MEAN, share, value, sorted->len, 1e9) : (double)NAN;
    free(value);
    return ret;
}

static double
fps_of(const struct pp_series *times)
{
    return 1e9 * (double)times->len / pp_series_sum(times);
}

/* The edges are 6 ms, doubled or halved: 60 Hz, 120 Hz and 30 Hz are in the middle of a bin, so that frames
 * of a steady rate are not spread over two bins. */
#define HISTOGRAM_EDGE 6e6

static void
histogram_make(struct pp_histogram *ret, const struct pp_series *times, double median)
{
    double edge = HISTOGRAM_EDGE;
    size_t bin = 0;
    memset(ret, 0, sizeof(*ret));
    if (!(median > 0) || !isfinite(median))
        return;
    edge *= exp2(floor(log2(median / edge)));
    for (size_t i = 1; i < PP_HISTOGRAM_BINS; i++, edge *= 2)
        ret->from_ns[i] = edge;
    for (size_t i = 0; i < times->len; i++) {
        for (bin = 0; bin + 1 < PP_HISTOGRAM_BINS && pp_series_at(times, i) >= ret->from_ns[bin + 1];)
            bin++;
        ret->frames[bin]++;
    }
}

static void
figures_of(struct pp_saved_times *cpu, struct pp_saved_times *gpu, struct pp_time_figures *ret)
{
    ret[PP_TIME_FRAME] = times_of(&cpu->frame_time);
    ret[PP_TIME_CPU_BUSY] = times_of(&cpu->cpu_busy);
    ret[PP_TIME_CPU_WAIT] = times_of(&cpu->cpu_wait);
    ret[PP_TIME_GPU] = times_of(&gpu->gpu_time);
    ret[PP_TIME_GPU_BUSY] = times_of(&gpu->gpu_busy);
    ret[PP_TIME_GPU_WAIT] = times_of(&gpu->gpu_wait);
}

static void
fill_plain(struct pp_plain_summary *ret, struct pp_plain_times *plain, size_t cpu_level, size_t gpu_level)
{
    struct pp_saved_times *cpu = &plain->level[cpu_level], *gpu = &plain->level[gpu_level];
    const struct pp_series *times = &cpu->frame_time;
    if (!plain->creating || times->len < plain->creating)
        return;
    ret->left_out = plain->creating;
    ret->create_ns = plain->create_ns;
    figures_of(cpu, gpu, ret->time);
    ret->fps = fps_of(times);
    ret->low_1_fps = low(0.01, times);
}

static void
fill_times(struct pp_surface_summary *summary, struct pp_saved_surface *s)
{
    struct pp_saved_times *cpu = &s->times[summary->cpu_level];
    struct pp_saved_times *gpu = &s->times[summary->gpu_level];
    const struct pp_series *times = &cpu->frame_time;
    figures_of(cpu, gpu, summary->time);
    fill_plain(&summary->plain, &s->plain, summary->cpu_level, summary->gpu_level);
    summary->fps = fps_of(times);
    summary->low_1_fps = low(0.01, times);
    summary->low_01_fps = low(0.001, times);
    histogram_make(&summary->histogram, times, summary->time[PP_TIME_FRAME].p50_ns);
    memcpy(summary->verdict, gpu->verdict, sizeof(summary->verdict));
    summary->no_work = gpu->no_work;
}

bool
pp_surface_is_software(const struct pp_saved_session *rec, size_t surface)
{
    const struct pp_saved_surface *s = &rec->surface[surface];
    const char *driver = json_string_value(json_object_get(pp_saved_device(rec, s), "driver"));
    return pp_summary_is_software(s->device) || pp_summary_is_software(driver);
}

int
pp_surface_summary_make(struct pp_saved_session *rec, size_t index, bool orphans, const struct pp_view *view,
                        struct pp_surface_summary *ret)
{
    struct pp_saved_surface *s = &rec->surface[index];
    struct pp_surface_summary summary = {.surface = s, .index = index, .device = pp_saved_device(rec, s)};
    summary.software = pp_surface_is_software(rec, index);
    choose_levels(&summary);
    fill_times(&summary, s);
    pp_saved_show(rec, index);
    if (!orphans)
        pp_saved_show_frames_only(rec);
    int rc = pp_pass_table_make(rec, view, &summary.passes);
    if (rc == 0)
        *ret = summary;
    return rc;
}

void
pp_surface_summary_finish(struct pp_surface_summary *summary)
{
    pp_pass_table_finish(&summary->passes);
}

#define GPU_SHARE   0.05
#define FRAME_SHARE 0.1

static double
gpu_time_of(const struct pp_saved_surface *s)
{
    double sum = 0;
    for (size_t level = 0; level < PP_SAVED_LEVELS; level++)
        for (size_t i = 0; i < s->times[level].gpu_time.len; i++)
            sum += pp_series_at(&s->times[level].gpu_time, i);
    return sum > 0 ? sum : 0;
}

static int
by_gpu_time(const void *a, const void *b, void *data)
{
    const struct pp_surface_rank *x = a;
    const struct pp_surface_rank *y = b;
    const struct pp_saved_session *rec = data;
    if (x->gpu_ns < y->gpu_ns || x->gpu_ns > y->gpu_ns)
        return x->gpu_ns < y->gpu_ns ? 1 : -1;
    uint64_t first = rec->surface[x->index].frames, second = rec->surface[y->index].frames;
    if (first != second)
        return first < second ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool
matters(const struct pp_saved_session *rec, const struct pp_surface_rank *rank)
{
    if (rank->gpu_ns > 0)
        return rank->share >= GPU_SHARE;
    return (double)rec->surface[rank->index].frames >= FRAME_SHARE * (double)pp_saved_frames(rec);
}

int
pp_surfaces_rank(const struct pp_saved_session *rec, struct pp_surface_ranking *ret)
{
    struct pp_surface_ranking ranking = {.len = rec->surfaces};
    double all = 0;
    ranking.rank = calloc(rec->surfaces + 1, sizeof(*ranking.rank));
    if (!ranking.rank)
        return -ENOMEM;
    for (size_t i = 0; i < ranking.len; i++) {
        ranking.rank[i] = (struct pp_surface_rank){.index = i, .gpu_ns = gpu_time_of(&rec->surface[i])};
        all += ranking.rank[i].gpu_ns;
    }
    for (size_t i = 0; i < ranking.len; i++)
        ranking.rank[i].share = all > 0 ? ranking.rank[i].gpu_ns / all : (double)NAN;
    qsort_r(ranking.rank, ranking.len, sizeof(*ranking.rank), by_gpu_time, (void *)(uintptr_t)rec);
    /* surfaces that matter come first; a surface without GPU time may be after less important ones */
    for (size_t i = 0; i < ranking.len && ranking.matter < PP_SURFACES_MATTER; i++) {
        struct pp_surface_rank rank = ranking.rank[i];
        if (i > 0 && !matters(rec, &rank))
            continue;
        for (size_t k = i; k > ranking.matter; k--)
            ranking.rank[k] = ranking.rank[k - 1];
        ranking.rank[ranking.matter++] = rank;
    }
    *ret = ranking;
    return 0;
}

void
pp_surface_ranking_finish(struct pp_surface_ranking *ranking)
{
    free(ranking->rank);
    *ranking = (struct pp_surface_ranking){.len = 0};
}

#define ROTATING_DUTY 0.98 /* share of the frames below which a counter was rotated with others */

bool
pp_counter_is_metric(const char *name)
{
    return strncmp(name, "metric:", strlen("metric:")) == 0;
}

const char *
pp_counter_metric_unit(const struct pp_saved_session *rec, const char *name)
{
    json_t *metrics = pp_saved_json(rec, "metrics");
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        json_t *metric = json_array_get(metrics, i);
        const char *its = json_string_value(json_object_get(metric, "name"));
        const char *unit = json_string_value(json_object_get(metric, "unit"));
        if (its && unit && strcmp(its, name) == 0)
            return unit;
    }
    return "";
}

#undef ROW
#define ROW struct pp_counter_figures

static const struct pp_table_column counter_columns[] = {
    {PP_CELL(ROW, name), .id = "name", .heading = "counter", .form = PP_FORM_TITLE,
     .in = PP_IN_JSON | PP_IN_PAGE, .doc = "column of frames.csv"},
    {PP_CELL(ROW, mean), .id = "mean", .heading = "mean of a frame", .form = PP_FORM_FIGURE,
     .in = PP_IN_JSON | PP_IN_PAGE, .doc = "per frame; not additive: weighted with the GPU time"},
    {PP_CELL(ROW, unit), .id = "unit", .heading = "unit", .in = PP_IN_PAGE},
    {PP_CELL(ROW, frames), .id = "frames", .heading = "frames", .form = PP_FORM_COUNT,
     .in = PP_IN_JSON | PP_IN_PAGE, .whole = true, .doc = "in which it was measured"},
    {PP_CELL(ROW, additive), .id = "additive", .in = PP_IN_JSON},
    {PP_CELL(ROW, unit), .id = "unit", .in = PP_IN_JSON, .only_if = offsetof(ROW, metric),
     .doc = "of a metric"},
    {PP_CELL(ROW, duty), .id = "duty", .in = PP_IN_JSON, .only_if = offsetof(ROW, rotated),
     .doc = "rotated: share of the frames in which it was measured"},
    {PP_CELL(ROW, error), .id = "error", .in = PP_IN_JSON, .only_if = offsetof(ROW, rotated),
     .doc = "rotated: possible error of the mean"},
};

const struct pp_columns pp_counter_columns = {"counters", "counter", counter_columns,
                                              PP_ARRAY_SIZE(counter_columns), sizeof(ROW)};

bool
pp_counter_figures_make(const struct pp_saved_session *rec, const struct pp_saved_surface *s, size_t i,
                        struct pp_counter_figures *ret)
{
    const char *name = rec->counter[i];
    size_t level = pp_saved_counted_at(s, i);
    if (level == PP_SAVED_LEVELS)
        return false;
    const struct pp_saved_count *count = &s->count[i * PP_SAVED_LEVELS + level];
    bool metric = pp_counter_is_metric(name), plain = metric || strncmp(name, "app:", 4) == 0;
    struct pp_rotation_mean mean;
    pp_rotation_estimate(&count->rotation, &s->all[level], &mean);
    *ret = (struct pp_counter_figures){.name = name,
                                       .unit = metric ? pp_counter_metric_unit(rec, name) : "",
                                       .mean = count->sum / (double)count->rows,
                                       .frames = (double)count->rows,
                                       .duty = mean.duty,
                                       .error = mean.error,
                                       .metric = metric,
                                       .zero = !count->other,
                                       .state = !plain && pp_saved_is_state(rec, i)};
    ret->rotated = mean.duty < ROTATING_DUTY && pp_saved_rotates(rec, i);
    if (ret->state && count->weight > 0)
        ret->mean = count->weighted / count->weight;
    else if (!ret->state && ret->rotated)
        ret->mean = fabs(mean.mean) < 1e-9 * mean.error ? 0 : mean.mean; /* a rounding error, write 0 */
    ret->additive = !ret->state && !metric;
    return true;
}
