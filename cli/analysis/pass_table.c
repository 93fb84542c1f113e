/** @file
 * See pass_table.h. */
#include "cli/analysis/pass_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/accuracy.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"

/* Passes that ran once are folded if there are at least this many of them, and if each has little of the GPU
 * time. */
#define FOLD_LEAST         3U
#define FOLD_SHARE_PERCENT 1.0
#define FOLD_FRAMES        10U /* in a session with fewer measured frames, nothing is folded */

/* Sum of a pass's times, less the empty brackets. @param bias Of an empty bracket, nanoseconds. */
static double
net_total(const struct pp_saved_pass *pass, double bias)
{
    return pp_less(pass->total_ns, bias * (double)pass->gpu_time.len);
}

/* The sum for all runs of a pass: those whose time was lost took as long as the others. */
static double
whole_total(const struct pp_saved_pass *pass, double bias)
{
    double net = net_total(pass, bias);
    return pp_saved_scale(net, pass->gpu_time.len, pass->kept);
}

double
pp_pass_table_total(const struct pp_saved_session *rec)
{
    double all = 0;
    for (size_t i = 0; i < rec->shown_passes; i++)
        all += whole_total(&rec->pass[i], pp_bias_of_surface(rec, rec->pass[i].surface).median_ns);
    return all;
}

/* Is there a pass to show? At level frame there is none: all work is work of no frame, measured as a
 * whole. */
static bool
has_passes(const struct pp_saved_session *rec)
{
    for (size_t i = 0; i < rec->shown_passes; i++)
        if (rec->pass[i].surface != PP_SAVED_NO_SURFACE || strcmp(rec->pass[i].kind, "frame") != 0)
            return true;
    return false;
}

/* A size, a count of layers or of samples: 0 is not known. */
static double
size_of(uint32_t size)
{
    return size ? size : (double)NAN;
}

static double
in_a_frame(const struct pp_saved_sum *sum, double per_frame)
{
    return sum->rows ? sum->sum / (double)sum->rows * per_frame : (double)NAN;
}

/* What renders, and where. */
static struct pp_pass_figures
identity_of(const struct pp_saved_session *rec, const struct pp_saved_pass *pass)
{
    return (struct pp_pass_figures){
        .pass = pass,
        .id = pass->pass_id,
        .kind = pass->kind,
        .name = pass->name,
        .label = pass->label,
        .queue = pass->queue,
        .surface = pass->surface < rec->surfaces ? rec->surface[pass->surface].surface : "",
        .attachments = pass->attachments,
        .bound_by = pp_saved_bound(pass),
        .begun_at = pass->calls.at,
        .width = size_of(pass->width),
        .height = size_of(pass->height),
        .layers = size_of(pass->layers),
        .samples = size_of(pass->samples),
        .place = (double)pass->place,
        .by_place = pass->by_place,
        .in_a_frame = pass->surface != PP_SAVED_NO_SURFACE,
        .passes = 1,
    };
}

/* The median distance of the values from their median. @param times In ascending order: so the distances on
 * both sides of the median ascend, too, and are merged until half of them have been seen. */
static double
median_distance(const struct pp_series *times, double median)
{
    size_t above = 0, seen = 0;
    double last = (double)NAN, before = (double)NAN;
    while (above < times->len && pp_series_at(times, above) < median)
        above++;
    for (size_t below = above; seen < times->len / 2 + 1 && seen < times->len; seen++) {
        before = last;
        double down = below ? median - pp_series_at(times, below - 1) : INFINITY;
        double up = above < times->len ? pp_series_at(times, above) - median : INFINITY;
        last = fmin(down, up);
        if (down < up)
            below--;
        else
            above++;
    }
    return times->len % 2 ? last : (before + last) / 2;
}

/* The figures of single times that a row has. @param times In ascending order. Empty: none is known. */
static void
set_times(struct pp_pass_figures *row, const struct pp_series *times, double bias)
{
    double median = pp_series_quantile7(times, 0.50);
    row->mean_ns = pp_less(pp_series_mean(times), bias);
    row->p5_ns = pp_less(pp_series_quantile7(times, 0.05), bias);
    row->p50_ns = pp_less(median, bias);
    row->p95_ns = pp_less(pp_series_quantile7(times, 0.95), bias);
    row->p99_ns = pp_less(pp_series_quantile7(times, 0.99), bias);
    row->mad_ns = median_distance(times, median);
}

static void
figures_make(struct pp_pass_figures *row, const struct pp_saved_session *rec, struct pp_saved_pass *pass,
             const struct pp_pass_table *table)
{
    const struct pp_series *times = &pass->gpu_time;
    size_t n = pass->gpu_time.len;
    const struct pp_bracket_bias of_empty = pp_bias_of_surface(rec, pass->surface);
    double bias = of_empty.median_ns, whole = whole_total(pass, bias);
    double frames = (double)rec->measured_frames;
    pp_series_sort(&pass->gpu_time);
    *row = identity_of(rec, pass);
    row->count = (double)(pass->kept ? pass->kept : pass->rows);
    row->frames = (double)pass->frames;
    row->per_frame = pp_ratio((double)pass->kept, frames);
    row->draws = pass->draws.rows ? pp_ratio(pass->draws.sum, frames) : (double)NAN;
    row->usual_draws = pp_saved_usual(&pass->usual_draws);
    row->dispatches = in_a_frame(&pass->dispatches, row->per_frame);
    row->copies = in_a_frame(&pass->copies, row->per_frame);
    row->share_percent = n ? 100 * pp_ratio(whole, table->all_ns) : (double)NAN;
    row->frame_ns = n ? pp_ratio(whole, frames) : (double)NAN;
    set_times(row, times, bias);
    row->max_ns = n ? pp_less(pass->gpu_time.most, bias) : (double)NAN;
    row->max_frame = n ? pass->gpu_time.most_frame : (double)NAN;
    row->spread = pass->gpu_time.spread;
    row->unresolved = row->mean_ns < 3 * of_empty.spread_ns; /* false where the spread is not known (NaN) */
}

#define ROW struct pp_pass_figures
/* Formats that show a figure of time. */
#define IN_FIGURES (PP_IN_TEXT | PP_IN_CSV | PP_IN_JSON | PP_IN_PAGE | PP_IN_SCRIPT)

static const struct pp_table_column columns[] = {
    {PP_CELL(ROW, title), .id = "title", .heading = "pass", .form = PP_FORM_TITLE,
     .in = PP_IN_PAGE | PP_IN_SCRIPT},
    {PP_CELL(ROW, id), .id = "id", .csv = "pass_id", .in = PP_IN_CSV | PP_IN_JSON,
     .doc = "pass_id, the same in the next run"},
    {PP_CELL(ROW, kind), .id = "kind", .in = PP_IN_JSON},
    {PP_CELL(ROW, name), .id = "name", .in = PP_IN_CSV | PP_IN_JSON},
    {PP_CELL(ROW, label), .id = "label", .in = PP_IN_CSV | PP_IN_JSON, .doc = "path of debug labels"},
    {PP_CELL(ROW, kind), .id = "kind", .in = PP_IN_CSV},
    {PP_CELL(ROW, queue), .id = "queue", .in = PP_IN_CSV, .doc = "the queue that runs it"},
    {PP_CELL(ROW, surface), .id = "surface", .in = PP_IN_CSV, .doc = "empty: work of no frame"},
    {PP_CELL(ROW, width), .id = "width", .in = PP_IN_CSV | PP_IN_JSON},
    {PP_CELL(ROW, height), .id = "height", .in = PP_IN_CSV | PP_IN_JSON, .doc = "of the render target"},
    {PP_CELL(ROW, layers), .id = "layers", .in = PP_IN_JSON, .since = 2},
    {PP_CELL(ROW, samples), .id = "samples", .in = PP_IN_JSON, .since = 2, .doc = "of the render target"},
    {PP_CELL(ROW, attachments), .id = "attachments", .in = PP_IN_JSON, .since = 2,
     .doc = "of the render target, as in passes.csv; empty: not known"},
    {PP_CELL(ROW, by_place), .id = "id_by_place", .in = PP_IN_JSON, .since = 2,
     .doc = "the id depends on the pass's place among equal ones, so that another pass in front of it "
            "changes it"},
    {PP_CELL(ROW, place), .id = "place", .in = PP_IN_JSON, .whole = true, .doc = "in the frame"},
    {PP_CELL(ROW, passes), .id = "passes", .in = PP_IN_CSV, .whole = true,
     .doc = "in this row: 1, or with `--by queue` those of the queue"},
    {PP_CELL(ROW, count), .id = "count", .in = PP_IN_CSV | PP_IN_JSON, .whole = true,
     .doc = "how often it ran, without first frames where it ran in others"},
    {PP_CELL(ROW, per_frame), .id = "per_frame", .in = PP_IN_CSV | PP_IN_JSON,
     .doc = "how often it ran in a measured frame"},
    {PP_CELL(ROW, frames), .id = "frames", .in = PP_IN_JSON, .since = 2,
     .doc = "frames with it, without first frames; null: the row represents several passes"},
    {PP_CELL(ROW, draws), .id = "draws_per_frame", .in = PP_IN_CSV | PP_IN_JSON},
    {PP_CELL(ROW, usual_draws), .id = "usual_draws", .in = PP_IN_JSON, .since = 2,
     .doc = "the draws that most of its rows have; null: they differ too much"},
    {PP_CELL(ROW, dispatches), .id = "dispatches_per_frame", .in = PP_IN_JSON, .since = 2},
    {PP_CELL(ROW, copies), .id = "copies_per_frame", .in = PP_IN_JSON, .since = 2},
    {PP_CELL(ROW, share_percent), .id = "gpu_share_percent", .csv = "share_percent", .heading = "GPU %",
     .unit = "percent", .form = PP_FORM_PERCENT, .in = IN_FIGURES, .width = 6,
     .unresolved = PP_UNRESOLVED_DASH, .doc = "of the GPU time of all passes of this surface"},
    {PP_CELL(ROW, frame_ns), .id = "gpu_ns_per_frame", .heading = "/frame", .unit = "ns",
     .form = PP_FORM_TIME, .in = IN_FIGURES, .width = 8, .unresolved = PP_UNRESOLVED_JOINED, .sort = "total"},
    {PP_CELL(ROW, mean_ns), .id = "mean_ns", .heading = "mean", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES & ~(unsigned)PP_IN_PAGE, .width = 6, .shown = PP_SHOWN_ALL,
     .unresolved = PP_UNRESOLVED_JOINED, .below = true, .sort = "mean"},
    {PP_CELL(ROW, p5_ns), .id = "p5_ns", .unit = "ns", .in = PP_IN_JSON, .since = 5,
     .doc = "5 % took less; from schema 5 on"},
    {PP_CELL(ROW, p50_ns), .id = "p50_ns", .heading = "p50", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES, .width = 5, .unresolved = PP_UNRESOLVED_JOINED, .below = true},
    {PP_CELL(ROW, p95_ns), .id = "p95_ns", .heading = "p95", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES, .width = 5, .unresolved = PP_UNRESOLVED_JOINED, .below = true, .sort = "p95"},
    {PP_CELL(ROW, p99_ns), .id = "p99_ns", .heading = "p99", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES, .width = 5, .shown = PP_SHOWN_WIDE, .unresolved = PP_UNRESOLVED_JOINED, .below = true,
     .sort = "p99"},
    {PP_CELL(ROW, mad_ns), .id = "mad_ns", .heading = "MAD", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES, .since = 7, .width = 5, .shown = PP_SHOWN_ALL, .unresolved = PP_UNRESOLVED_JOINED,
     .doc = "median absolute deviation: half of the times are less far from p50"},
    {PP_CELL(ROW, max_ns), .id = "max_ns", .heading = "max", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES, .width = 6, .below = true, .sort = "max"},
    {PP_CELL(ROW, max_frame), .id = "max_frame", .heading = "frame", .form = PP_FORM_FRAME,
     .in = IN_FIGURES & ~(unsigned)PP_IN_PAGE, .width = 6},
    {PP_CELL(ROW, count), .id = "count", .heading = "count", .form = PP_FORM_COUNT,
     .in = PP_IN_TEXT | PP_IN_SCRIPT, .width = 7, .shown = PP_SHOWN_ALL, .sort = "count"},
    {PP_CELL(ROW, draws), .id = "draws_per_frame", .heading = "draws", .form = PP_FORM_MEAN,
     .in = PP_IN_TEXT | PP_IN_PAGE | PP_IN_SCRIPT, .width = 5},
    {PP_CELL(ROW, width), .id = "width", .heading = "size", .form = PP_FORM_SIZE, .in = PP_IN_SCRIPT},
    {PP_CELL(ROW, spread), .id = "within_run", .in = PP_IN_JSON, .since = 2},
    {PP_CELL(ROW, unresolved), .id = "below_resolution", .in = PP_IN_JSON,
     .doc = "the mean is below the resolution of brackets"},
    {PP_CELL(ROW, in_a_frame), .id = "in_a_frame", .in = PP_IN_JSON, .usually = true,
     .doc = "false: work that belongs to no frame; it is listed with the first surface"},
    {PP_CELL(ROW, bound_by), .id = "bound_by", .heading = "bound by",
     .in = PP_IN_JSON | PP_IN_PAGE | PP_IN_SCRIPT, .doc = "hardware unit that bounds it; empty: not known"},
    {PP_CELL(ROW, counters), .id = "counters", .in = PP_IN_JSON, .since = 2, .schema = "means"},
    {PP_CELL(ROW, begun_at), .id = "at", .heading = "begun at", .in = PP_IN_CSV | PP_IN_JSON | PP_IN_SCRIPT,
     .since = 2,
     .doc = "with `record -g`: the innermost call that began it, FILE:LINE; FUNCTION or MODULE+0xOFFSET "
            "where no line is "
            "known. Calls at other places may have begun it in other frames"},
    {PP_CELL(ROW, title), .id = "title", .heading = "pass", .form = PP_FORM_TITLE,
     .in = PP_IN_TEXT | PP_IN_DATA},
};

const struct pp_columns pp_pass_columns = {"passes", "pass", columns, PP_ARRAY_SIZE(columns), sizeof(ROW)};

/* Passes that share a row. */
enum fold { FOLD_NONE, FOLD_ONE_OFF, FOLD_FRAMELESS, FOLDS };

/* With which other passes does this one share a row: one that cost little, and ran once, or only in first
 * frames, or in no frame? */
static enum fold
fold_of(const struct pp_pass_figures *row, const struct pp_saved_session *rec)
{
    if (row->share_percent >= FOLD_SHARE_PERCENT)
        return FOLD_NONE;
    if (row->pass->surface == PP_SAVED_NO_SURFACE)
        return rec->frames ? FOLD_FRAMELESS : FOLD_NONE;
    if (row->pass->kept == 0 && rec->measured_frames)
        return FOLD_ONE_OFF;
    return row->pass->kept <= 1 && rec->measured_frames >= FOLD_FRAMES ? FOLD_ONE_OFF : FOLD_NONE;
}

static double
larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

static void
add_to_fold(struct pp_pass_figures *fold, const struct pp_pass_figures *row)
{
    bool only_first = row->pass->kept == 0, other_level = only_first && row->pass->other_level;
    if (!fold->folded++) {
        *fold = *row;
        fold->folded = 1;
        fold->only_first = only_first;
        fold->other_level = other_level;
        fold->unresolved = false;
        fold->frames = (double)NAN;
        set_times(fold, &(const struct pp_series){.len = 0}, 0);
        return;
    }
    fold->only_first = fold->only_first && only_first;
    fold->other_level = fold->other_level || other_level;
    fold->count += row->count;
    fold->per_frame += row->per_frame;
    fold->draws += isnan(row->draws) ? 0 : row->draws;
    fold->share_percent = isnan(row->share_percent)    ? fold->share_percent
                          : isnan(fold->share_percent) ? row->share_percent
                                                       : fold->share_percent + row->share_percent;
    fold->frame_ns = isnan(row->frame_ns)    ? fold->frame_ns
                     : isnan(fold->frame_ns) ? row->frame_ns
                                             : fold->frame_ns + row->frame_ns;
    if (larger(fold->max_ns, row->max_ns) > fold->max_ns || isnan(fold->max_ns)) {
        fold->max_ns = row->max_ns;
        fold->max_frame = row->max_frame;
    }
}

/* Put the passes that ran once, and those of no frame, into a row each, at the end. */
static void
fold_rows(struct pp_pass_table *table, const struct pp_saved_session *rec)
{
    struct pp_pass_figures fold[FOLDS] = {{.folded = 0}};
    size_t count[FOLDS] = {0}, kept = 0;
    for (size_t i = 0; i < table->len; i++)
        count[fold_of(&table->row[i], rec)]++;
    for (size_t i = 0; i < table->len; i++) {
        enum fold of = fold_of(&table->row[i], rec);
        if (of != FOLD_NONE && count[of] >= FOLD_LEAST)
            add_to_fold(&fold[of], &table->row[i]);
        else
            table->row[kept++] = table->row[i];
    }
    fold[FOLD_FRAMELESS].frameless = true;
    for (size_t of = FOLD_ONE_OFF; of < FOLDS; of++)
        if (fold[of].folded)
            table->row[kept++] = fold[of];
    table->len = kept;
}

static int
by_queue(const void *a, const void *b)
{
    const struct pp_pass_figures *x = a, *y = b;
    int order = strcmp(x->pass->queue, y->pass->queue);
    return order ? order : (x->pass > y->pass) - (x->pass < y->pass);
}

/* Make one row of the passes of a queue. */
static int
queue_make(const struct pp_saved_session *rec, const struct pp_pass_figures *row, size_t rows,
           struct pp_pass_figures *ret)
{
    struct pp_pass_figures all = {.folded = 0};
    struct pp_series times = {.len = 0};
    const struct pp_bracket_bias bias = pp_bias_of_surface(rec, row->pass->surface);
    double net = 0;
    for (size_t i = 0; i < rows; i++) {
        add_to_fold(&all, &row[i]);
        net += net_total(row[i].pass, pp_bias_of_surface(rec, row[i].pass->surface).median_ns);
        if (pp_series_append(&times, &row[i].pass->gpu_time)) {
            pp_series_finish(&times);
            return -ENOMEM;
        }
    }
    pp_series_order(&times);
    all.id = all.name = all.label = all.kind = all.surface = "";
    all.begun_at = NULL;
    all.width = all.height = (double)NAN;
    all.passes = (double)rows;
    all.of_queue = true;
    set_times(&all, &times, bias.median_ns);
    all.mean_ns = times.len ? net / (double)times.len : (double)NAN;
    all.unresolved = all.mean_ns < 3 * bias.spread_ns;
    pp_series_finish(&times);
    *ret = all;
    return 0;
}

/* Make one row for each queue. Times of a row are those of single passes. */
static int
group_by_queue(const struct pp_saved_session *rec, struct pp_pass_table *table)
{
    size_t queues = 0;
    if (!table->len)
        return 0;
    qsort(table->row, table->len, sizeof(*table->row), by_queue);
    for (size_t i = 0; i < table->len;) {
        size_t rows = 1;
        struct pp_pass_figures queue;
        while (i + rows < table->len &&
               strcmp(table->row[i + rows].pass->queue, table->row[i].pass->queue) == 0)
            rows++;
        int rc = queue_make(rec, &table->row[i], rows, &queue);
        if (rc)
            return rc;
        table->row[queues++] = queue;
        i += rows;
    }
    table->len = queues;
    return 0;
}

/* Leave out the rows that the view does not show. */
static void
leave_out(struct pp_pass_table *table, const struct pp_view *view)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->len; i++) {
        const struct pp_pass_figures *row = &table->row[i];
        if (pp_view_takes_share(view, row->share_percent)) {
            table->row[kept++] = *row;
            continue;
        }
        table->left_out += row->folded ? row->folded : 1;
        table->left_out_percent += isnan(row->share_percent) ? 0 : row->share_percent;
    }
    table->len = kept;
}

/* Compare two rows in the order of a view. A row of several passes stays at the end. */
static int
by_view(const void *a, const void *b, void *view)
{
    const struct pp_pass_figures *x = a, *y = b;
    const struct pp_table_column *column = pp_columns_sort(&pp_pass_columns, pp_view_sort_name(view));
    if (!x->of_queue && !x->folded != !y->folded)
        return x->folded ? 1 : -1;
    int order = pp_view_order(pp_column_number(column, x), pp_column_number(column, y));
    return order ? order : (x->pass > y->pass) - (x->pass < y->pass); /* as they are: by their totals */
}

int
pp_pass_table_make(struct pp_saved_session *rec, const struct pp_view *view, struct pp_pass_table *ret)
{
    struct pp_pass_table table = {.bias = pp_bias_of_surface(rec, rec->shown)};
    if (!has_passes(rec)) {
        *ret = table;
        return 0;
    }
    table.row = calloc(rec->shown_passes + 1, sizeof(*table.row));
    if (!table.row)
        return -ENOMEM;
    table.all_ns = pp_pass_table_total(rec);
    for (size_t i = 0; i < rec->shown_passes; i++)
        if (pp_view_takes_pass(view, &rec->pass[i]))
            figures_make(&table.row[table.len++], rec, &rec->pass[i], &table);
    int rc = view->by == PP_BY_QUEUE ? group_by_queue(rec, &table) : 0;
    if (rc) {
        pp_pass_table_finish(&table);
        return rc;
    }
    if (view->by != PP_BY_QUEUE && view->fold)
        fold_rows(&table, rec);
    leave_out(&table, view);
    struct pp_view order = *view; /* qsort_r() wants what is not const */
    if (view->sort != PP_SORT_TOTAL || view->by == PP_BY_QUEUE)
        qsort_r(table.row, table.len, sizeof(*table.row), by_view, &order);
    *ret = table;
    return 0;
}

void
pp_pass_table_finish(struct pp_pass_table *table)
{
    free(table->row);
    *table = (struct pp_pass_table){.len = 0};
}
