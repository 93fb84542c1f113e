/** @file
 * See neighbours.h. */
#include "cli/analysis/neighbours.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function that issues a larger share of the work itself hides who asked for it. */
#define NEARLY_ALL 0.9
/* Functions with one caller each between the one that issues the work and the one that several call. */
#define WRAPPER_DEEPEST 8

/* What the stacks cost in which a row is a neighbour. */
struct sum {
    double ns;
    uint64_t actions;
    bool timed;    /* GPU time of a part was measured */
    uint32_t seen; /* number of the last cost that counted; 0: none */
};

static int
by_cost(const void *a, const void *b)
{
    const struct pp_annotated_neighbour *x = a;
    const struct pp_annotated_neighbour *y = b;
    double x_ns = isnan(x->ns) ? 0 : x->ns, y_ns = isnan(y->ns) ? 0 : y->ns;
    int order = (x_ns < y_ns) - (x_ns > y_ns);
    order = order ? order : (x->actions < y->actions) - (x->actions > y->actions);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Add the neighbours of a row in one stack; each counts once. @param number Of the cost, from 1 on. @param
 * sum Of each row, and after them of PP_NO_ROW. */
static void
add_neighbours(size_t rows, const struct pp_annotated_place *stack, size_t len, size_t row, bool callers,
               const struct pp_stack_cost *cost, uint32_t number, struct sum *sum)
{
    for (size_t i = 0; i < len; i++) {
        if (stack[i].row != row)
            continue;
        bool end = callers ? i + 1 == len : i == 0;
        size_t other = end ? rows : stack[callers ? i + 1 : i - 1].row;
        if (sum[other].seen == number)
            continue;
        sum[other].seen = number;
        sum[other].ns += cost->ns;
        sum[other].actions += cost->actions;
        sum[other].timed = sum[other].timed || cost->timed;
    }
}

int
pp_annotation_neighbours(const struct pp_annotation *a, size_t row, bool callers,
                         struct pp_annotated_neighbour *ret, size_t cap, size_t *ret_len)
{
    struct pp_annotated_place *stack = calloc(PP_ANNOTATION_DEEPEST, sizeof(*stack));
    struct sum *sum = calloc(a->len + 1, sizeof(*sum));
    struct pp_annotated_neighbour *all = calloc(a->len + 1, sizeof(*all));
    size_t len = 0;
    int rc = stack && sum && all ? 0 : -ENOMEM;
    for (size_t c = a->first_cost[row]; rc == 0 && c < a->first_cost[row + 1]; c++) {
        size_t i = a->of_row[c];
        const struct pp_stack_cost *cost = &a->costs->cost[i];
        size_t depth = cost->stack == PP_NO_STACK
                           ? 0
                           : pp_annotation_stack(a, cost->stack, stack, PP_ANNOTATION_DEEPEST);
        add_neighbours(a->len, stack, depth, row, callers, cost, (uint32_t)i + 1, sum);
    }
    for (size_t i = 0; rc == 0 && i <= a->len; i++)
        if (sum[i].seen)
            all[len++] = (struct pp_annotated_neighbour){.row = i == a->len ? PP_NO_ROW : i,
                                                         .ns = sum[i].timed ? sum[i].ns : (double)NAN,
                                                         .actions = sum[i].actions};
    if (rc == 0) {
        qsort(all, len, sizeof(*all), by_cost);
        *ret_len = len < cap ? len : cap;
        memcpy(ret, all, *ret_len * sizeof(*ret));
    }
    free(stack);
    free(sum);
    free(all);
    return rc;
}

/* The row that issued more than the share of all work itself; PP_NO_ROW: none did. */
static size_t
nearly_all(const struct pp_annotation *a)
{
    for (size_t i = 0; i < a->len; i++)
        if (a->row[i].self_ns > NEARLY_ALL * a->costs->total_ns)
            return i;
    return PP_NO_ROW;
}

int
pp_annotation_wrapper(const struct pp_annotation *a, size_t *ret)
{
    struct pp_annotated_neighbour caller[2] = {{.row = nearly_all(a)}};
    size_t row = PP_NO_ROW, callers = 1;
    int rc = 0;
    for (size_t depth = 0; rc == 0 && callers == 1 && caller[0].row != PP_NO_ROW && depth < WRAPPER_DEEPEST;
         depth++) {
        row = caller[0].row;
        rc = pp_annotation_neighbours(a, row, true, caller, 2, &callers);
    }
    *ret = callers > 1 ? row : PP_NO_ROW;
    return rc;
}
