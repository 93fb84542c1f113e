/** @file
 * See source_costs.h. */
#include "cli/analysis/source_costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

/* The line's place in the array, made if it is new. @return NULL: no memory. */
static struct pp_source_cost *
line_of(struct pp_source_costs *costs, uint32_t line)
{
    size_t low = 0, high = costs->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (costs->line[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < costs->len && costs->line[low].line == line)
        return &costs->line[low];
    if (pp_grow_array(&costs->line, &costs->cap, costs->len + 1, sizeof(*costs->line)))
        return NULL;
    memmove(&costs->line[low + 1], &costs->line[low], (costs->len - low) * sizeof(*costs->line));
    costs->line[low] = (struct pp_source_cost){.line = line};
    costs->len++;
    return &costs->line[low];
}

/* Was this line counted at a place before? */
static bool
is_counted(const struct pp_annotated_place *place, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (place[k].symbol && place[k].symbol->line == place[i].symbol->line &&
            place[k].symbol->file == place[i].symbol->file)
            return true;
    return false;
}

/* Is this place in the file, and in the function? */
static bool
is_wanted(const struct pp_symbol *symbol, const char *file, const char *function)
{
    return symbol && symbol->line && strcmp(symbol->file, file) == 0 &&
           (!function || strcmp(symbol->function, function) == 0);
}

int
pp_source_costs_make(const struct pp_annotation *a, const char *file, const char *function,
                     struct pp_source_costs *ret)
{
    struct pp_annotated_place *place = calloc(PP_ANNOTATION_DEEPEST, sizeof(*place));
    int rc = place ? 0 : -ENOMEM;
    for (size_t c = 0; rc == 0 && c < a->costs->len; c++) {
        const struct pp_stack_cost *cost = &a->costs->cost[c];
        size_t len = cost->stack == PP_NO_STACK
                         ? 0
                         : pp_annotation_stack(a, cost->stack, place, PP_ANNOTATION_DEEPEST);
        size_t self = pp_annotation_self(a, place, len);
        for (size_t i = 0; rc == 0 && i < len; i++) {
            if (!is_wanted(place[i].symbol, file, function))
                continue;
            struct pp_source_cost *line = line_of(ret, place[i].symbol->line);
            rc = line ? 0 : -ENOMEM;
            if (!line)
                break;
            line->self_ns += i == self ? cost->ns : 0;
            line->self_actions += i == self ? cost->actions : 0;
            line->self_timed = line->self_timed || (i == self && cost->timed);
            line->total_timed = line->total_timed || cost->timed;
            line->total_ns += is_counted(place, i) ? 0 : cost->ns;
        }
    }
    free(place);
    return rc;
}
