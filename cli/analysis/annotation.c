/** @file
 * See annotation.h. */
#include "cli/analysis/annotation.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "counters/util/nearest_name.h"

static const char *const by_name[] = {"function", "line", "file", "module"};

bool
pp_annotate_by_parse(const char *name, enum pp_annotate_by *ret)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(by_name); i++) {
        size_t len = strlen(by_name[i]);
        if (strncmp(name, by_name[i], len) == 0 && (!name[len] || strcmp(name + len, "s") == 0)) {
            *ret = (enum pp_annotate_by)i;
            return true;
        }
    }
    return false;
}

const char *
pp_annotate_by_near(const char *name)
{
    struct pp_nearest nearest = pp_nearest_begin(name, strlen(name));
    for (size_t i = 0; i < PP_ARRAY_SIZE(by_name); i++)
        pp_nearest_offer(&nearest, by_name[i], strlen(by_name[i]));
    return nearest.found;
}

static const char *
base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Text of a place without a name: the begin of its function, if that is known, and else the call. @param
 * symbol NULL: none is known. */
static void
address_text(char *text, size_t size, const char *module, const struct pp_address *address,
             const struct pp_symbol *symbol)
{
    uint64_t at = symbol && symbol->start ? symbol->start : address->offset;
    if (address->module == PP_SAVED_NO_MODULE)
        snprintf(text, size, "0x%" PRIx64, at);
    else
        snprintf(text, size, "%s+0x%" PRIx64, base_of(module), at);
}

/* Name of the row of a place. @param symbol NULL: none is known. */
static void
name_of(char *text, size_t size, enum pp_annotate_by by, const char *module, const struct pp_address *address,
        const struct pp_symbol *symbol)
{
    bool lined = symbol && *symbol->file && symbol->line;
    if (by == PP_ANNOTATE_MODULE)
        snprintf(text, size, "%s", *module ? base_of(module) : "[jit]");
    else if (by == PP_ANNOTATE_FILE && symbol && *symbol->file)
        snprintf(text, size, "%s", base_of(symbol->file));
    else if (by == PP_ANNOTATE_FILE)
        snprintf(text, size, "[%s]", *module ? base_of(module) : "jit");
    else if (by == PP_ANNOTATE_LINE && lined)
        snprintf(text, size, "%s:%" PRIu32, base_of(symbol->file), symbol->line);
    else if (symbol && *symbol->function)
        snprintf(text, size, "%s", symbol->function);
    else if (lined)
        snprintf(text, size, "%s:%" PRIu32, base_of(symbol->file), symbol->line);
    else
        address_text(text, size, module, address, by == PP_ANNOTATE_LINE ? NULL : symbol);
}

/* What distinguishes rows: more than their names. */
static void
key_of(char *text, size_t size, enum pp_annotate_by by, const char *name, const char *module,
       const struct pp_symbol *symbol)
{
    const char *file = symbol ? symbol->file : "";
    if (by == PP_ANNOTATE_MODULE)
        snprintf(text, size, "%s", module);
    else if (by == PP_ANNOTATE_FILE)
        snprintf(text, size, "%s\n%s", *file ? file : name, *file ? "" : module);
    else if (by == PP_ANNOTATE_LINE)
        snprintf(text, size, "%s\n%s\n%s\n%s", name, file, symbol ? symbol->function : "", module);
    else
        snprintf(text, size, "%s\n%s", name, module);
}

/* Find the row of a place, made if it is new. @return PP_NO_ROW: no memory. */
static size_t
row_of(struct pp_annotation *a, struct pp_name_table *rows, const struct pp_address *address,
       const struct pp_symbol *symbol)
{
    char name[2048], key[8192];
    const char *module = address->module == PP_SAVED_NO_MODULE ? "" : a->stacks->module[address->module].path;
    name_of(name, sizeof(name), a->by, module, address, symbol);
    key_of(key, sizeof(key), a->by, name, module, symbol);
    const struct pp_name *known = pp_name_table_find(rows, key, strlen(key));
    if (known) {
        struct pp_annotated *row = &a->row[known->index];
        row->inlined = row->inlined && symbol && symbol->inlined;
        return known->index;
    }
    const char *pooled = pp_text_pool_add(&a->texts, key, strlen(key));
    const char *title = pp_text_pool_add(&a->texts, name, strlen(name));
    if (!pooled || !title || pp_name_table_add(rows, pooled, strlen(pooled), 0, (uint32_t)a->len) ||
        pp_grow_array(&a->row, &a->cap, a->len + 1, sizeof(*a->row)))
        return PP_NO_ROW;
    bool functions = a->by == PP_ANNOTATE_FUNCTION || a->by == PP_ANNOTATE_LINE;
    a->row[a->len] = (struct pp_annotated){.name = title,
                                           .function = symbol && functions ? symbol->function : "",
                                           .file = symbol && a->by != PP_ANNOTATE_MODULE ? symbol->file : "",
                                           .module = module,
                                           .line = symbol && a->by == PP_ANNOTATE_LINE ? symbol->line : 0,
                                           .inlined = symbol && symbol->inlined && functions,
                                           .heaviest_ns = -1,
                                           .heaviest = PP_NO_STACK};
    return a->len++;
}

/* Make the rows of all addresses. */
static int
make_rows(struct pp_annotation *a)
{
    const struct pp_call_stacks *s = a->stacks;
    struct pp_name_table rows = {.slots = 0};
    size_t len = 0;
    int rc = 0;
    a->first = calloc(s->addresses + 1, sizeof(*a->first));
    a->place = calloc(s->symbols + s->addresses + 1, sizeof(*a->place));
    if (!a->first || !a->place)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < s->addresses; i++) {
        const struct pp_address *address = &s->address[i];
        a->first[i] = len;
        for (size_t k = 0; rc == 0 && k < (address->symbols ? address->symbols : 1); k++) {
            const struct pp_symbol *symbol = address->symbols ? &s->symbol[address->symbol + k] : NULL;
            a->place[len] = row_of(a, &rows, address, symbol);
            rc = a->place[len++] == PP_NO_ROW ? -ENOMEM : 0;
        }
    }
    a->first[s->addresses] = len;
    pp_name_table_finish(&rows);
    return rc;
}

/* Is this a function of the C library that calls main()? In an application without symbols, main() has no
 * name. */
static bool
calls_main(const char *function)
{
    static const char *const name[] = {"__libc_start_call_main", "__libc_start_main_impl",
                                       "__libc_start_main"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(name); i++)
        if (strcmp(function, name[i]) == 0)
            return true;
    return false;
}

/* Leave out the last places of a stack that belong to one module. @return Places that are left, at least 1.
 */
static size_t
without_module(const struct pp_annotation *a, const struct pp_annotated_place *place, size_t len)
{
    const char *module = a->row[place[len - 1].row].module;
    while (len > 1 && a->row[place[len - 1].row].module == module)
        len--;
    return len;
}

size_t
pp_annotation_stack(const struct pp_annotation *a, size_t stack, struct pp_annotated_place *ret, size_t cap)
{
    const struct pp_call_stack *s = &a->stacks->stack[stack];
    size_t len = 0;
    for (size_t f = 0; f < s->frames; f++) {
        size_t index = a->stacks->frame[s->frame + f];
        const struct pp_address *address = &a->stacks->address[index];
        for (size_t i = a->first[index]; i < a->first[index + 1] && len < cap; i++) {
            const struct pp_symbol *symbol =
                address->symbols ? &a->stacks->symbol[address->symbol + i - a->first[index]] : NULL;
            ret[len++] = (struct pp_annotated_place){a->place[i], symbol};
            if (symbol && strcmp(symbol->function, "main") == 0)
                return len;
            if (symbol && calls_main(symbol->function))
                return without_module(a, ret, len);
        }
    }
    return len;
}

/* Is a module's code skipped when the row is found that issued work itself? */
static bool
is_skipped(const struct pp_annotation *a, const char *module)
{
    for (size_t i = 0; i < a->stacks->modules; i++)
        if (a->stacks->module[i].path == module)
            return a->skipped[i];
    return false;
}

bool
pp_annotation_function_matches(const char *function, const char *pattern)
{
    const char *last = function;
    for (const char *at = strstr(function, "::"); at; at = strstr(at + 2, "::"))
        last = at + 2;
    return *function && (fnmatch(pattern, function, 0) == 0 || fnmatch(pattern, last, 0) == 0);
}

/* Does the user skip the function of a place? */
static bool
is_skipped_function(const struct pp_annotation *a, const struct pp_annotated_place *place)
{
    for (size_t i = 0; place->symbol && i < a->skip_functions; i++)
        if (pp_annotation_function_matches(place->symbol->function, a->skip_function[i]))
            return true;
    return false;
}

/* Index of the first place that is the caller of skipped functions, after the innermost of these; 0: no
 * function is skipped. */
static size_t
place_past_skipped(const struct pp_annotation *a, const struct pp_annotated_place *place, size_t len)
{
    size_t i = 0;
    while (i < len && !is_skipped_function(a, &place[i]))
        i++;
    if (!a->skip_functions || i == len)
        return 0;
    while (i + 1 < len && is_skipped_function(a, &place[i]))
        i++;
    return i;
}

size_t
pp_annotation_self(const struct pp_annotation *a, const struct pp_annotated_place *place, size_t len)
{
    size_t first = place_past_skipped(a, place, len);
    for (size_t i = first; i < len; i++)
        if (!is_skipped(a, a->row[place[i].row].module))
            return i;
    return first;
}

/* Add the cost of a stack to a row in it. */
static void
add_total(struct pp_annotation *a, const struct pp_annotated_place *place, const struct pp_stack_cost *cost)
{
    struct pp_annotated *r = &a->row[place->row];
    r->total_ns += cost->ns;
    r->total_actions += cost->actions;
    r->total_timed = r->total_timed || cost->timed;
    r->value += cost->value;
    r->weight += cost->weight;
    if (cost->ns < r->heaviest_ns || (cost->ns <= r->heaviest_ns && cost->actions <= r->heaviest_actions))
        return;
    r->heaviest_ns = cost->ns;
    r->heaviest_actions = cost->actions;
    r->heaviest = cost->stack;
    if (a->by == PP_ANNOTATE_FUNCTION && place->symbol) {
        r->line = place->symbol->line;
        r->file = place->symbol->file;
    }
}

/* Add the costs of all stacks to their rows. */
static int
add_costs(struct pp_annotation *a)
{
    struct pp_annotated_place *place = calloc(PP_ANNOTATION_DEEPEST, sizeof(*place));
    a->seen = calloc(a->len + 1, sizeof(*a->seen));
    int rc = place && a->seen ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < a->costs->len; i++) {
        const struct pp_stack_cost *cost = &a->costs->cost[i];
        size_t len = cost->stack == PP_NO_STACK
                         ? 0
                         : pp_annotation_stack(a, cost->stack, place, PP_ANNOTATION_DEEPEST);
        if (!len)
            continue;
        struct pp_annotated *self = &a->row[place[pp_annotation_self(a, place, len)].row];
        self->self_ns += cost->ns;
        self->self_actions += cost->actions;
        self->self_invocations += cost->work[PP_DRAWS_BY_INVOCATIONS];
        self->self_passes += cost->passes;
        self->self_timed = self->self_timed || cost->timed;
        for (size_t k = 0; k < len; k++) {
            if (a->seen[place[k].row] != i + 1) /* a recursive function counts once */
                add_total(a, &place[k], cost);
            a->seen[place[k].row] = (uint32_t)i + 1;
        }
    }
    free(place);
    return rc;
}

/* Write which costs have a row in their stacks; the rows are ranked. @param list NULL: only count them, into
 * a->first_cost[row + 1]. */
static int
list_costs(struct pp_annotation *a, size_t *list)
{
    struct pp_annotated_place *place = calloc(PP_ANNOTATION_DEEPEST, sizeof(*place));
    if (!place)
        return -ENOMEM;
    memset(a->seen, 0, a->len * sizeof(*a->seen));
    for (size_t i = 0; i < a->costs->len; i++) {
        size_t stack = a->costs->cost[i].stack;
        size_t len = stack == PP_NO_STACK ? 0 : pp_annotation_stack(a, stack, place, PP_ANNOTATION_DEEPEST);
        for (size_t k = 0; k < len; k++) {
            size_t row = place[k].row;
            if (a->seen[row] == i + 1)
                continue;
            a->seen[row] = (uint32_t)i + 1;
            if (list)
                list[a->first_cost[row]++] = i;
            else
                a->first_cost[row + 1]++;
        }
    }
    free(place);
    return 0;
}

/* Find the costs of each row. */
static int
index_costs(struct pp_annotation *a)
{
    a->first_cost = calloc(a->len + 2, sizeof(*a->first_cost));
    int rc = a->first_cost ? list_costs(a, NULL) : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < a->len; i++)
        a->first_cost[i + 1] += a->first_cost[i];
    a->of_row = rc ? NULL : calloc(a->first_cost[a->len] + 1, sizeof(*a->of_row));
    if (rc || !a->of_row)
        return -ENOMEM;
    rc = list_costs(a, a->of_row);
    for (size_t i = a->len; i > 0; i--) /* filling moved each begin to the next row's */
        a->first_cost[i] = a->first_cost[i - 1];
    a->first_cost[0] = 0;
    return rc;
}

double
pp_annotated_value(const struct pp_annotation *a, const struct pp_annotated *row)
{
    if (row->weight <= 0)
        return (double)NAN;
    return a->costs->is_ratio ? row->value / row->weight : row->value;
}

static int
by_time(const void *a, const void *b)
{
    const struct pp_annotated *x = a;
    const struct pp_annotated *y = b;
    int order = (x->self_ns < y->self_ns) - (x->self_ns > y->self_ns);
    order = order ? order : (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
    if (order == 0)
        order = (x->self_invocations < y->self_invocations) - (x->self_invocations > y->self_invocations);
    order = order ? order : (x->total_actions < y->total_actions) - (x->total_actions > y->total_actions);
    return order ? order : strcmp(x->name, y->name);
}

/* An index of a row, and the row's rank. */
struct ranked {
    struct pp_annotated row;
    double key;
    size_t was;
};

static int
by_key(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    int order = (x->key < y->key) - (x->key > y->key);
    order = order ? order : by_time(&x->row, &y->row);
    return order ? order : (x->was > y->was) - (x->was < y->was);
}

/* Rank the rows, and renumber them in the stacks. */
static int
rank(struct pp_annotation *a, enum pp_annotate_sort sort)
{
    struct ranked *ranked = calloc(a->len + 1, sizeof(*ranked));
    size_t *now = calloc(a->len + 1, sizeof(*now));
    int rc = ranked && now ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < a->len; i++) {
        double key = sort == PP_ANNOTATE_SELF    ? a->row[i].self_ns
                     : sort == PP_ANNOTATE_TOTAL ? a->row[i].total_ns
                                                 : pp_annotated_value(a, &a->row[i]);
        ranked[i] = (struct ranked){a->row[i], isnan(key) ? -(double)INFINITY : key, i};
    }
    if (rc == 0)
        qsort(ranked, a->len, sizeof(*ranked), by_key);
    for (size_t i = 0; rc == 0 && i < a->len; i++) {
        a->row[i] = ranked[i].row;
        now[ranked[i].was] = i;
    }
    for (size_t i = 0; rc == 0 && i < a->first[a->stacks->addresses]; i++)
        a->place[i] = now[a->place[i]];
    free(ranked);
    free(now);
    return rc;
}

bool
pp_annotated_has_self(const struct pp_annotated *row)
{
    return row->self_timed || (row->total_timed && !row->self_actions && !row->self_passes);
}

/* Find the modules whose functions do not count as issuing work. */
static int
find_skipped(struct pp_annotation *a, const struct pp_annotation_wanted *wanted)
{
    a->skipped = calloc(a->stacks->modules + 1, sizeof(*a->skipped));
    if (!a->skipped)
        return -ENOMEM;
    for (size_t i = 0; i < a->stacks->modules; i++)
        for (size_t k = 0; k < wanted->skips; k++)
            if (fnmatch(wanted->skip[k], base_of(a->stacks->module[i].path), 0) == 0 ||
                strcmp(wanted->skip[k], a->stacks->module[i].path) == 0)
                a->skipped[i] = true;
    return 0;
}

int
pp_annotation_make(const struct pp_call_stacks *stacks, const struct pp_stack_costs *costs,
                   const struct pp_annotation_wanted *wanted, struct pp_annotation *ret)
{
    ret->stacks = stacks;
    ret->costs = costs;
    ret->by = wanted->by;
    ret->skip_function = wanted->skip_function;
    ret->skip_functions = wanted->skip_functions;
    int rc = find_skipped(ret, wanted);
    rc = rc ? rc : make_rows(ret);
    rc = rc ? rc : add_costs(ret);
    rc = rc ? rc : rank(ret, wanted->sort);
    return rc ? rc : index_costs(ret);
}

void
pp_annotation_finish(struct pp_annotation *a)
{
    free(a->row);
    free(a->first);
    free(a->place);
    free(a->seen);
    free(a->first_cost);
    free(a->of_row);
    free(a->skipped);
    pp_text_pool_finish(&a->texts);
    memset(a, 0, sizeof(*a));
}
