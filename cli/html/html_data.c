/** @file
 * See html_page.h. */
#include "cli/html/html_page.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/frame_points.h"
#include "cli/analysis/near_rows.h"
#include "cli/analysis/pass_table.h"
#include "cli/analysis/slow_frames.h"
#include "cli/analysis/stack_costs.h"
#include "cli/analysis/summary.h"
#include "cli/html/html_out.h"
#include "cli/json/report_json.h"
#include "cli/session/session_shown.h"
#include "cli/symbols/session_symbols.h"
#include "cli/text/json_values.h"
#include "counters/stats/stats.h"
#include "counters/util/grow_array.h"

#define DRAWS_MOST 1000U   /* rows of a table of draws */
#define NODES_MOST 20000U  /* nodes of a tree */
#define LEAST      0.00002 /* share of a node that is in the tree */

/* A table: its first rows, and the sum of the others. */
static json_t *
table_json(const struct pp_draw_table *table)
{
    static const char *const measure[] = {[PP_DRAWS_BY_TIME] = "gpu_time_ns",
                                          [PP_DRAWS_BY_INVOCATIONS] = "shader_invocations",
                                          [PP_DRAWS_BY_VERTICES] = "vertices",
                                          [PP_DRAWS_BY_COUNT] = "count"};
    json_t *ret = json_object(), *rows = json_array();
    double percent = 0, total = 0;
    for (size_t i = 0; i < table->len; i++) {
        if (i < DRAWS_MOST) {
            (void)!json_array_append_new(rows, pp_columns_json(&pp_draw_columns, &table->row[i], PP_IN_DATA));
            continue;
        }
        percent += isnan(table->row[i].share_percent) ? 0 : table->row[i].share_percent;
        total += isnan(table->row[i].total) ? 0 : table->row[i].total;
    }
    pp_json_put_text(ret, "measure", measure[table->measure]);
    pp_json_put_number(ret, "all", table->all);
    (void)!json_object_set_new(ret, "rows", rows);
    pp_json_put_number(ret, "left_out", table->len > DRAWS_MOST ? (double)(table->len - DRAWS_MOST) : 0);
    pp_json_put_number(ret, "left_out_percent", percent);
    pp_json_put_number(ret, "left_out_total", total);
    return ret;
}

/* Add the tables of draws: the member `draws`. @param rec Shows all surfaces; its draws get sorted.
 * @retval 0, -ENOMEM. */
static int
html_draws_put(json_t *data, struct pp_saved_session *rec)
{
    static const struct pp_view view = {.fold = false};
    struct pp_draw_tables tables = {.len = 0};
    json_t *list = json_array();
    int rc = pp_draw_tables_make(rec, &view, SIZE_MAX, &tables);
    for (size_t i = 0; rc == 0 && i < tables.len; i++)
        (void)!json_array_append_new(list, table_json(&tables.table[i]));
    if (rc == 0)
        pp_draw_tables_finish(&tables);
    (void)!json_object_set_new(data, "draws", list);
    return rc;
}

/* The node after another one, parents first. @param inside Nodes below it come first. */
static size_t
next_of(const struct pp_flame_tree *tree, size_t node, bool inside)
{
    if (inside && tree->node[node].first != PP_FLAME_NONE)
        return tree->node[node].first;
    while (node != PP_FLAME_NONE && tree->node[node].next == PP_FLAME_NONE)
        node = tree->node[node].parent;
    return node == PP_FLAME_NONE ? PP_FLAME_NONE : tree->node[node].next;
}

/* Write the nodes that are not too small: what they lack of their parent's time is a part of the parent's
 * own.
 * @retval 0, -ENOMEM. */
static int
put_nodes(json_t *object, const struct pp_flame_tree *tree)
{
    static const char *const kind[] = {[PP_FLAME_ROOT] = "root",
                                       [PP_FLAME_FUNCTION] = "function",
                                       [PP_FLAME_LABEL] = "label",
                                       [PP_FLAME_PASS] = "pass",
                                       [PP_FLAME_CALL] = "call"};
    json_t *name = json_array(), *kinds = json_array(), *parent = json_array(), *ns = json_array();
    size_t *at = calloc(tree->len, sizeof(*at)); /* of each node, its index in the page + 1 */
    for (size_t i = 0; at && i != PP_FLAME_NONE;) {
        const struct pp_flame_node *node = &tree->node[i];
        bool taken = node->ns >= LEAST * tree->node[0].ns && json_array_size(name) < NODES_MOST;
        if (taken) {
            json_int_t above = node->parent == PP_FLAME_NONE ? -1 : (json_int_t)at[node->parent] - 1;
            (void)!json_array_append_new(name, pp_json_text(node->name));
            (void)!json_array_append_new(kinds, json_string(kind[node->kind]));
            (void)!json_array_append_new(parent, json_integer(above));
            (void)!json_array_append_new(ns, pp_json_number(floor(node->ns + 0.5)));
            at[i] = json_array_size(name);
        }
        i = next_of(tree, i, taken);
    }
    (void)!json_object_set_new(object, "name", name);
    (void)!json_object_set_new(object, "kind", kinds);
    (void)!json_object_set_new(object, "parent", parent);
    (void)!json_object_set_new(object, "ns", ns);
    int rc = at ? 0 : -ENOMEM;
    free(at);
    return rc;
}

/* Add a tree of these costs, if they have any time. */
static int
put_tree(json_t *list, const struct pp_call_stacks *stacks, const struct pp_stack_costs *costs,
         const char *by)
{
    struct pp_flame_tree tree = {.len = 0};
    int rc = pp_flame_tree_make(stacks, costs, &tree);
    if (rc == 0 && tree.len && tree.node[0].ns > 0) {
        json_t *object = json_object();
        pp_json_put_text(object, "by", by);
        pp_json_put_number(object, "frames", (double)costs->frames);
        rc = put_nodes(object, &tree);
        (void)!json_array_append_new(list, object);
    }
    pp_flame_tree_finish(&tree);
    return rc;
}

/* Add the GPU time as trees: the member `trees`, by label and, if there are call stacks, by stack. @param
 * rec Counts of rows in it grow. @retval 0, -ENOMEM, -errno (a file cannot be read). */
static int
html_trees_put(json_t *data, struct pp_saved_session *rec)
{
    static const struct pp_stack_costs_wanted wanted = {.detail = true};
    const struct pp_debug_places places = {.recorded_s = pp_session_recorded_s(rec)};
    struct pp_call_stacks stacks = {.modules = 0}, none = {.modules = 0};
    struct pp_stack_costs costs = {.len = 0};
    json_t *list = json_array();
    char why[PP_CALL_STACKS_WHY];
    (void)!json_object_set_new(data, "trees", list);
    int rc = pp_session_symbols_read(rec, &places, &stacks, why);
    if (rc) /* no stacks, or damaged ones: the tree by label remains */
        pp_call_stacks_finish(&stacks);
    rc = pp_stack_costs_read(rec, &stacks, &wanted, &costs);
    if (rc == 0 && stacks.stacks && costs.stacked_ns > 0)
        rc = put_tree(list, &stacks, &costs, "stack");
    for (size_t i = 0; i < costs.len; i++)
        costs.cost[i].stack = PP_NO_STACK;
    rc = rc ? rc : put_tree(list, &none, &costs, "label");
    pp_stack_costs_finish(&costs);
    pp_call_stacks_finish(&stacks);
    return rc;
}

#define ROWS_MOST    2000U /* of label regions, and of the passes of all surfaces together */
#define COUNTED_MOST 500U  /* passes with counters */
#define COLUMNS_MOST 64U   /* counters and metrics of passes */

/* Cut the rows of a table, which are sorted by their share. The object says how many rows that are, and their
 * share. */
static void
cut_rows(json_t *object, const char *name, size_t most)
{
    json_t *rows = json_object_get(object, name);
    size_t count = json_array_size(rows);
    double percent = 0;
    char member[64];
    if (count <= most)
        return;
    for (size_t i = count; i-- > most;) {
        percent += json_number_value(json_object_get(json_array_get(rows, i), "gpu_share_percent"));
        (void)!json_array_remove(rows, i);
    }
    snprintf(member, sizeof(member), "%s_left_out", name);
    pp_json_put_number(object, member, (double)(count - most));
    snprintf(member, sizeof(member), "%s_left_out_percent", name);
    pp_json_put_number(object, member, percent);
}

/* A column of passes.csv that is a counter or a metric. */
struct value_column {
    const char *name;
    size_t at;    /* in the file */
    size_t index; /* in pp_saved_pass.metric or .count */
    bool metric;
};

static int
by_column(const void *a, const void *b)
{
    const struct value_column *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The columns of counters and metrics, as they are in the file. @return Owned by the caller; NULL: no
 * memory. @param ret_len This many of them are in the page. */
static struct value_column *
value_columns(const struct pp_saved_session *rec, size_t *ret_len)
{
    size_t len = 0, all = rec->pass_metrics + rec->pass_counters;
    struct value_column *column = calloc(all + 1, sizeof(*column));
    if (!column)
        return NULL;
    for (size_t i = 0; i < rec->pass_metrics; i++)
        column[len++] = (struct value_column){rec->pass_metric[i], rec->pass_metric_at[i], i, true};
    for (size_t i = 0; i < rec->pass_counters; i++)
        column[len++] = (struct value_column){rec->pass_counter[i], rec->pass_counter_at[i], i, false};
    if (len)
        qsort(column, len, sizeof(*column), by_column);
    *ret_len = len < COLUMNS_MOST ? len : COLUMNS_MOST;
    return column;
}

/* The means of a pass, in the order of the columns; NULL: it has none. */
static json_t *
means_json(const struct pp_saved_pass *pass, const struct value_column *column, size_t columns)
{
    json_t *ret = json_array();
    bool any = false;
    for (size_t i = 0; i < columns; i++) {
        const struct pp_saved_sum *sums = column[i].metric ? pass->metric : pass->count;
        struct pp_saved_sum sum = sums ? sums[column[i].index] : (struct pp_saved_sum){0};
        any = any || sum.sum != 0;
        (void)!json_array_append_new(ret,
                                     pp_json_number(sum.rows ? sum.sum / (double)sum.rows : (double)NAN));
    }
    if (any)
        return ret;
    json_decref(ret);
    return NULL;
}

/* Add counters and metrics by pass: the member `pass_counters`. */
static int
put_pass_counters(json_t *data, const struct pp_saved_session *rec)
{
    size_t columns = 0;
    struct value_column *column = value_columns(rec, &columns);
    json_t *of = json_object(), *names = json_array(), *rows = json_array();
    int rc = column ? 0 : -ENOMEM;
    for (size_t i = 0; column && i < columns; i++)
        (void)!json_array_append_new(names, pp_json_text(column[i].name));
    for (size_t i = 0; column && columns && i < rec->passes && i < COUNTED_MOST; i++) {
        json_t *means = means_json(&rec->pass[i], column, columns);
        if (!means)
            continue;
        json_t *row = json_object();
        pp_json_put_text(row, "id", rec->pass[i].pass_id);
        pp_json_put_text(row, "name", rec->pass[i].name);
        pp_json_put_text(row, "label", rec->pass[i].label);
        (void)!json_object_set_new(row, "mean", means);
        (void)!json_array_append_new(rows, row);
    }
    (void)!json_object_set_new(of, "names", names);
    (void)!json_object_set_new(of, "rows", rows);
    (void)!json_object_set_new(data, "pass_counters", of);
    free(column);
    return rc;
}

/* Add the columns of the tables that can be sorted. */
static void
put_columns(json_t *data)
{
    json_t *of = json_object();
    (void)!json_object_set_new(of, pp_pass_columns.name, pp_html_columns_json(&pp_pass_columns));
    (void)!json_object_set_new(of, pp_label_columns.name, pp_html_columns_json(&pp_label_columns));
    (void)!json_object_set_new(data, "columns", of);
}

#define AROUND_SLOW 16U   /* frames before and after a slow frame that are points */
#define MARKS_MOST  2000U /* marks in the page */
#define PASS_ROWS   12000 /* rows of passes.csv in the page */
#define DRAW_ROWS   30000 /* rows of draws.csv in the page */

/* Numbers of frames. */
struct numbers {
    double *value;
    size_t len, cap;
};

/* What is read for the page. */
struct frames {
    const struct pp_saved_session *rec;
    json_t *data;
    struct numbers near, wanted; /* around slow frames; slow frames and those with marks */
    struct pp_frame_points points;
    struct pp_chosen_frames chosen;
    struct pp_near_passes passes;
    struct pp_near_draws draws;
    double zero_ns;    /* begin of the first frame of all surfaces: surfaces, passes and marks relate to it */
    size_t *in_page;   /* of each of rec->pass: its index in the page + 1; 0: none yet */
    json_t *pass_rows; /* the member `passes`; borrowed */
    json_t *texts;     /* the member `texts`; borrowed */
    json_t *text_at;   /* of each text that is in it, its index; owned */
};

static int
add_number(struct numbers *numbers, double value)
{
    int rc = pp_grow_array(&numbers->value, &numbers->cap, numbers->len + 1, sizeof(*numbers->value));
    if (rc == 0)
        numbers->value[numbers->len++] = value;
    return rc;
}

/* A frame that is shown in detail, and those around it as points. */
static int
want_frame(struct frames *f, double frame)
{
    int rc = add_number(&f->wanted, frame);
    for (unsigned i = 0; rc == 0 && i <= 2 * AROUND_SLOW; i++)
        rc = add_number(&f->near, frame + i - AROUND_SLOW);
    return rc;
}

/* Collect the slow frames that the report names, and the first frames with a mark. */
static int
want_frames(struct frames *f)
{
    json_t *surfaces = json_object_get(json_object_get(f->data, "report"), "surfaces");
    json_t *marks = pp_saved_json(f->rec, "marks");
    int rc = 0;
    for (size_t i = 0; i < json_array_size(surfaces); i++) {
        json_t *slow = json_object_get(json_array_get(surfaces, i), "slow_frames");
        for (size_t k = 0; rc == 0 && k < json_array_size(slow); k++)
            rc = want_frame(f, json_number_value(json_object_get(json_array_get(slow, k), "frame")));
    }
    for (size_t i = 0; rc == 0 && i < json_array_size(marks) && i < PP_SLOW_FRAMES_MAX; i++) {
        json_t *frame = json_object_get(json_array_get(marks, i), "frame");
        if (json_is_number(frame))
            rc = want_frame(f, json_number_value(frame));
    }
    pp_stats_sort(f->near.value, f->near.len);
    pp_stats_sort(f->wanted.value, f->wanted.len);
    return rc;
}

/* When a surface's first frame began or, where that was not measured, the first frame that has a begin. */
static double
begin_of(const struct pp_surface_points *points)
{
    double begin = points->begin_ns;
    for (size_t k = 0; isnan(begin) && k < points->len; k++)
        begin = points->point[k].start_ns;
    return begin;
}

/* Read the points of the surfaces that matter. */
static int
read_points(struct frames *f)
{
    struct pp_surface_ranking ranking;
    size_t surface[PP_SURFACES_MATTER];
    int rc = pp_surfaces_rank(f->rec, &ranking);
    if (rc)
        return rc;
    for (size_t i = 0; i < ranking.matter; i++)
        surface[i] = ranking.rank[i].index;
    const struct pp_points_wanted wanted = {
        .surface = surface, .surfaces = ranking.matter, .frame = f->near.value, .frames = f->near.len};
    rc = pp_frame_points_read(f->rec, &wanted, &f->points);
    pp_surface_ranking_finish(&ranking);
    f->zero_ns = INFINITY;
    for (size_t i = 0; rc == 0 && i < f->points.len; i++)
        f->zero_ns = fmin(f->zero_ns, begin_of(&f->points.of[i]));
    f->zero_ns = isfinite(f->zero_ns) ? f->zero_ns : 0;
    return rc == -ENOENT ? 0 : rc;
}

/* Choose the frames that are shown in detail: each surface has its part of the budget. */
static int
choose_frames(struct frames *f)
{
    json_t *surfaces = json_object_get(json_object_get(f->data, "report"), "surfaces");
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < f->points.len; i++) {
        json_t *times = json_object_get(json_object_get(json_array_get(surfaces, i), "times"), "frame_time");
        double part = (double)(i + 1) / (double)f->points.len, time[3];
        const struct pp_chosen_budget budget = {PASS_ROWS * part, DRAW_ROWS * part};
        static const char *const name[3] = {"p50_ns", "p95_ns", "p99_ns"};
        for (size_t k = 0; k < 3; k++) {
            json_t *figure = json_object_get(times, name[k]);
            time[k] = json_is_number(figure) ? json_number_value(figure) : (double)NAN;
        }
        rc =
            pp_chosen_frames_add(&f->points.of[i], f->wanted.value, f->wanted.len, time, &budget, &f->chosen);
    }
    pp_chosen_frames_sort(&f->chosen);
    return rc;
}

/* Read the passes and draws of the chosen frames. */
static int
read_details(struct frames *f)
{
    struct numbers passes = {.len = 0}, draws = {.len = 0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < f->chosen.len; i++) {
        rc = add_number(&passes, f->chosen.frame[i].frame);
        if (rc == 0 && f->chosen.frame[i].draws)
            rc = add_number(&draws, f->chosen.frame[i].frame);
    }
    rc = rc ? rc : pp_near_passes_read(f->rec, passes.value, passes.len, &f->passes);
    rc = rc ? rc : pp_near_draws_read(f->rec, draws.value, draws.len, &f->draws);
    free(passes.value);
    free(draws.value);
    return rc;
}

/* A member of all points as an array. @param offset Of the member. */
static json_t *
column_json(const struct pp_frame_point *point, size_t len, size_t offset, double minus)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < len; i++)
        (void)!json_array_append_new(
            ret, pp_json_number(*(const double *)((const char *)&point[i] + offset) - minus));
    return ret;
}

/* The verdicts of all points, a letter each. */
static json_t *
verdicts_json(const struct pp_surface_points *points)
{
    static const char letter[PP_VERDICT_COUNT] = {
        [PP_VERDICT_CPU] = 'c',  [PP_VERDICT_GPU] = 'g',   [PP_VERDICT_PRESENT] = 'p',
        [PP_VERDICT_SYNC] = 's', [PP_VERDICT_SLEEP] = 'z', [PP_VERDICT_NONE] = '-'};
    char *text = malloc(points->len + 1);
    if (!text)
        return NULL;
    for (size_t i = 0; i < points->len; i++)
        text[i] = letter[points->point[i].verdict];
    json_t *ret = json_stringn(text, points->len);
    free(text);
    return ret;
}

/* The histogram without empty bins at its ends: begin, end, frames of each bin. */
static json_t *
histogram_json(const struct pp_surface_points *points)
{
    json_t *ret = json_array();
    size_t last = PP_POINT_BINS;
    while (last > 0 && !points->bin[last - 1])
        last--;
    for (size_t i = 0; i < last; i++)
        if (points->bin[i] || json_array_size(ret))
            (void)!json_array_append_new(ret, json_pack("[o,o,o]", pp_json_number(pp_point_bin_begin(i)),
                                                        pp_json_number(pp_point_bin_begin(i + 1)),
                                                        pp_json_number((double)points->bin[i])));
    return ret;
}

static void
put_points(json_t *object, const struct frames *f, const struct pp_surface_points *points)
{
    static const struct {
        const char *name;
        size_t offset;
    } column[] = {{"frame", offsetof(struct pp_frame_point, frame)},
                  {"start_ns", offsetof(struct pp_frame_point, start_ns)},
                  {"frame_time_ns", offsetof(struct pp_frame_point, frame_time_ns)},
                  {"cpu_busy_ns", offsetof(struct pp_frame_point, cpu_busy_ns)},
                  {"gpu_busy_ns", offsetof(struct pp_frame_point, gpu_busy_ns)}};
    json_t *pipelines = json_array();
    double begin = begin_of(points);
    begin = isnan(begin) ? f->zero_ns : begin;
    pp_json_put_number(object, "begin_ns", begin - f->zero_ns);
    pp_json_put_number(object, "frames", (double)points->frames);
    pp_json_put_number(object, "buckets", (double)points->buckets);
    for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++)
        (void)!json_object_set_new(
            object, column[i].name,
            column_json(points->point, points->len, column[i].offset, i == 1 ? begin : 0));
    (void)!json_object_set_new(object, "verdict", verdicts_json(points));
    (void)!json_object_set_new(object, "histogram", histogram_json(points));
    for (size_t i = 0; i < points->len && json_array_size(pipelines) < MARKS_MOST; i++) {
        const struct pp_frame_point *point = &points->point[i];
        if (point->pipelines > 0)
            (void)!json_array_append_new(pipelines, json_pack("[o,o,o]", pp_json_number(point->frame),
                                                              pp_json_number(point->pipelines),
                                                              pp_json_number(point->pipeline_ns)));
    }
    (void)!json_object_set_new(object, "pipelines", pipelines);
    pp_json_put_number(object, "pipeline_frames", (double)points->pipeline_frames);
}

/* A counter over time; NULL: it was not measured, or always 0. */
static json_t *
counter_json(const struct frames *f, const struct pp_surface_points *points, size_t counter)
{
    const struct pp_counter_band *band = &points->band[counter * points->bands];
    bool any = false;
    for (size_t i = 0; i < points->bands; i++)
        any = any || (band[i].rows && (band[i].least != 0 || band[i].most != 0));
    if (!any)
        return NULL;
    json_t *ret = json_object(), *least = json_array(), *mean = json_array(), *most = json_array();
    pp_json_put_text(ret, "name", f->rec->counter[counter]);
    for (size_t i = 0; i < points->bands; i++) {
        double rows = (double)band[i].rows;
        (void)!json_array_append_new(least, pp_json_number(rows > 0 ? band[i].least : (double)NAN));
        (void)!json_array_append_new(mean, pp_json_number(rows > 0 ? band[i].sum / rows : (double)NAN));
        (void)!json_array_append_new(most, pp_json_number(rows > 0 ? band[i].most : (double)NAN));
    }
    (void)!json_object_set_new(ret, "least", least);
    (void)!json_object_set_new(ret, "mean", mean);
    (void)!json_object_set_new(ret, "most", most);
    return ret;
}

static void
put_counters(json_t *object, const struct frames *f, const struct pp_surface_points *points)
{
    json_t *list = json_array();
    double begin = begin_of(points);
    for (size_t i = 0; i < f->points.counters; i++) {
        json_t *counter = counter_json(f, points, i);
        if (counter)
            (void)!json_array_append_new(list, counter);
    }
    (void)!json_object_set_new(object, "counters", list);
    (void)!json_object_set_new(object, "counters_start_ns",
                               column_json(points->begin, points->bands,
                                           offsetof(struct pp_frame_point, start_ns),
                                           isnan(begin) ? 0 : begin));
}

/* The index of a pass in the page, which is added to the page if it is new. */
static double
pass_in_page(struct frames *f, size_t at)
{
    const struct pp_saved_pass *pass = &f->rec->pass[at];
    if (f->in_page[at])
        return (double)(f->in_page[at] - 1);
    json_t *row = json_object();
    pp_json_put_text(row, "id", pass->pass_id);
    pp_json_put_text(row, "name", pass->name);
    pp_json_put_text(row, "label", pass->label);
    pp_json_put_text(row, "kind", pass->kind);
    pp_json_put_text(row, "queue", pass->queue ? pass->queue : "");
    (void)!json_array_append_new(f->pass_rows, row);
    f->in_page[at] = json_array_size(f->pass_rows);
    return (double)(f->in_page[at] - 1);
}

static json_t *
passes_json(struct frames *f, double frame)
{
    json_t *ret = json_array();
    size_t count = 0;
    const struct pp_near_pass *pass = pp_near_passes_of(&f->passes, frame, &count);
    for (size_t i = 0; i < count; i++)
        (void)!json_array_append_new(
            ret, json_pack("[o,o,o,o,o]", pp_json_number(pass_in_page(f, pass[i].at)),
                           pp_json_number(pass[i].pass), pp_json_number(pass[i].start_ns - f->zero_ns),
                           pp_json_number(pass[i].time_ns), pp_json_number(pass[i].usual_ns)));
    return ret;
}

/* The index of a text in the page, which is added to the page if it is new. */
static json_t *
text_in_page(struct frames *f, const char *text)
{
    json_t *at = json_object_get(f->text_at, text);
    if (at)
        return json_incref(at);
    at = json_integer((json_int_t)json_array_size(f->texts));
    (void)!json_array_append_new(f->texts, pp_json_text(text));
    (void)!json_object_set(f->text_at, text, at);
    return at;
}

static json_t *
draws_json(struct frames *f, double frame)
{
    json_t *ret = json_array();
    size_t count = 0;
    const struct pp_near_draw *draw = pp_near_draws_of(&f->draws, frame, &count);
    for (size_t i = 0; i < count; i++)
        (void)!json_array_append_new(
            ret, json_pack("[o,o,o,o,o,o]", pp_json_number(draw[i].pass), text_in_page(f, draw[i].call),
                           text_in_page(f, draw[i].pipeline), pp_json_number(draw[i].start_ns - f->zero_ns),
                           pp_json_number(draw[i].time_ns), pp_json_number(draw[i].vertices)));
    return ret;
}

/* The chosen frames of a surface, in detail. */
static json_t *
details_json(struct frames *f, size_t surface)
{
    static const char *const why[] = {
        [PP_CHOSEN_SLOW] = "slow", [PP_CHOSEN_MEDIAN] = "p50",      [PP_CHOSEN_P95] = "p95",
        [PP_CHOSEN_P99] = "p99",   [PP_CHOSEN_LONGEST] = "longest", [PP_CHOSEN_SPREAD] = ""};
    json_t *ret = json_array();
    for (size_t i = 0; i < f->chosen.len; i++) {
        const struct pp_chosen_frame *chosen = &f->chosen.frame[i];
        if (pp_saved_surface_of(f->rec, chosen->frame) != surface)
            continue;
        json_t *row = json_object();
        pp_json_put_number(row, "frame", chosen->frame);
        pp_json_put_text(row, "why", why[chosen->why]);
        (void)!json_object_set_new(row, "passes", passes_json(f, chosen->frame));
        (void)!json_object_set_new(
            row, "draws", chosen->draws && !f->draws.too_many ? draws_json(f, chosen->frame) : json_null());
        (void)!json_array_append_new(ret, row);
    }
    return ret;
}

/* The marks of the application, the first ones. */
static void
put_marks(const struct frames *f)
{
    json_t *marks = pp_saved_json(f->rec, "marks"), *list = json_array();
    for (size_t i = 0; i < json_array_size(marks) && i < MARKS_MOST; i++) {
        const json_t *mark = json_array_get(marks, i);
        const json_t *at = json_object_get(mark, "at_ns"), *frame = json_object_get(mark, "frame");
        const char *label = json_string_value(json_object_get(mark, "label"));
        json_t *row = json_object();
        pp_json_put_number(row, "at_ns",
                           json_is_number(at) ? json_number_value(at) - f->zero_ns : (double)NAN);
        pp_json_put_number(row, "frame", json_is_number(frame) ? json_number_value(frame) : (double)NAN);
        pp_json_put_text(row, "label", label ? label : "");
        (void)!json_array_append_new(list, row);
    }
    (void)!json_object_set_new(f->data, "marks", list);
    pp_json_put_number(f->data, "marks_found", (double)json_array_size(marks));
}

static void
finish(struct frames *f)
{
    free(f->near.value);
    free(f->wanted.value);
    free(f->in_page);
    json_decref(f->text_at);
    pp_frame_points_finish(&f->points);
    pp_chosen_frames_finish(&f->chosen);
    pp_near_passes_finish(&f->passes);
    pp_near_draws_finish(&f->draws);
}

/*
 * Add the frames of the surfaces that matter: the members `frames`, `passes` and `marks`.
 *
 * @param data Its member `report` is made already.
 * @retval 0, -ENOMEM, -errno (a file cannot be read).
 */
static int
put_frames_with_details(json_t *data, const struct pp_saved_session *rec)
{
    struct frames f = {.rec = rec, .data = data};
    json_t *list = json_array();
    (void)!json_object_set_new(data, "frames", list);
    f.pass_rows = json_array();
    (void)!json_object_set_new(data, "passes", f.pass_rows);
    f.texts = json_array();
    (void)!json_object_set_new(data, "texts", f.texts);
    f.text_at = json_object();
    f.in_page = calloc(rec->passes + 1, sizeof(*f.in_page));
    int rc = f.in_page && list && f.pass_rows ? 0 : -ENOMEM;
    rc = rc ? rc : want_frames(&f);
    rc = rc ? rc : read_points(&f);
    rc = rc ? rc : choose_frames(&f);
    rc = rc ? rc : read_details(&f);
    for (size_t i = 0; rc == 0 && i < f.points.len; i++) {
        json_t *of = json_object();
        put_points(of, &f, &f.points.of[i]);
        put_counters(of, &f, &f.points.of[i]);
        (void)!json_object_set_new(of, "details", details_json(&f, f.points.of[i].surface));
        (void)!json_array_append_new(list, of);
    }
    if (rc == 0)
        put_marks(&f);
    finish(&f);
    return rc;
}

int
pp_html_data_make(struct pp_saved_session *rec, const char *dir, json_t **ret)
{
    static const struct pp_view view = {.fold = false, .texts = true};
    json_t *data = json_object();
    json_t *report = pp_report_json_make(rec, dir, &view);
    int rc = data && report ? 0 : -ENOMEM;
    json_t *surfaces = json_object_get(report, "surfaces");
    for (size_t i = 0; i < json_array_size(surfaces); i++)
        cut_rows(json_array_get(surfaces, i), "passes", ROWS_MOST / json_array_size(surfaces));
    cut_rows(report, "labels", ROWS_MOST);
    (void)!json_object_set_new(data, "report", report);
    put_columns(data);
    json_t *devices = pp_saved_json(rec, "devices"), *empty = pp_saved_json(rec, "empty_cells");
    (void)!json_object_set_new(data, "devices", devices ? json_deep_copy(devices) : json_array());
    (void)!json_object_set_new(data, "empty_cells", empty ? json_deep_copy(empty) : json_array());
    pp_saved_show(rec, PP_SAVED_NO_SURFACE);
    rc = rc ? rc : put_pass_counters(data, rec);
    rc = rc ? rc : put_frames_with_details(data, rec);
    rc = rc ? rc : html_draws_put(data, rec);
    rc = rc ? rc : html_trees_put(data, rec);
    if (rc == 0) {
        *ret = data;
        return 0;
    }
    json_decref(data);
    return rc;
}
