/** @file
 * See live_interval.h. */
#include "cli/analysis/live_interval.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "counters/stats/stats.h"
#include "counters/util/grow_array.h"

#define FRAMES_MAX ((size_t)1 << 20)

/* Columns of frames.csv and of passes.csv, in the order of pp_live_interval.column. */
enum { FRAME_SURFACE, FRAME_START, FRAME_TIME, FRAME_GPU, FRAME_COLUMNS };
enum { PASS_FRAME, PASS_ID, PASS_NAME, PASS_LABEL, PASS_GPU, PASS_COLUMNS };
static const char *const frame_column[FRAME_COLUMNS] = {"surface", "cpu_start_ns", "frame_time_ns",
                                                        "gpu_busy_ns"};
static const char *const pass_column[PASS_COLUMNS] = {"frame", "pass_id", "name", "label", "gpu_time_ns"};

/* pp_csv_reader.header of frames.csv. */
static bool
on_frames_header(void *data, const struct pp_cell *cell, size_t cells)
{
    pp_columns_find(cell, cells, frame_column, FRAME_COLUMNS, ((struct pp_live_interval *)data)->column);
    return true;
}

/* pp_csv_reader.header of passes.csv. */
static bool
on_passes_header(void *data, const struct pp_cell *cell, size_t cells)
{
    pp_columns_find(cell, cells, pass_column, PASS_COLUMNS, ((struct pp_live_interval *)data)->column);
    return true;
}

static double
number(const struct pp_live_interval *interval, size_t column, const struct pp_cell *cell, size_t cells)
{
    size_t at = interval->column[column];
    return at < cells ? pp_cell_value(&cell[at]) : (double)NAN;
}

static const char *
text(const struct pp_live_interval *interval, size_t column, const struct pp_cell *cell, size_t cells)
{
    size_t at = interval->column[column];
    return at < cells ? cell[at].text : "";
}

/* The surface of this name; the last one of the array represents all that are too many. */
static size_t
surface_of(struct pp_live_interval *interval, const char *name)
{
    size_t i = 0;
    while (i < interval->surfaces && strncmp(interval->surface[i].name, name, PP_LIVE_NAME - 1) != 0)
        i++;
    if (i == PP_LIVE_SURFACES)
        return i - 1;
    if (i == interval->surfaces) {
        snprintf(interval->surface[i].name, PP_LIVE_NAME, "%s", name);
        interval->surfaces++;
    }
    return i;
}

/* pp_csv_reader.row of frames.csv. */
static bool
on_frame(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_live_interval *interval = data;
    size_t index = surface_of(interval, text(interval, FRAME_SURFACE, cell, cells));
    struct pp_live_interval_surface *surface = &interval->surface[index];
    double start_ns = number(interval, FRAME_START, cell, cells);
    double time_ns = number(interval, FRAME_TIME, cell, cells);
    bool known = interval->frames_file.again && start_ns <= surface->newest_ns;
    if (known || !(time_ns > 0) || interval->frames == FRAMES_MAX ||
        pp_grow_array(&interval->frame, &interval->frame_cap, interval->frames + 1, sizeof(*interval->frame)))
        return true;
    interval->frame[interval->frames++] =
        (struct pp_live_interval_frame){time_ns, number(interval, FRAME_GPU, cell, cells), index};
    if (start_ns > surface->newest_ns)
        surface->newest_ns = start_ns;
    interval->begun = true;
    return true;
}

/* The pass of this id; NULL: there are too many. */
static struct pp_live_interval_pass *
pass_of(struct pp_live_interval *interval, const char *id)
{
    size_t i = 0;
    while (i < interval->passes && strcmp(interval->pass[i].id, id) != 0)
        i++;
    if (i == PP_LIVE_PASSES || strlen(id) >= sizeof(interval->pass[i].id))
        return NULL;
    if (i == interval->passes) {
        interval->pass[i] = (struct pp_live_interval_pass){.gpu_ns = 0};
        memcpy(interval->pass[i].id, id, strlen(id) + 1);
        interval->passes++;
    }
    return &interval->pass[i];
}

/* pp_csv_reader.row of passes.csv. */
static bool
on_pass(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_live_interval *interval = data;
    double frame = number(interval, PASS_FRAME, cell, cells);
    double gpu_ns = number(interval, PASS_GPU, cell, cells);
    bool known = interval->passes_file.again && frame <= interval->newest_pass;
    if (isnan(frame) || known || !(gpu_ns >= 0))
        return true;
    interval->newest_pass = fmax(interval->newest_pass, frame);
    interval->passes_ns += gpu_ns;
    struct pp_live_interval_pass *pass = pass_of(interval, text(interval, PASS_ID, cell, cells));
    if (!pass)
        return true;
    const char *label = text(interval, PASS_LABEL, cell, cells);
    snprintf(pass->name, sizeof(pass->name), "%s", *label ? label : text(interval, PASS_NAME, cell, cells));
    pass->gpu_ns += gpu_ns;
    return true;
}

void
pp_live_interval_read(struct pp_live_interval *interval, int dir_fd, bool passes)
{
    const struct pp_csv_reader frames = {.header = on_frames_header, .row = on_frame, .data = interval};
    const struct pp_csv_reader rows = {.header = on_passes_header, .row = on_pass, .data = interval};
    (void)!pp_follow_read(&interval->frames_file, dir_fd, "frames.csv", &frames);
    if (passes)
        (void)!pp_follow_read(&interval->passes_file, dir_fd, "passes.csv", &rows);
}

/* The surface with the most frames in the interval. */
static size_t
busiest_surface(const struct pp_live_interval *interval)
{
    size_t count[PP_LIVE_SURFACES] = {0};
    size_t best = 0;
    for (size_t i = 0; i < interval->frames; i++)
        count[interval->frame[i].surface]++;
    for (size_t i = 1; i < PP_LIVE_SURFACES; i++)
        if (count[i] > count[best])
            best = i;
    return best;
}

/* Count the slow ones of the interval's frame times. */
static size_t
slow_frames(struct pp_live_interval *interval, const double *time, size_t n)
{
    double last[PP_NEIGHBOURS_MAX];
    size_t slow = 0;
    for (size_t i = 0; i < n; i++)
        interval->recent[interval->recents++ % PP_NEIGHBOURS_MAX] = time[i];
    size_t known = interval->recents < PP_NEIGHBOURS_MAX ? interval->recents : PP_NEIGHBOURS_MAX;
    memcpy(last, interval->recent, known * sizeof(*last));
    struct pp_baseline base = pp_baseline_of_times(last, known);
    for (size_t i = 0; i < n; i++)
        slow += time[i] >= base.slow_ns;
    return slow;
}

/* Take the most expensive passes out of the interval. */
static void
take_passes(struct pp_live_interval *interval, struct pp_live_interval_figures *ret)
{
    while (ret->passes < PP_LIVE_SHOWN && interval->passes) {
        size_t most = 0;
        for (size_t i = 1; i < interval->passes; i++)
            if (interval->pass[i].gpu_ns > interval->pass[most].gpu_ns)
                most = i;
        if (!(interval->pass[most].gpu_ns > 0))
            return;
        memcpy(ret->pass[ret->passes].name, interval->pass[most].name, PP_LIVE_NAME);
        ret->pass[ret->passes++].percent = 100 * interval->pass[most].gpu_ns / interval->passes_ns;
        interval->pass[most] = interval->pass[--interval->passes];
    }
}

int
pp_live_interval_take(struct pp_live_interval *interval, struct pp_live_interval_figures *ret)
{
    double *time = calloc(2 * interval->frames + 1, sizeof(*time));
    if (!time)
        return -ENOMEM;
    *ret = (struct pp_live_interval_figures){.frames = 0};
    double *gpu = time + interval->frames;
    size_t with_gpu = 0;
    size_t surface = busiest_surface(interval);
    for (size_t i = 0; i < interval->frames; i++) {
        if (interval->frame[i].surface != surface)
            continue;
        time[ret->frames++] = interval->frame[i].time_ns;
        if (!isnan(interval->frame[i].gpu_ns))
            gpu[with_gpu++] = interval->frame[i].gpu_ns;
    }
    ret->slow = slow_frames(interval, time, ret->frames);
    ret->fps = pp_average_fps(time, ret->frames, 1e9);
    pp_stats_sort(time, ret->frames);
    ret->p99_ns = pp_quantile7(time, ret->frames, 0.99);
    ret->gpu_ns = pp_stats_mean(gpu, with_gpu);
    take_passes(interval, ret);
    interval->frames = interval->passes = 0;
    interval->passes_ns = 0;
    free(time);
    return 0;
}

void
pp_live_interval_finish(struct pp_live_interval *interval)
{
    pp_follow_finish(&interval->frames_file);
    pp_follow_finish(&interval->passes_file);
    free(interval->frame);
    memset(interval, 0, sizeof(*interval));
}
