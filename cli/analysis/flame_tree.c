/** @file
 * See flame_tree.h. */
#include "cli/analysis/flame_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/annotation.h"
#include "cli/session/row_index.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

#define MAX_NODES (1U << 22)

struct making {
    struct pp_flame_tree *tree;
    struct pp_row_index places;
    struct pp_annotation functions;
};

static struct pp_saved_key
node_key(const void *array, size_t i)
{
    const struct pp_flame_node *node = array;
    return (struct pp_saved_key){node[i].name, NULL, node[i].parent * 8 + (size_t)node[i].kind};
}

/* The child of a node by its name, made if it is new. @retval 0, -ENOMEM. */
static int
enter(struct making *m, size_t *node, enum pp_flame_kind kind, const char *name, size_t len)
{
    struct pp_flame_tree *tree = m->tree;
    const char *pooled = pp_text_pool_add(&tree->texts, name, len);
    struct pp_flame_node child = {
        .name = pooled, .kind = kind, .parent = *node, .first = PP_FLAME_NONE, .next = PP_FLAME_NONE};
    if (!pooled || pp_row_index_reserve(&m->places, tree->node, tree->len))
        return -ENOMEM;
    uint32_t *place = pp_row_index_find(&m->places, tree->node, node_key(&child, 0));
    if (!*place) {
        if (tree->len == MAX_NODES ||
            pp_grow_array(&tree->node, &tree->cap, tree->len + 1, sizeof(*tree->node)))
            return -ENOMEM;
        if (*node != PP_FLAME_NONE) {
            struct pp_flame_node *parent = &tree->node[*node];
            child.depth = parent->depth + 1;
            child.next = parent->first;
            parent->first = tree->len;
        }
        tree->deepest = child.depth > tree->deepest ? child.depth : tree->deepest;
        tree->node[tree->len] = child;
        *place = (uint32_t)++tree->len;
    }
    *node = *place - 1;
    return 0;
}

/* Enter the functions of a stack, the outermost first. */
static int
enter_functions(struct making *m, size_t *node, size_t stack)
{
    struct pp_annotated_place *place = calloc(PP_ANNOTATION_DEEPEST, sizeof(*place));
    int rc = place ? 0 : -ENOMEM;
    size_t len = place ? pp_annotation_stack(&m->functions, stack, place, PP_ANNOTATION_DEEPEST) : 0;
    while (rc == 0 && len-- > 0) {
        const char *name = m->functions.row[place[len].row].name;
        rc = enter(m, node, PP_FLAME_FUNCTION, name, strlen(name));
    }
    free(place);
    return rc;
}

/* Enter the names of a label path. In it, '\\' is before a '/' or '\\' that belongs to a name. */
static int
enter_labels(struct making *m, size_t *node, const char *path)
{
    char *name = malloc(strlen(path) + 1);
    size_t len = 0;
    int rc = name ? 0 : -ENOMEM;
    for (const char *at = path; rc == 0 && *path; at++) {
        if (!*at || *at == '/') {
            rc = len ? enter(m, node, PP_FLAME_LABEL, name, len) : 0;
            len = 0;
            if (!*at)
                break;
            continue;
        }
        at += *at == '\\' && at[1];
        name[len++] = *at;
    }
    free(name);
    return rc;
}

static int
add_cost(struct making *m, const struct pp_stack_cost *cost, bool has_stacks)
{
    size_t node = 0;
    int rc = 0;
    if (cost->stack != PP_NO_STACK)
        rc = enter_functions(m, &node, cost->stack);
    else if (has_stacks)
        rc = enter(m, &node, PP_FLAME_FUNCTION, PP_TEXT_ANNOTATE_NO_STACK, strlen(PP_TEXT_ANNOTATE_NO_STACK));
    rc = rc ? rc : enter_labels(m, &node, cost->label);
    if (rc == 0 && *cost->pass)
        rc = enter(m, &node, PP_FLAME_PASS, cost->pass, strlen(cost->pass));
    if (rc == 0 && *cost->call)
        rc = enter(m, &node, PP_FLAME_CALL, cost->call, strlen(cost->call));
    if (rc == 0)
        m->tree->node[node].self_ns += cost->ns;
    return rc;
}

static int
by_name(const void *a, const void *b, void *nodes)
{
    const struct pp_flame_node *node = nodes;
    const struct pp_flame_node *x = &node[*(const size_t *)a];
    const struct pp_flame_node *y = &node[*(const size_t *)b];
    int order = (x->parent > y->parent) - (x->parent < y->parent);
    order = order ? order : strcmp(x->name, y->name);
    return order ? order : (int)x->kind - (int)y->kind;
}

/* Order the children of each node, and add up times. */
static int
finish_nodes(struct pp_flame_tree *tree)
{
    size_t *order = calloc(tree->len + 1, sizeof(*order));
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < tree->len; i++) {
        order[i] = i;
        tree->node[i].first = tree->node[i].next = PP_FLAME_NONE;
    }
    qsort_r(order, tree->len, sizeof(*order), by_name, tree->node);
    for (size_t i = tree->len; i-- > 0;) {
        struct pp_flame_node *node = &tree->node[order[i]];
        if (node->parent == PP_FLAME_NONE)
            continue;
        node->next = tree->node[node->parent].first;
        tree->node[node->parent].first = order[i];
    }
    for (size_t i = tree->len; i-- > 0;) { /* children are after their parents */
        tree->node[i].ns += tree->node[i].self_ns;
        if (tree->node[i].parent != PP_FLAME_NONE)
            tree->node[tree->node[i].parent].ns += tree->node[i].ns;
    }
    free(order);
    return 0;
}

int
pp_flame_tree_make(const struct pp_call_stacks *stacks, const struct pp_stack_costs *costs,
                   struct pp_flame_tree *ret)
{
    struct making m = {.tree = ret, .places.key = node_key};
    const struct pp_annotation_wanted wanted = {.by = PP_ANNOTATE_FUNCTION};
    size_t root = PP_FLAME_NONE;
    int rc = pp_annotation_make(stacks, costs, &wanted, &m.functions);
    rc = rc ? rc : enter(&m, &root, PP_FLAME_ROOT, PP_TEXT_BY_GPU_TIME, strlen(PP_TEXT_BY_GPU_TIME));
    for (size_t i = 0; rc == 0 && i < costs->len; i++)
        rc = add_cost(&m, &costs->cost[i], stacks->stacks > 0);
    rc = rc ? rc : finish_nodes(ret);
    pp_annotation_finish(&m.functions);
    free(m.places.at);
    return rc;
}

void
pp_flame_tree_finish(struct pp_flame_tree *tree)
{
    free(tree->node);
    pp_text_pool_finish(&tree->texts);
    memset(tree, 0, sizeof(*tree));
}
