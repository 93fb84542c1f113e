/** @file
 * See diff_frames.h. */
#include "cli/compare/diff_frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

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
    return s->fps;
}

static double
low_1_fps(const struct pp_run_surface *s)
{
    return s->low_1_fps;
}

static double
slow_a_minute(const struct pp_run_surface *s)
{
    const struct pp_run_times *time = &s->time[PP_TIME_FRAME];
    return time->frames * time->mean_ns > 0 ? s->slow_frames / (time->frames * time->mean_ns / 60e9)
                                            : (double)NAN;
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
    {"frame_time", PP_DIFF_NS, PP_DIFF_P50, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_MEAN, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_P95, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_P99, PP_TIME_FRAME, NULL},
    {"frame_time", PP_DIFF_NS, PP_DIFF_MAX, PP_TIME_FRAME, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_P50, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_MEAN, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_P95, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_P99, PP_TIME_GPU, NULL},
    {"gpu_time", PP_DIFF_NS, PP_DIFF_MAX, PP_TIME_GPU, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_P50, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_MEAN, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_P95, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_P99, PP_TIME_GPU_BUSY, NULL},
    {"gpu_busy", PP_DIFF_NS, PP_DIFF_MAX, PP_TIME_GPU_BUSY, NULL},
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
mean_error(const struct pp_run_times *times)
{
    return times->within.mean_half_ns / times->mean_ns;
}

static struct pp_diff_number
ask_frame(const struct pp_run_figures *run, const struct pp_run_surface *surface, const void *key)
{
    const struct frame_row *of = key;
    (void)run;
    if (!surface)
        return pp_diff_number((double)NAN);
    struct pp_diff_number ret = pp_diff_stat_of(&surface->time[of->of ? PP_TIME_FRAME : of->time], of->stat);
    if (!of->of)
        return ret;
    if (of->of == fps) /* 1 / the mean: its relative error is that of the mean */
        return (struct pp_diff_number){.value = surface->fps,
                                       .half = surface->fps * mean_error(&surface->time[PP_TIME_FRAME]),
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
            beyond += share * fmax(0, surface[i]->time[of->time].frames);
    return beyond >= PP_DIFF_TAIL_LEAST;
}

/* Does a row count for the exit status: the frame's time and its GPU time, by the statistic that was asked
 * for? */
static bool
decides(const struct pp_diff_build *build, const struct frame_row *of)
{
    if (of->stat != build->diff->options.stat || of->stat == PP_DIFF_MAX ||
        (of->time != PP_TIME_FRAME && of->time != PP_TIME_GPU))
        return false;
    return of->stat == PP_DIFF_P50 || of->stat == PP_DIFF_MEAN ||
           (has_tail(build->diff->olds, build->old_surface, of) &&
            has_tail(build->diff->news, build->new_surface, of));
}

int
pp_diff_add_frames(struct pp_diff_build *build)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < PP_ARRAY_SIZE(frame_row); i++) {
        const struct frame_row *of = &frame_row[i];
        const struct pp_diff_row row = {.kind = PP_DIFF_FRAME,
                                        .unit = of->unit,
                                        .stat = of->stat,
                                        .renamed = PP_DIFF_NO_ROW,
                                        .decides = decides(build, of)};
        struct pp_diff_row *made = NULL;
        if (!pp_diff_takes(build, of->name))
            continue;
        rc = pp_diff_add(build, &row, of->name, ask_frame, of, of, &made);
        if (rc == 0 && !made->old_runs && !made->new_runs) { /* neither side has it */
            free(made->name);
            build->part->len--;
        } else if (rc == 0 &&
                   (of->stat == PP_DIFF_MAX || of->unit == PP_DIFF_PER_MINUTE || of->of == compile_time)) {
            made->verdict = PP_DIFF_NO_VERDICT;
        }
    }
    return rc;
}
