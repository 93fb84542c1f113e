/** @file
 * See html_data.h. */
#include "cli/html/html_data.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/flame_tree.h"
#include "cli/analysis/label_table.h"
#include "cli/analysis/pass_table.h"
#include "cli/html/html_figures.h"
#include "cli/html/html_frames.h"
#include "cli/json/json_values.h"
#include "cli/json/report_json.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_shown.h"
#include "cli/symbols/session_symbols.h"

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
            (void)!json_array_append_new(rows, pp_json_row(&pp_draw_columns, &table->row[i], PP_IN_DATA));
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
    rc = rc ? rc : pp_html_frames_put(data, rec);
    rc = rc ? rc : html_draws_put(data, rec);
    rc = rc ? rc : html_trees_put(data, rec);
    if (rc == 0) {
        *ret = data;
        return 0;
    }
    json_decref(data);
    return rc;
}
