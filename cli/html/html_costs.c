/** @file
 * See html_costs.h. */
#include "cli/html/html_costs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/flame_tree.h"
#include "cli/json/json_values.h"
#include "cli/symbols/session_symbols.h"

#define DRAWS_MOST 1000U   /* rows of a table of draws */
#define NODES_MOST 20000U  /* nodes of a tree */
#define LEAST      0.00002 /* share of a node that is in the tree */

static double
mean_of(const struct pp_saved_sum *sum)
{
    return sum->rows ? sum->sum / (double)sum->rows : (double)NAN;
}

static json_t *
draw_json(const struct pp_draw_figures *row)
{
    const struct pp_saved_draw *draw = row->draw;
    json_t *ret = json_object();
    pp_json_put_text(ret, "id", draw->draw_id);
    pp_json_put_text(ret, "call", draw->call);
    pp_json_put_text(ret, "pipeline", draw->pipeline);
    pp_json_put_text(ret, "label", draw->label);
    pp_json_put_text(ret, "pass_id", draw->pass_id ? draw->pass_id : "");
    if (draw->calls.at)
        pp_json_put_text(ret, "at", draw->calls.at);
    pp_json_put_number(ret, "place", (double)draw->place);
    pp_json_put_number(ret, "count", (double)row->count);
    pp_json_put_number(ret, "share_percent", row->share_percent);
    pp_json_put_number(ret, "total", row->total);
    pp_json_put_number(ret, "per_frame", row->per_frame);
    pp_json_put_number(ret, "mean", row->mean);
    pp_json_put_number(ret, "p95", row->p95);
    pp_json_put_number(ret, "p99", row->p99);
    pp_json_put_number(ret, "max", row->max);
    pp_json_put_number(ret, "max_frame", row->max_frame);
    pp_json_put_number(ret, "vertices", mean_of(&row->vertices));
    pp_json_put_number(ret, "instances", mean_of(&row->instances));
    (void)!json_object_set_new(ret, "below_resolution", json_boolean(row->unresolved));
    return ret;
}

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
            (void)!json_array_append_new(rows, draw_json(&table->row[i]));
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

int
pp_html_draws_put(json_t *data, struct pp_saved_session *rec)
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

int
pp_html_trees_put(json_t *data, struct pp_saved_session *rec)
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
