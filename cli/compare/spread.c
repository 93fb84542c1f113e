/** @file
 * See spread.h. */
#include "cli/compare/spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"

/* Times of frames that have a row. */
static const struct {
    const char *name;
    enum pp_time_kind time;
} frame_time[] = {{"frame_time", PP_TIME_FRAME},
                  {"cpu_busy", PP_TIME_CPU_BUSY},
                  {"gpu_time", PP_TIME_GPU},
                  {"gpu_busy", PP_TIME_GPU_BUSY}};

/* Sum of percentiles within runs. */
struct within {
    double p50, p95, p99;
    size_t runs[3];
};

/* The surface of a run that is described. @return NULL: the run has none. */
static const struct pp_run_surface *
surface_of(const struct pp_run_figures *run)
{
    return run->surfaces ? &run->surface[0] : NULL;
}

/* Append a row. @return NULL: no memory. */
static struct pp_runs_spread_row *
add_row(struct pp_runs_spread *spread, enum pp_runs_spread_kind kind, const char *name)
{
    if (pp_grow_array(&spread->row, &spread->cap, spread->len + 1, sizeof(*spread->row)))
        return NULL;
    struct pp_runs_spread_row *row = &spread->row[spread->len];
    *row = (struct pp_runs_spread_row){
        .kind = kind, .name = name, .label = "", .id = "", .p50 = NAN, .p95 = NAN, .p99 = NAN};
    row->value = calloc(spread->runs ? spread->runs : 1, sizeof(*row->value));
    if (!row->value)
        return NULL;
    for (size_t i = 0; i < spread->runs; i++)
        row->value[i] = NAN;
    spread->len++;
    return row;
}

static void
add_within(struct within *within, double p50, double p95, double p99)
{
    const double value[] = {p50, p95, p99};
    double *const sum[] = {&within->p50, &within->p95, &within->p99};
    for (size_t i = 0; i < PP_ARRAY_SIZE(value); i++) {
        if (!isfinite(value[i]))
            continue;
        *sum[i] += value[i];
        within->runs[i]++;
    }
}

/* Set what follows from the runs' values. */
static void
finish_row(const struct pp_runs_spread *spread, struct pp_runs_spread_row *row, const struct within *within)
{
    row->between = pp_run_spread_of(row->value, spread->runs);
    row->p50 = within->runs[0] ? within->p50 / (double)within->runs[0] : (double)NAN;
    row->p95 = within->runs[1] ? within->p95 / (double)within->runs[1] : (double)NAN;
    row->p99 = within->runs[2] ? within->p99 / (double)within->runs[2] : (double)NAN;
}

/* Leave out a row that no run has. */
static void
drop_empty(struct pp_runs_spread *spread)
{
    struct pp_runs_spread_row *last = &spread->row[spread->len - 1];
    if (last->between.runs)
        return;
    free(last->value);
    spread->len--;
}

static int
add_frames(struct pp_runs_spread *spread)
{
    struct pp_runs_spread_row *row = add_row(spread, PP_SPREAD_FPS, "fps");
    if (!row)
        return -ENOMEM;
    for (size_t i = 0; i < spread->runs; i++)
        if (surface_of(&spread->run[i]))
            row->value[i] = surface_of(&spread->run[i])->fps;
    finish_row(spread, row, &(struct within){.p50 = 0});
    drop_empty(spread);
    for (size_t t = 0; t < PP_ARRAY_SIZE(frame_time); t++) {
        struct within within = {.p50 = 0};
        row = add_row(spread, PP_SPREAD_TIME, frame_time[t].name);
        if (!row)
            return -ENOMEM;
        for (size_t i = 0; i < spread->runs; i++) {
            const struct pp_run_surface *surface = surface_of(&spread->run[i]);
            const struct pp_time_figures *times = surface ? &surface->time[frame_time[t].time] : NULL;
            if (!times)
                continue;
            row->value[i] = times->mean_ns;
            add_within(&within, times->p50_ns, times->p95_ns, times->p99_ns);
        }
        finish_row(spread, row, &within);
        drop_empty(spread);
    }
    return 0;
}

/* Is there a row of this pass already? @param first The first row of passes. */
static bool
has_pass(const struct pp_runs_spread *spread, size_t first, const struct pp_pass_figures *pass)
{
    for (size_t i = first; i < spread->len; i++)
        if (strcmp(spread->row[i].id, pass->id) == 0 && strcmp(spread->row[i].name, pass->name) == 0)
            return true;
    return false;
}

static int
add_pass(struct pp_runs_spread *spread, const struct pp_pass_figures *pass)
{
    struct within within = {.p50 = 0};
    struct pp_runs_spread_row *row = add_row(spread, PP_SPREAD_PASS, pass->name);
    if (!row)
        return -ENOMEM;
    row->label = pass->label;
    row->id = pass->id;
    for (size_t i = 0; i < spread->runs; i++) {
        bool lacks = false;
        const struct pp_pass_figures *same =
            pp_run_find_cost(surface_of(&spread->run[i]), pass->id, pass->name, &lacks);
        if (lacks)
            row->value[i] = 0;
        if (!same)
            continue;
        row->value[i] = same->frame_ns;
        add_within(&within, same->p50_ns, same->p95_ns, same->p99_ns);
    }
    finish_row(spread, row, &within);
    drop_empty(spread);
    return 0;
}

/* The longest pass first; equal ones by name and id, so that the order is always the same. */
static int
longest_first(const void *a, const void *b)
{
    const struct pp_runs_spread_row *x = a;
    const struct pp_runs_spread_row *y = b;
    if (x->between.mean != y->between.mean)
        return x->between.mean < y->between.mean ? 1 : -1;
    int names = strcmp(x->name, y->name);
    return names ? names : strcmp(x->id, y->id);
}

static int
add_passes(struct pp_runs_spread *spread)
{
    size_t first = spread->len;
    for (size_t i = 0; i < spread->runs; i++) {
        const struct pp_run_surface *surface = surface_of(&spread->run[i]);
        for (size_t p = 0; surface && p < surface->passes; p++) {
            const struct pp_pass_figures *pass = &surface->pass[p];
            /* passes of the first run are all different */
            if (!pp_run_pass_counts(pass) || (i && has_pass(spread, first, pass)))
                continue;
            if (add_pass(spread, pass))
                return -ENOMEM;
        }
    }
    if (spread->len > first)
        qsort(spread->row + first, spread->len - first, sizeof(*spread->row), longest_first);
    return 0;
}

/* Counters that the first run has: all runs measure the same events. */
static int
add_counters(struct pp_runs_spread *spread)
{
    const struct pp_run_surface *of = surface_of(&spread->run[0]);
    for (size_t c = 0; of && c < of->counters; c++) {
        struct pp_runs_spread_row *row = add_row(spread, PP_SPREAD_COUNTER, of->counter[c].name);
        if (!row)
            return -ENOMEM;
        for (size_t i = 0; i < spread->runs; i++) {
            const struct pp_run_surface *surface = surface_of(&spread->run[i]);
            const struct pp_counter_figures *same =
                surface ? pp_run_find_counter(surface, of->counter[c].name) : NULL;
            if (same)
                row->value[i] = same->mean;
        }
        finish_row(spread, row, &(struct within){.p50 = 0});
        drop_empty(spread);
    }
    return 0;
}

int
pp_runs_spread_make(const struct pp_run_figures *run, size_t runs, struct pp_runs_spread *ret)
{
    struct pp_runs_spread spread = {.run = run, .runs = runs};
    for (size_t i = 0; i < runs; i++)
        spread.other_surfaces = spread.other_surfaces || run[i].surfaces > 1;
    int rc = add_frames(&spread);
    rc = rc ? rc : add_passes(&spread);
    rc = rc ? rc : add_counters(&spread);
    if (rc)
        pp_runs_spread_finish(&spread);
    else
        *ret = spread;
    return rc;
}

double
pp_runs_spread_of_frame(const struct pp_runs_spread *spread)
{
    double widest = NAN;
    for (size_t i = 0; i < spread->len; i++) {
        const struct pp_runs_spread_row *row = &spread->row[i];
        if (row->kind == PP_SPREAD_TIME &&
            (strcmp(row->name, "frame_time") == 0 || strcmp(row->name, "gpu_time") == 0))
            widest = fmax(widest, row->between.half_share);
    }
    return widest;
}

void
pp_runs_spread_finish(struct pp_runs_spread *spread)
{
    for (size_t i = 0; i < spread->len; i++)
        free(spread->row[i].value);
    free(spread->row);
    *spread = (struct pp_runs_spread){.runs = 0};
}
