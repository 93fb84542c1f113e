/** @file
 * See draw_table.h. */
#include "cli/analysis/draw_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/accuracy.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"

/** What the figures of one or several draws are made from. Begin with all zero. */
struct pp_draw_sums {
    double gross, net; /**< of the measure; net: of times, less the bias */
    uint64_t timed, rows;
    struct pp_saved_sum vertices, instances;
};

/* A draw's sum of a measure, as the CSV file has it. */
static double
draw_value(const struct pp_saved_draw *draw, enum pp_draw_measure measure)
{
    switch (measure) {
    case PP_DRAWS_BY_TIME:
        return draw->total_ns;
    case PP_DRAWS_BY_INVOCATIONS:
        return draw->invocations.sum;
    case PP_DRAWS_BY_VERTICES:
        return draw->vertex_runs;
    case PP_DRAWS_BY_COUNT:
        break;
    }
    return (double)draw->rows;
}

/* What an empty bracket of a draw measures: two timestamps, as that of a pass. */
static struct pp_bracket_bias
bias_of(const struct pp_draw_table *table, const struct pp_saved_draw *draw)
{
    return pp_bias_of_surface(table->rec, draw->surface);
}

/* A draw's sum of the table's measure; of times, less the empty brackets, and with rows whose time was lost.
 */
static double
draw_net(const struct pp_saved_draw *draw, const struct pp_draw_table *table)
{
    double total = draw_value(draw, table->measure);
    bool time = table->measure == PP_DRAWS_BY_TIME;
    if (!time)
        return total;
    double net = pp_less(total, bias_of(table, draw).median_ns * (double)draw->timed);
    return pp_saved_scale(net, draw->timed, draw->rows);
}

/* Add a draw. */
static void
draw_sums_add(struct pp_draw_sums *sums, const struct pp_saved_draw *draw, const struct pp_draw_table *table)
{
    sums->gross += draw_value(draw, table->measure);
    sums->net += draw_net(draw, table);
    sums->timed += draw->timed;
    sums->rows += draw->rows;
    sums->vertices.sum += draw->vertices.sum;
    sums->vertices.rows += draw->vertices.rows;
    sums->instances.sum += draw->instances.sum;
    sums->instances.rows += draw->instances.rows;
}

/* Make the figures of sums, as of one draw. @param times Of all its draws; sorted. */
static struct pp_draw_figures
draw_figures_make(const struct pp_draw_table *table, struct pp_saved_draw *draw,
                  const struct pp_draw_sums *sums, struct pp_series *times)
{
    static const char *const measure[] = {[PP_DRAWS_BY_TIME] = "gpu_ns",
                                          [PP_DRAWS_BY_INVOCATIONS] = "invocations",
                                          [PP_DRAWS_BY_VERTICES] = "vertices",
                                          [PP_DRAWS_BY_COUNT] = "draws"};
    double nothing = (double)NAN, frames = table->frames;
    struct pp_draw_figures row = {
        .draw = draw,
        .id = draw->draw_id,
        .call = draw->call,
        .pipeline = draw->pipeline,
        .label = draw->label,
        .pass_id = draw->pass_id ? draw->pass_id : "",
        .surface = draw->surface < table->rec->surfaces ? table->rec->surface[draw->surface].surface : "",
        .begun_at = draw->calls.at,
        .is_call = !*draw->pipeline,
        .name = *draw->pipeline ? draw->pipeline : draw->call,
        .ranked_by = measure[table->measure],
        .one_pass = true,
        .place = (double)draw->place,
        .draws = 1,
        .count = (double)sums->rows,
        .rows_per_frame = frames > 0 ? (double)sums->rows / frames : nothing,
        .total = sums->net,
        .mean = sums->net / (double)sums->rows,
        .mean_ns = nothing,
        .p95 = nothing,
        .p99 = nothing,
        .max = nothing,
        .max_frame = nothing,
        .vertices = pp_saved_mean(&sums->vertices),
        .instances = pp_saved_mean(&sums->instances)};
    if (table->measure == PP_DRAWS_BY_TIME) {
        const struct pp_bracket_bias of_empty = bias_of(table, draw);
        double bias = of_empty.median_ns;
        pp_series_order(times);
        row.mean = row.mean_ns = pp_less(sums->gross / (double)sums->timed, bias);
        row.p95 = pp_less(pp_series_quantile7(times, 0.95), bias);
        row.p99 = pp_less(pp_series_quantile7(times, 0.99), bias);
        row.max = pp_less(times->most, bias);
        row.max_frame = times->most_frame;
        row.unresolved = row.mean < 3 * of_empty.spread_ns; /* false where the spread is not known */
    }
    row.share_percent = table->all > 0 && !row.unresolved ? 100 * sums->net / table->all : nothing;
    row.per_frame = frames > 0 ? sums->net / frames : nothing;
    row.frame_ns = table->measure == PP_DRAWS_BY_TIME ? row.per_frame : nothing;
    row.invocations = table->measure == PP_DRAWS_BY_INVOCATIONS ? row.per_frame : nothing;
    return row;
}

#define ROW struct pp_draw_figures

static const struct pp_table_column columns[] = {
    {PP_CELL(ROW, name), .id = "name", .in = PP_IN_JSON},
    {PP_CELL(ROW, is_call), .id = "is_call", .in = PP_IN_JSON, .doc = "the name is that of a call"},
    {PP_CELL(ROW, rows_per_frame), .id = "per_frame", .in = PP_IN_JSON,
     .doc = "rows of draws.csv in a frame whose passes were measured"},
    {PP_CELL(ROW, ranked_by), .id = "measure", .in = PP_IN_JSON,
     .values = "gpu_ns|invocations|vertices|draws", .doc = "what they are ranked by"},
    {PP_CELL(ROW, per_frame), .id = "measure_per_frame", .in = PP_IN_JSON},
    {PP_CELL(ROW, id), .id = "id", .csv = "draw_id", .in = PP_IN_CSV | PP_IN_DATA},
    {PP_CELL(ROW, call), .id = "call", .in = PP_IN_CSV | PP_IN_DATA},
    {PP_CELL(ROW, pipeline), .id = "pipeline", .in = PP_IN_CSV | PP_IN_DATA, .doc = "or shader program"},
    {PP_CELL(ROW, label), .id = "label", .in = PP_IN_CSV | PP_IN_DATA},
    {PP_CELL(ROW, pass_id), .id = "pass_id", .in = PP_IN_CSV | PP_IN_DATA, .doc = "the pass that has it"},
    {PP_CELL(ROW, begun_at), .id = "at", .in = PP_IN_DATA},
    {PP_CELL(ROW, surface), .id = "surface", .in = PP_IN_CSV, .doc = "empty: work of no frame"},
    {PP_CELL(ROW, place), .id = "place", .in = PP_IN_CSV | PP_IN_DATA, .doc = "in the frame"},
    {PP_CELL(ROW, draws), .id = "draws", .in = PP_IN_CSV, .doc = "in this row: 1, or those of the group"},
    {PP_CELL(ROW, count), .id = "count", .in = PP_IN_CSV | PP_IN_DATA, .doc = "rows of draws.csv"},
    {PP_CELL(ROW, vertices), .id = "vertices", .in = PP_IN_CSV, .doc = "mean of such a row"},
    {PP_CELL(ROW, instances), .id = "instances", .in = PP_IN_CSV, .doc = "mean of such a row"},
    {PP_CELL(ROW, share_percent), .id = "share_percent", .heading = "GPU %", .unit = "percent",
     .form = PP_FORM_PERCENT, .in = PP_IN_TEXT | PP_IN_CSV | PP_IN_JSON | PP_IN_DATA, .width = 6,
     .doc = "of this measure"},
    {PP_CELL(ROW, share_percent), .id = "share_percent", .heading = "share", .form = PP_FORM_PERCENT,
     .in = PP_IN_COUNTS, .width = 6},
    {PP_CELL(ROW, total), .id = "total", .in = PP_IN_DATA, .sort = "total"},
    {PP_CELL(ROW, frame_ns), .id = "gpu_ns_per_frame", .unit = "ns", .in = PP_IN_CSV,
     .doc = "in a frame whose passes were measured"},
    {PP_CELL(ROW, per_frame), .id = "per_frame", .heading = "/frame", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_DATA, .width = 10, .unresolved = PP_UNRESOLVED_JOINED},
    {PP_CELL(ROW, per_frame), .id = "per_frame", .heading = "a frame", .form = PP_FORM_ROUGH,
     .in = PP_IN_COUNTS, .width = 10},
    {PP_CELL(ROW, mean_ns), .id = "mean_ns", .unit = "ns", .in = PP_IN_CSV},
    {PP_CELL(ROW, mean), .id = "mean", .heading = "mean", .form = PP_FORM_TIME, .in = PP_IN_TEXT | PP_IN_DATA,
     .width = 10, .shown = PP_SHOWN_ALL, .unresolved = PP_UNRESOLVED_JOINED, .sort = "mean"},
    {PP_CELL(ROW, mean), .id = "mean", .heading = "mean", .form = PP_FORM_ROUGH, .in = PP_IN_COUNTS,
     .width = 10, .shown = PP_SHOWN_ALL, .sort = "mean"},
    {PP_CELL(ROW, p95), .id = "p95", .csv = "p95_ns", .heading = "p95", .unit = "ns", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_CSV | PP_IN_DATA, .width = 6, .shown = PP_SHOWN_ELSE,
     .unresolved = PP_UNRESOLVED_JOINED, .sort = "p95"},
    {PP_CELL(ROW, p99), .id = "p99", .csv = "p99_ns", .heading = "p99", .unit = "ns", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_CSV | PP_IN_DATA, .width = 6, .shown = PP_SHOWN_SORTED,
     .unresolved = PP_UNRESOLVED_JOINED, .sort = "p99"},
    {PP_CELL(ROW, max), .id = "max", .csv = "max_ns", .heading = "max", .unit = "ns", .form = PP_FORM_TIME,
     .in = PP_IN_TEXT | PP_IN_CSV | PP_IN_DATA, .width = 6, .shown = PP_SHOWN_SORTED,
     .unresolved = PP_UNRESOLVED_JOINED, .sort = "max"},
    {PP_CELL(ROW, max_frame), .id = "max_frame", .in = PP_IN_CSV | PP_IN_DATA,
     .doc = "number of the frame with the maximum"},
    {PP_CELL(ROW, count), .id = "count", .heading = "count", .form = PP_FORM_COUNT,
     .in = PP_IN_TEXT | PP_IN_COUNTS, .width = 7, .shown = PP_SHOWN_ALL, .sort = "count"},
    {PP_CELL(ROW, shape), .id = "shape", .heading = "vertices", .in = PP_IN_TEXT | PP_IN_COUNTS},
    {PP_CELL(ROW, shown_id), .id = "id", .heading = " draw_id", .in = PP_IN_TEXT | PP_IN_COUNTS, .width = -17,
     .shown = PP_SHOWN_ALL},
    {PP_CELL(ROW, shape), .id = "title", .heading = "draw", .form = PP_FORM_TITLE,
     .in = PP_IN_TEXT | PP_IN_COUNTS},
    {PP_CELL(ROW, vertices), .id = "vertices", .in = PP_IN_DATA},
    {PP_CELL(ROW, instances), .id = "instances", .in = PP_IN_DATA},
    {PP_CELL(ROW, unresolved), .id = "below_resolution", .in = PP_IN_DATA},
    {PP_CELL(ROW, invocations), .id = "shader_invocations_per_frame", .in = PP_IN_CSV,
     .doc = "of draws without GPU time"},
    {PP_CELL(ROW, begun_at), .id = "at", .in = PP_IN_CSV, .doc = "with `record -g`: the call that issued it"},
};

const struct pp_columns pp_draw_columns = {"draw_groups", "draw_group", columns, PP_ARRAY_SIZE(columns),
                                           sizeof(ROW)};

/* Compare two rows for qsort(): in the order of the view; rows that are equal there by their totals and
 * places. */
static int
draw_figures_order(const struct pp_draw_figures *a, const struct pp_draw_figures *b,
                   const struct pp_view *view)
{
    const struct pp_table_column *column = pp_columns_sort(&pp_draw_columns, pp_view_sort_name(view));
    int order = pp_view_order(pp_column_number(column, a), pp_column_number(column, b));
    order = order ? order : pp_view_order(a->total, b->total);
    if (order)
        return order;
    if (a->draw->place != b->draw->place)
        return a->draw->place < b->draw->place ? -1 : 1;
    return strcmp(a->draw->draw_id, b->draw->draw_id);
}

/* Is the share of a row large enough for the view? If not, the row counts as left out. */
static bool
draw_table_takes(struct pp_draw_table *table, const struct pp_draw_figures *row, const struct pp_view *view)
{
    if (pp_view_takes_share(view, row->share_percent))
        return true;
    table->left_out += (size_t)row->draws;
    table->left_out_percent += isnan(row->share_percent) ? 0 : row->share_percent;
    return false;
}

/* By what a draw is grouped. Copies, clears and the like have no pipeline. */
static const char *
key_of(const struct pp_draw_figures *row, enum pp_by by)
{
    return by == PP_BY_CALL ? row->draw->call : row->name;
}

static int
by_key(const void *a, const void *b, void *by)
{
    const struct pp_draw_figures *x = a, *y = b;
    int order = strcmp(key_of(x, *(enum pp_by *)by), key_of(y, *(enum pp_by *)by));
    if (order)
        return order;
    if (x->draw->place != y->draw->place)
        return x->draw->place < y->draw->place ? -1 : 1;
    return strcmp(x->draw->draw_id, y->draw->draw_id);
}

/* Sort the rows by group and place, and number the groups. @return The number of groups. */
static size_t
number_groups(struct pp_draw_table *table, enum pp_by by)
{
    size_t groups = 0;
    qsort_r(table->row, table->len, sizeof(*table->row), by_key, &by);
    for (size_t i = 0; i < table->len; i++) {
        if (i == 0 || strcmp(key_of(&table->row[i], by), key_of(&table->row[i - 1], by)) != 0)
            groups++;
        table->row[i].group = groups - 1;
    }
    return groups;
}

/* Is a draw in the same pass as another one? */
static bool
is_same_pass(const struct pp_saved_draw *a, const struct pp_saved_draw *b)
{
    return a->surface == b->surface && a->pass_id && b->pass_id && strcmp(a->pass_id, b->pass_id) == 0;
}

/* Make one row of rows of the same group. */
static int
group_make(const struct pp_draw_table *table, const struct pp_draw_figures *row, size_t rows, enum pp_by by,
           struct pp_draw_figures *ret)
{
    struct pp_draw_sums sums = {.rows = 0};
    struct pp_series times = {.len = 0};
    bool one_pass = true;
    int rc = 0;
    if (rows == 1) {
        *ret = row[0];
        return 0;
    }
    for (size_t i = 0; i < rows && rc == 0; i++) {
        draw_sums_add(&sums, row[i].draw, table);
        one_pass = one_pass && is_same_pass(row[0].draw, row[i].draw);
        rc = pp_series_append(&times, &row[i].draw->gpu_time);
    }
    if (rc == 0) {
        *ret = draw_figures_make(table, row[0].draw, &sums, &times);
        ret->draws = (double)rows;
        ret->group = row[0].group;
        ret->one_pass = one_pass;
        ret->id = ret->label = ret->surface = "";
        ret->begun_at = NULL;
        ret->place = (double)NAN;
        ret->pass_id = one_pass ? ret->pass_id : "";
        ret->call = by == PP_BY_CALL || ret->is_call ? ret->call : "";
        ret->pipeline = by == PP_BY_CALL ? "" : ret->pipeline;
    }
    pp_series_finish(&times);
    return rc;
}

/* Make the rows of all groups from rows that are sorted by group. */
static int
groups_fill(const struct pp_draw_table *table, enum pp_by by, struct pp_draw_figures *group)
{
    int rc = 0;
    for (size_t i = 0; i < table->len && rc == 0;) {
        size_t rows = 1;
        while (i + rows < table->len && table->row[i + rows].group == table->row[i].group)
            rows++;
        rc = group_make(table, &table->row[i], rows, by, &group[table->row[i].group]);
        i += rows;
    }
    return rc;
}

/* Replace the rows of a table, each one draw, by one row for each group. @param by PP_BY_CALL, or by shader
 * program or pipeline. @retval 0, -ENOMEM. */
static int
draw_groups_make(struct pp_draw_table *table, enum pp_by by)
{
    size_t groups = number_groups(table, by);
    struct pp_draw_figures *group = calloc(groups + 1, sizeof(*group));
    int rc = group ? groups_fill(table, by, group) : -ENOMEM;
    if (rc) {
        free(group);
        return rc;
    }
    free(table->row);
    table->row = group;
    table->len = groups;
    table->grouped = true;
    table->by = by;
    return 0;
}

/* What a comparison of indexes needs. */
struct order {
    const struct pp_draw_figures *row;
    const struct pp_view *view;
};

static int
by_view_of_rows(const void *a, const void *b, void *data)
{
    const struct order *order = data;
    return draw_figures_order(&order->row[*(const size_t *)a], &order->row[*(const size_t *)b], order->view);
}

/* Mark the most expensive draws of groups with several draws. */
static int
mark_members(struct pp_draw_table *table, const struct pp_draw_figures *group, const struct pp_view *view,
             size_t most)
{
    struct order order = {table->row, view};
    size_t *index = calloc(table->len + 1, sizeof(*index));
    if (!index)
        return -ENOMEM;
    for (size_t i = 0; i < table->len; i++)
        index[i] = i;
    qsort_r(index, table->len, sizeof(*index), by_view_of_rows, &order);
    for (size_t i = 0; i < table->len && most; i++) {
        struct pp_draw_figures *row = &table->row[index[i]];
        if (group[row->group].draws <= 1 || !(row->total > 0)) /* alone, or without cost */
            continue;
        row->member = true;
        most--;
    }
    free(index);
    return 0;
}

/* The first row of a group, of rows that are sorted by group. */
static size_t
first_of(const struct pp_draw_table *table, size_t group)
{
    size_t low = 0, high = table->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->row[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Put the rows of groups in their order, and each group's marked draws below its row. @param index Of the
 * groups, in their order. @return The number of rows. */
static size_t
rows_join(struct pp_draw_table *table, const struct pp_view *view, const struct pp_draw_figures *group,
          size_t groups, const size_t *index, struct pp_draw_figures *ret)
{
    size_t len = 0;
    for (size_t g = 0; g < groups; g++) {
        const struct pp_draw_figures *of = &group[index[g]];
        if (!draw_table_takes(table, of, view))
            continue;
        ret[len++] = *of;
        for (size_t i = first_of(table, of->group); i < table->len && table->row[i].group == of->group; i++)
            if (table->row[i].member && pp_view_takes_share(view, table->row[i].share_percent))
                ret[len++] = table->row[i];
    }
    return len;
}

/* Replace the rows of a table, each one draw, by one row for each shader program or pipeline, and below it,
 * by place, those of its draws that are among the most expensive ones: as many as there are rows left in
 * @p most. @retval 0, -ENOMEM. */
static int
draw_groups_open(struct pp_draw_table *table, const struct pp_view *view, size_t most)
{
    size_t groups = number_groups(table, PP_BY_PROGRAM);
    size_t rows = most > groups ? most : groups;
    struct pp_draw_figures *group = calloc(groups + 1, sizeof(*group)), *all = calloc(rows + 1, sizeof(*all));
    size_t *index = calloc(groups + 1, sizeof(*index));
    struct order order = {group, view};
    int rc = group && all && index ? groups_fill(table, PP_BY_PROGRAM, group) : -ENOMEM;
    if (rc == 0)
        rc = mark_members(table, group, view, rows - groups);
    for (size_t i = 0; rc == 0 && i < groups; i++)
        index[i] = i;
    if (rc == 0) {
        qsort_r(index, groups, sizeof(*index), by_view_of_rows, &order);
        table->len = rows_join(table, view, group, groups, index, all);
        table->grouped = groups < table->draws;
        table->by = PP_BY_PROGRAM;
        free(table->row);
        table->row = all;
        all = NULL;
    }
    free(group);
    free(all);
    free(index);
    return rc;
}

/* Choose what the draws of a table are ranked by, and add it up. */
static void
measure(struct pp_draw_table *table, const struct pp_saved_draw *draw, size_t draws)
{
    double sum[PP_DRAWS_BY_COUNT + 1] = {0};
    for (size_t i = 0; i < draws; i++)
        for (int by = PP_DRAWS_BY_TIME; by <= PP_DRAWS_BY_COUNT; by++)
            sum[by] += draw_value(&draw[i], (enum pp_draw_measure)by);
    if (draw[0].gpu_time.len)
        table->measure = PP_DRAWS_BY_TIME;
    else
        table->measure = sum[PP_DRAWS_BY_INVOCATIONS] > 0 ? PP_DRAWS_BY_INVOCATIONS
                         : sum[PP_DRAWS_BY_VERTICES] > 0  ? PP_DRAWS_BY_VERTICES
                                                          : PP_DRAWS_BY_COUNT;
    for (size_t i = 0; i < draws; i++)
        table->all += draw_net(&draw[i], table);
}

/* Sort draws with GPU time first. */
static int
timed_first(const void *a, const void *b)
{
    const struct pp_saved_draw *x = a, *y = b;
    int order = (y->gpu_time.len > 0) - (x->gpu_time.len > 0);
    return order ? order : strcmp(x->draw_id, y->draw_id);
}

/* A pass that a draw may be in. */
struct place {
    const char *pass_id;
    size_t surface;
};

static int
by_id(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->pass_id, y->pass_id);
    return order ? order : (x->surface > y->surface) - (x->surface < y->surface);
}

/* Find the passes that a view shows. @return Their number; -ENOMEM. */
static ssize_t
places_make(const struct pp_saved_session *rec, const struct pp_view *view, struct place **ret)
{
    size_t places = 0;
    if (!view->pass)
        return 0;
    struct place *place = calloc(rec->passes + 1, sizeof(*place));
    if (!place)
        return -ENOMEM;
    for (size_t i = 0; i < rec->passes; i++)
        if (pp_view_takes_pass(view, &rec->pass[i]))
            place[places++] = (struct place){rec->pass[i].pass_id, rec->pass[i].surface};
    qsort(place, places, sizeof(*place), by_id);
    *ret = place;
    return (ssize_t)places;
}

/* Fill a table with the draws of a part of rec->draw, each in a row of its own. */
static int
rows_make(struct pp_saved_session *rec, const struct pp_view *view, struct pp_saved_draw *draw, size_t draws,
          struct pp_draw_table *table)
{
    struct place *place = NULL;
    ssize_t places = places_make(rec, view, &place);
    table->row = calloc(draws + 1, sizeof(*table->row));
    if (places < 0 || !table->row) {
        free(place);
        return -ENOMEM;
    }
    for (size_t i = 0; i < draws; i++) {
        struct pp_draw_sums sums = {.rows = 0};
        struct place key = {draw[i].pass_id, draw[i].surface};
        if (view->pass && (!key.pass_id || !bsearch(&key, place, (size_t)places, sizeof(*place), by_id)))
            continue;
        draw_sums_add(&sums, &draw[i], table);
        table->row[table->len++] = draw_figures_make(table, &draw[i], &sums, &draw[i].gpu_time);
    }
    table->draws = table->len;
    free(place);
    return 0;
}

static int
by_view(const void *a, const void *b, void *view)
{
    return draw_figures_order(a, b, view);
}

/* Leave out the rows that are too small, and sort the others. */
static void
rows_finish(struct pp_draw_table *table, const struct pp_view *view)
{
    struct pp_view order = *view; /* qsort_r() wants what is not const */
    size_t kept = 0;
    for (size_t i = 0; i < table->len; i++)
        if (draw_table_takes(table, &table->row[i], view))
            table->row[kept++] = table->row[i];
    table->len = kept;
    qsort_r(table->row, table->len, sizeof(*table->row), by_view, &order);
}

static int
table_make(struct pp_saved_session *rec, const struct pp_view *view, size_t most, struct pp_saved_draw *draw,
           size_t draws, struct pp_draw_table *table)
{
    bool asked = view->by == PP_BY_PROGRAM || view->by == PP_BY_CALL;
    table->rec = rec;
    table->frames = (double)rec->draws_frames;
    measure(table, draw, draws);
    int rc = rows_make(rec, view, draw, draws, table);
    if (rc)
        return rc;
    if (!asked && view->by != PP_BY_DRAW && table->len > most)
        return draw_groups_open(table, view, most);
    if (asked)
        rc = draw_groups_make(table, view->by);
    rows_finish(table, view);
    return rc;
}

int
pp_draw_tables_make(struct pp_saved_session *rec, const struct pp_view *view, size_t most,
                    struct pp_draw_tables *ret)
{
    size_t timed = 0, draws = rec->shown_draws;
    int rc = 0;
    *ret = (struct pp_draw_tables){.len = 0};
    if (draws)
        qsort(rec->draw, draws, sizeof(*rec->draw), timed_first);
    while (timed < draws && rec->draw[timed].gpu_time.len)
        timed++;
    if (timed)
        rc = table_make(rec, view, most, rec->draw, timed, &ret->table[ret->len++]);
    if (rc == 0 && timed < draws)
        rc = table_make(rec, view, most, rec->draw + timed, draws - timed, &ret->table[ret->len++]);
    if (rc)
        pp_draw_tables_finish(ret);
    return rc;
}

void
pp_draw_tables_finish(struct pp_draw_tables *tables)
{
    for (size_t i = 0; i < tables->len; i++)
        free(tables->table[i].row);
    *tables = (struct pp_draw_tables){.len = 0};
}
