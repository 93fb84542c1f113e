/** @file
 * See neighbours.h. */
#include "cli/analysis/neighbours.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
by_ns(const void *a, const void *b)
{
    const struct pp_annotated_neighbour *x = a;
    const struct pp_annotated_neighbour *y = b;
    int order = (x->ns < y->ns) - (x->ns > y->ns);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Add the neighbours of a row in one stack; each counts once. @param ns Of each row, and behind them of
 * PP_NO_ROW. @param seen Likewise: the number of the last cost that counted it. */
static void
add_neighbours(size_t rows, const struct pp_annotated_place *stack, size_t len, size_t row, bool callers,
               const struct pp_stack_cost *cost, uint32_t number, double *ns, uint32_t *seen)
{
    for (size_t i = 0; i < len; i++) {
        if (stack[i].row != row)
            continue;
        bool end = callers ? i + 1 == len : i == 0;
        size_t other = end ? rows : stack[callers ? i + 1 : i - 1].row;
        if (seen[other] != number)
            ns[other] += cost->ns;
        seen[other] = number;
    }
}

int
pp_annotation_neighbours(const struct pp_annotation *a, size_t row, bool callers,
                         struct pp_annotated_neighbour *ret, size_t cap, size_t *ret_len)
{
    struct pp_annotated_place *stack = calloc(PP_ANNOTATION_DEEPEST, sizeof(*stack));
    double *ns = calloc(a->len + 1, sizeof(*ns));
    uint32_t *seen = calloc(a->len + 1, sizeof(*seen));
    struct pp_annotated_neighbour *all = calloc(a->len + 1, sizeof(*all));
    size_t len = 0;
    int rc = stack && ns && seen && all ? 0 : -ENOMEM;
    for (size_t c = a->first_cost[row]; rc == 0 && c < a->first_cost[row + 1]; c++) {
        size_t i = a->of_row[c];
        const struct pp_stack_cost *cost = &a->costs->cost[i];
        size_t depth = cost->stack == PP_NO_STACK
                           ? 0
                           : pp_annotation_stack(a, cost->stack, stack, PP_ANNOTATION_DEEPEST);
        add_neighbours(a->len, stack, depth, row, callers, cost, (uint32_t)i + 1, ns, seen);
    }
    for (size_t i = 0; rc == 0 && i <= a->len; i++)
        if (seen[i])
            all[len++] = (struct pp_annotated_neighbour){.row = i == a->len ? PP_NO_ROW : i, .ns = ns[i]};
    if (rc == 0) {
        qsort(all, len, sizeof(*all), by_ns);
        *ret_len = len < cap ? len : cap;
        memcpy(ret, all, *ret_len * sizeof(*ret));
    }
    free(stack);
    free(ns);
    free(seen);
    free(all);
    return rc;
}
