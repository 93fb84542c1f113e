/** @file
 * See diff.h. */
#include "cli/compare/diff.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/summary.h"
#include "cli/compare/diff_build.h"
#include "counters/stats/stats_runs.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* A row of frames. Names are those of the JSON. */
struct frame_row {
    const char *name;
    enum pp_diff_unit unit;
    enum pp_diff_stat stat;
    enum pp_time_kind time; /* PP_TIME_KINDS: not a time of a frame */
    double (*of)(const struct pp_run_surface *surface);
};

static double
fps(const struct pp_run_surface *s)
{
    return s->plain.fps;
}

static double
low_1_fps(const struct pp_run_surface *s)
{
    return s->plain.low_1_fps;
}

/* The minutes that the frames took among which slow ones were looked for. */
static double
slow_minutes(const struct pp_run_surface *s)
{
    const struct pp_time_figures *time = &s->time[PP_TIME_FRAME];
    return (isnan(s->slow_frames_of_ns) ? time->frames * time->mean_ns : s->slow_frames_of_ns) / 60e9;
}

static double
slow_a_minute(const struct pp_run_surface *s)
{
    return slow_minutes(s) > 0 ? s->slow_frames / slow_minutes(s) : (double)NAN;
}

/* Does a surface have a rate of slow frames? @param s NULL: the run lacks it. */
static bool
has_slow(const struct pp_run_surface *s)
{
    return s && s->slow_frames >= 0 && slow_minutes(s) > 0;
}

static double
compile_time(const struct pp_run_surface *s)
{
    return s->pipeline_create_ns;
}

static double
pipelines(const struct pp_run_surface *s)
{
    return s->pipelines_created;
}

static double
draws(const struct pp_run_surface *s)
{
    return isnan(s->usual_draws) ? s->draws : s->usual_draws;
}

static double
dispatches(const struct pp_run_surface *s)
{
    return s->dispatches;
}

static double
copies(const struct pp_run_surface *s)
{
    return s->copies;
}

static const struct frame_row frame_row[] = {
    {"fps", PP_DIFF_FPS, PP_DIFF_TOTAL, PP_TIME_KINDS, fps},
    {"low_1_percent_fps", PP_DIFF_FPS, PP_DIFF_TOTAL, PP_TIME_KINDS, low_1_fps},
    {"frame_time", PP_DIFF_NS, PP_DIFF_P5, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_P50, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_MEAN, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_P95, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_P99, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_MAX, PP_TIME_FRAME, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_P5, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_P50, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_MEAN, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_P95, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_P99, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_MAX, PP_TIME_GPU, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_P5, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_P50, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_MEAN, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_P95, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_P99, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_MAX, PP_TIME_GPU_BUSY, NULL},
    {"cpu_busy", PP_DIFF_NS, PP_DIFF_P5, PP_TIME_CPU_BUSY, NULL},
    {"cpu_busy", PP_DIFF_NS, PP_DIFF_P50, PP_TIME_CPU_BUSY, NULL},
    {"cpu_busy", PP_DIFF_NS, PP_DIFF_MEAN, PP_TIME_CPU_BUSY, NULL},
    {"draws", PP_DIFF_COUNT, PP_DIFF_TOTAL, PP_TIME_KINDS, draws},
    {"dispatches", PP_DIFF_COUNT, PP_DIFF_TOTAL, PP_TIME_KINDS, dispatches},
    {"copies", PP_DIFF_COUNT, PP_DIFF_TOTAL, PP_TIME_KINDS, copies},
    {"slow_frames", PP_DIFF_PER_MINUTE, PP_DIFF_TOTAL, PP_TIME_KINDS, slow_a_minute},
    {"pipelines_created", PP_DIFF_COUNT, PP_DIFF_TOTAL, PP_TIME_KINDS, pipelines},
    {"pipeline_create", PP_DIFF_NS, PP_DIFF_TOTAL, PP_TIME_KINDS, compile_time},
};

/* Half of the interval of a mean, relative to it. */
static double
mean_error(const struct pp_time_figures *times)
{
    return times->spread.mean_half / times->mean_ns;
}

static struct pp_diff_number
ask_frame(const struct pp_run_figures *run, const struct pp_run_surface *surface, const void *key)
{
    const struct frame_row *of = key;
    (void)run;
    if (!surface)
        return pp_diff_number((double)NAN);
    struct pp_diff_number ret =
        pp_diff_stat_of(&surface->plain.time[of->of ? PP_TIME_FRAME : of->time], of->stat);
    if (!of->of)
        return ret;
    if (of->of == fps) /* 1 / the mean: its relative error is that of the mean */
        return (struct pp_diff_number){.value = fps(surface),
                                       .half = fps(surface) * mean_error(&surface->plain.time[PP_TIME_FRAME]),
                                       .too_correlated = ret.too_correlated};
    return pp_diff_number(of->of(surface));
}

/* Are there enough frames beyond a percentile of a side, for it to decide? */
static bool
has_tail(const struct pp_diff_side *side, const struct pp_run_surface **surface, const struct frame_row *of)
{
    const double share = of->stat == PP_DIFF_P95 ? 0.05 : 0.01;
    double beyond = 0;
    for (size_t i = 0; i < side->runs; i++)
        if (surface[i])
            beyond += share * fmax(0, surface[i]->plain.time[of->time].frames);
    return beyond >= PP_DIFF_TAIL_LEAST;
}

/* Is a row by the statistic that is compared? */
static bool
is_chosen(const struct pp_diff_build *build, const struct frame_row *of)
{
    return of->of ? true : of->stat == build->part->stat[of->time];
}

/* Choose the statistic of each time of frames. */
static void
choose_stats(struct pp_diff_build *build)
{
    for (size_t kind = 0; kind < PP_TIME_KINDS; kind++) {
        const struct frame_row p50 = {.stat = PP_DIFF_P50, .time = (enum pp_time_kind)kind},
                               p5 = {.stat = PP_DIFF_P5, .time = (enum pp_time_kind)kind};
        const struct pp_diff_keys p50_keys = {&p50, &p50}, p5_keys = {&p5, &p5};
        build->part->stat[kind] = pp_diff_steadiest(build, ask_frame, &p50_keys, &p5_keys);
        if (kind == PP_TIME_FRAME)
            pp_diff_find_disturbed(build, ask_frame, &p50_keys);
    }
}

/* Does a row say something of the longest frames only? */
static bool
is_tail(const struct frame_row *of)
{
    return of->stat == PP_DIFF_P95 || of->stat == PP_DIFF_P99 || of->stat == PP_DIFF_MAX ||
           of->of == low_1_fps || of->of == slow_a_minute;
}

/* Does a row count for the exit status: the frame's time and its GPU time, by the statistic that was asked
 * for? */
static bool
decides(const struct pp_diff_build *build, const struct frame_row *of)
{
    if (!is_chosen(build, of) || of->stat == PP_DIFF_MAX ||
        (of->time != PP_TIME_FRAME && of->time != PP_TIME_GPU))
        return false;
    return pp_diff_stat_is_typical(of->stat) || of->stat == PP_DIFF_MEAN ||
           (has_tail(build->diff->olds, build->old_surface, of) &&
            has_tail(build->diff->news, build->new_surface, of));
}

/* Slow frames of a side, and the minutes that its frames took. */
static void
slow_of(const struct pp_diff_side *side, const struct pp_run_surface **surface, double *ret_frames,
        double *ret_minutes)
{
    *ret_frames = *ret_minutes = 0;
    for (size_t i = 0; i < side->runs; i++) {
        if (!has_slow(surface[i]))
            continue;
        *ret_frames += surface[i]->slow_frames;
        *ret_minutes += slow_minutes(surface[i]);
    }
}

/* How much more the counts of a side's runs vary than those of independent events would: the index of
 * dispersion, summed. @param io_freedom Grows by the degrees of freedom. */
static double
dispersion(const struct pp_diff_side *side, const struct pp_run_surface **surface, double rate,
           double *io_freedom)
{
    double sum = 0;
    size_t runs = 0;
    for (size_t i = 0; i < side->runs; i++) {
        if (!has_slow(surface[i]))
            continue;
        double expected = rate * slow_minutes(surface[i]);
        sum += expected > 0
                   ? (surface[i]->slow_frames - expected) * (surface[i]->slow_frames - expected) / expected
                   : 0;
        runs++;
    }
    *io_freedom += runs ? (double)runs - 1 : 0;
    return sum;
}

/* Find the verdict of a rate: the ratio of two Poisson rates, over all runs of a side. */
static void
judge_rate(const struct pp_diff_build *build, struct pp_diff_row *row)
{
    double olds = 0, old_minutes = 0, news = 0, new_minutes = 0;
    struct pp_rate_ratio ratio;
    slow_of(build->diff->olds, build->old_surface, &olds, &old_minutes);
    slow_of(build->diff->news, build->new_surface, &news, &new_minutes);
    if (!(olds < 1e15) || !(news < 1e15) || !row->old_runs || !row->new_runs)
        return;
    double freedom = 0;
    double sum = dispersion(build->diff->olds, build->old_surface, olds / old_minutes, &freedom);
    sum += dispersion(build->diff->news, build->new_surface, news / new_minutes, &freedom);
    /* slow frames come in groups: events that vary n times as much count as this many fewer */
    double groups = freedom > 0 ? fmax(1, sum / freedom) : 1;
    pp_rate_ratio((uint64_t)(olds / groups), old_minutes / groups, (uint64_t)(news / groups),
                  new_minutes / groups, 1 - build->diff->options.alpha, &ratio);
    row->interval_of_frames = false;
    row->old_value = olds / old_minutes; /* as the ratio: a median of few runs hides rare events */
    row->new_value = news / new_minutes;
    row->change = row->new_value - row->old_value;
    row->percent = row->old_value > 0 ? 100 * (row->new_value / row->old_value - 1) : (double)NAN;
    row->low_percent = 100 * (ratio.low - 1);
    row->high_percent = 100 * (ratio.high - 1);
    row->p = ratio.p;
    row->runs_needed = 0;
    row->verdict = isnan(ratio.ratio) ? PP_DIFF_EQUAL
                   : ratio.low > 1    ? PP_DIFF_SLOWER
                   : ratio.high < 1   ? PP_DIFF_FASTER
                                      : PP_DIFF_UNCLEAR;
}

/* Add the rows of frames: rates, times, counts. @retval 0, -ENOMEM. */
static int
diff_add_frames(struct pp_diff_build *build)
{
    int rc = 0;
    choose_stats(build);
    for (size_t i = 0; rc == 0 && i < PP_ARRAY_SIZE(frame_row); i++) {
        const struct frame_row *of = &frame_row[i];
        const struct pp_diff_row row = {.kind = PP_DIFF_FRAME,
                                        .unit = of->unit,
                                        .stat = of->stat,
                                        .chosen = is_chosen(build, of),
                                        .disturbed = build->part->disturbed && is_tail(of),
                                        .renamed = PP_DIFF_NO_ROW,
                                        .decides = decides(build, of)};
        struct pp_diff_row *made = NULL;
        const size_t before = build->part->len;
        if (!pp_diff_takes(build, of->name))
            continue;
        rc = pp_diff_add(build, &row, of->name, ask_frame, of, of, &made);
        if (rc == 0 && !made->old_runs && !made->new_runs) { /* neither side has it */
            free(made->name);
            build->part->len--;
        } else if (rc == 0 && of->unit == PP_DIFF_PER_MINUTE) {
            judge_rate(build, made);
        } else if (rc == 0 && (of->stat == PP_DIFF_MAX || of->of == compile_time)) {
            made->verdict = PP_DIFF_NO_VERDICT;
        }
        if (rc == 0 && build->part->len > before && made->disturbed &&
            (made->verdict == PP_DIFF_SLOWER || made->verdict == PP_DIFF_FASTER))
            made->verdict = PP_DIFF_UNCLEAR;
    }
    return rc;
}

/* Note the runs whose frame time or GPU time differs from the others. @retval 0, -ENOMEM. */
static int
diff_note_runs(struct pp_diff *diff, struct pp_diff_build *build)
{
    static const struct {
        enum pp_time_kind kind;
        const char *name;
    } figure[] = {{PP_TIME_GPU, PP_TEXT_BY_GPU_TIME}, {PP_TIME_FRAME, PP_TEXT_TIME_FRAME}};
    for (size_t i = 0; i < PP_ARRAY_SIZE(figure); i++) {
        char name[64];
        const size_t notes = diff->notes;
        const struct frame_row row = {.stat = build->part->stat[figure[i].kind], .time = figure[i].kind};
        const struct pp_diff_keys keys = {&row, &row};
        snprintf(name, sizeof(name), "%s %s", figure[i].name, pp_diff_stat_name(row.stat));
        int rc = pp_diff_note_apart(diff, build, ask_frame, &keys, name);
        if (rc || diff->notes > notes) /* the frame time would name the same runs again */
            return rc;
    }
    return 0;
}

const struct pp_diff_options pp_diff_options_usual = {.stat = PP_DIFF_P50,
                                                      .choose_stat = true,
                                                      .threshold = 0.03,
                                                      .equivalence = 0.02,
                                                      .alpha = 0.05,
                                                      .min_ns = (double)NAN};

/* Find a surface of a run that is like another one: of the same name and API, or else at the same place. */
static const struct pp_run_surface *
find_surface(const struct pp_run_figures *run, const struct pp_run_surface *wanted, size_t place)
{
    for (size_t i = 0; i < run->surfaces; i++)
        if (strcmp(run->surface[i].surface, wanted->surface) == 0 &&
            strcmp(run->surface[i].api, wanted->api) == 0)
            return &run->surface[i];
    return place == 0 ? &run->surface[0] : NULL;
}

/* Find the surfaces of all runs of a side. */
static void
find_surfaces(const struct pp_diff_side *side, const struct pp_run_surface *wanted, size_t place,
              const struct pp_run_surface **ret)
{
    for (size_t i = 0; i < side->runs; i++)
        ret[i] = find_surface(&side->run[i], wanted, place);
}

/* The frame's GPU time: rows of passes add up to it. The span of the GPU's work is known wherever any GPU
 * time is. */
static void
find_gpu_time(struct pp_diff_part *part)
{
    part->old_gpu_ns = part->new_gpu_ns = (double)NAN;
    for (size_t i = 0; i < part->len; i++) {
        const struct pp_diff_row *row = &part->row[i];
        if (row->kind == PP_DIFF_FRAME && row->chosen && strcmp(row->name, "gpu_time") == 0) {
            part->old_gpu_ns = row->old_value;
            part->new_gpu_ns = row->new_value;
        }
    }
}

/* How much a row changed, for the order of its kind. @return -1: not known. */
static double
size_of_change(const struct pp_diff_row *row)
{
    double change = fabs(row->change);
    if (row->relative)
        change = fmax(change, fabs(row->relative_percent) / 100 * row->old_value);
    /* counters have no common unit; without a percentage the old value is 0 or missing */
    if (row->kind == PP_DIFF_COUNTER || row->kind == PP_DIFF_METRIC)
        change = !isnan(row->percent) ? fabs(row->percent) : change > 0 ? HUGE_VAL : change;
    return isnan(change) ? -1 : change;
}

/* By kind, those of frames as they were made; in a kind by the size of the change, or where this is equal, by
 * the old value. Rows without the number are after those with it: qsort() needs a place for NaN, too. */
static int
by_change(const void *a, const void *b)
{
    const struct pp_diff_row *x = a, *y = b;
    double change_x = size_of_change(x), change_y = size_of_change(y);
    double old_x = isnan(x->old_value) ? -HUGE_VAL : x->old_value;
    double old_y = isnan(y->old_value) ? -HUGE_VAL : y->old_value;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->kind != PP_DIFF_FRAME && (change_x < change_y || change_x > change_y))
        return change_x > change_y ? -1 : 1;
    if (x->kind != PP_DIFF_FRAME && (old_x < old_y || old_x > old_y))
        return old_x > old_y ? -1 : 1;
    return x->made < y->made ? -1 : 1;
}

static int
by_kind_and_name(const void *a, const void *b)
{
    const struct pp_diff_row *x = *(const struct pp_diff_row *const *)a;
    const struct pp_diff_row *y = *(const struct pp_diff_row *const *)b;
    return x->kind == y->kind ? strcmp(x->name, y->name) : x->kind < y->kind ? -1 : 1;
}

/* Mark rows of one kind that have the same name. */
static int
mark_twins(struct pp_diff_part *part)
{
    struct pp_diff_row **row = calloc(part->len + 1, sizeof(struct pp_diff_row *));
    if (!row)
        return -ENOMEM;
    for (size_t i = 0; i < part->len; i++)
        row[i] = &part->row[i];
    qsort(row, part->len, sizeof(*row), by_kind_and_name);
    for (size_t i = 1; i < part->len; i++)
        if (by_kind_and_name(&row[i - 1], &row[i]) == 0)
            row[i - 1]->twin = row[i]->twin = true;
    free(row);
    return 0;
}

/* Sort the rows; rows that name others name them by their new places. */
static int
sort_rows(struct pp_diff_part *part)
{
    size_t *place = calloc(part->len + 1, sizeof(*place));
    if (!place)
        return -ENOMEM;
    for (size_t i = 0; i < part->len; i++)
        part->row[i].made = i;
    if (part->len)
        qsort(part->row, part->len, sizeof(*part->row), by_change);
    for (size_t i = 0; i < part->len; i++)
        place[part->row[i].made] = i;
    for (size_t i = 0; i < part->len; i++)
        if (part->row[i].renamed != PP_DIFF_NO_ROW)
            part->row[i].renamed = place[part->row[i].renamed];
    free(place);
    return mark_twins(part);
}

/* Make the rows of a part. @param labels Regions belong to all surfaces: they are in the first part. */
static int
make_rows(struct pp_diff_build *build, bool labels)
{
    struct pp_diff_part *part = build->part;
    const struct pp_diff_options *options = &build->diff->options;
    int rc = diff_add_frames(build);
    find_gpu_time(part);
    rc = rc ? rc : pp_diff_add_passes(build);
    if (labels && !options->metric)
        rc = rc ? rc : pp_diff_add_labels(build);
    if (!options->metric)
        rc = rc ? rc : pp_diff_add_draws(build);
    rc = rc ? rc : pp_diff_add_counters(build);
    rc = rc ? rc : pp_diff_correct_frames(part, options);
    rc = rc ? rc : pp_diff_correct(part, PP_DIFF_PASS, options);
    rc = rc ? rc : pp_diff_judge_relative(build);
    rc = rc ? rc : pp_diff_correct(part, PP_DIFF_LABEL, options);
    rc = rc ? rc : pp_diff_correct(part, PP_DIFF_DRAWS, options);
    rc = rc ? rc : pp_diff_mark_repeats(part);
    return rc ? rc : sort_rows(part);
}

/* Frames of a side that are left out because they created pipelines, and the time that they took for it. */
static void
left_out_of(const struct pp_diff_side *side, const struct pp_run_surface **surface, double *ret_frames,
            double *ret_ms)
{
    *ret_frames = *ret_ms = 0;
    for (size_t i = 0; i < side->runs; i++) {
        *ret_frames += surface[i] ? surface[i]->plain.left_out : 0;
        *ret_ms += surface[i] ? surface[i]->plain.create_ns / 1e6 : 0;
    }
}

static int
note_left_out(struct pp_diff *diff, const struct pp_diff_build *build)
{
    double old_frames, old_ms, new_frames, new_ms;
    left_out_of(diff->olds, build->old_surface, &old_frames, &old_ms);
    left_out_of(diff->news, build->new_surface, &new_frames, &new_ms);
    if (!(old_frames + new_frames > 0))
        return 0;
    return pp_diff_note_add(diff, false, PP_FORMAT_DIFF_CREATING, old_frames, old_ms, new_frames, new_ms);
}

/* Compare one surface. */
static int
make_part(struct pp_diff *diff, const struct pp_run_surface *old_surface,
          const struct pp_run_surface *new_surface, size_t place)
{
    struct pp_diff_part *part = &diff->part[diff->parts];
    size_t olds = diff->olds->runs, news = diff->news->runs;
    struct pp_diff_build build = {.diff = diff,
                                  .part = part,
                                  .old_surface = calloc(olds, sizeof(const struct pp_run_surface *)),
                                  .new_surface = calloc(news, sizeof(const struct pp_run_surface *)),
                                  .olds = calloc(olds, sizeof(double)),
                                  .news = calloc(news, sizeof(double))};
    int rc = build.old_surface && build.new_surface && build.olds && build.news ? 0 : -ENOMEM;
    diff->parts++;
    part->old_surface = old_surface;
    part->new_surface = new_surface;
    if (rc == 0) {
        find_surfaces(diff->olds, old_surface, place, build.old_surface);
        find_surfaces(diff->news, new_surface, place, build.new_surface);
        rc = make_rows(&build, place == 0);
        rc = rc ? rc : note_left_out(diff, &build);
        rc = rc || place ? rc : diff_note_runs(diff, &build);
    }
    free(build.old_surface);
    free(build.new_surface);
    free(build.olds);
    free(build.news);
    return rc;
}

/* Note what only one side has measured. */
static int
note_missing(struct pp_diff *diff, const struct pp_diff_part *part)
{
    const struct pp_run_surface *x = part->old_surface, *y = part->new_surface;
    int rc = 0;
    if (!x->passes != !y->passes)
        rc = pp_diff_note_add(diff, false, PP_FORMAT_DIFF_NO_PASSES,
                              x->passes ? diff->news->run[0].name : diff->olds->run[0].name);
    if (rc == 0 && part->capped)
        rc = pp_diff_note_add(diff, false, "%s", PP_TEXT_DIFF_CAPPED);
    if (rc == 0 && diff->options.pairs && diff->olds->runs != diff->news->runs)
        rc = pp_diff_note_add(diff, false, "%s", PP_TEXT_DIFF_NO_PAIRS);
    return rc;
}

/* Compare the surfaces of the first runs. */
static int
make_parts(struct pp_diff *diff)
{
    const struct pp_run_figures *a = &diff->olds->run[0], *b = &diff->news->run[0];
    size_t surfaces = a->surfaces < PP_SURFACES_MATTER ? a->surfaces : PP_SURFACES_MATTER;
    int rc = 0;
    diff->part = calloc(surfaces + 1, sizeof(*diff->part));
    if (!diff->part)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < surfaces; i++) {
        const struct pp_run_surface *other = find_surface(b, &a->surface[i], i);
        if (!other) {
            rc = pp_diff_note_add(diff, false, PP_FORMAT_DIFF_SURFACE, a->surface[i].surface, a->name);
            continue;
        }
        rc = make_part(diff, &a->surface[i], other, i);
        rc = rc || i ? rc : pp_diff_note_passes(diff, &diff->part[diff->parts - 1]);
        rc = rc || i ? rc : pp_diff_note_steady(diff, &diff->part[diff->parts - 1]);
        rc = rc ? rc : pp_diff_note_differences(diff, &diff->part[diff->parts - 1]);
        rc = rc ? rc : note_missing(diff, &diff->part[diff->parts - 1]);
    }
    return rc;
}

int
pp_diff_make(const struct pp_diff_side *olds, const struct pp_diff_side *news,
             const struct pp_diff_options *options, struct pp_diff *ret)
{
    *ret = (struct pp_diff){.options = *options, .olds = olds, .news = news};
    return make_parts(ret);
}

bool
pp_diff_has_metric(const struct pp_diff *diff)
{
    for (size_t p = 0; p < diff->parts; p++)
        if (diff->part[p].len)
            return true;
    return false;
}

const struct pp_diff_row *
pp_diff_slower(const struct pp_diff *diff)
{
    for (size_t p = 0; p < diff->parts; p++)
        for (size_t i = 0; i < diff->part[p].len; i++)
            if (diff->part[p].row[i].decides && diff->part[p].row[i].verdict == PP_DIFF_SLOWER)
                return &diff->part[p].row[i];
    return NULL;
}

void
pp_diff_finish(struct pp_diff *diff)
{
    for (size_t p = 0; p < diff->parts; p++) {
        for (size_t i = 0; i < diff->part[p].len; i++) {
            free(diff->part[p].row[i].name);
            free(diff->part[p].row[i].value);
        }
        free(diff->part[p].row);
    }
    for (size_t i = 0; i < diff->notes; i++)
        free(diff->note[i].text);
    free(diff->part);
    free(diff->note);
    *diff = (struct pp_diff){.parts = 0};
}
