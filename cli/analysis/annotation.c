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

/* Index of the first of these places that issued work itself: it and its module are not skipped, and it
 * calls no skipped function on the way to the work. The outermost one if all functions are skipped, the first
 * one if all modules are. */
static size_t
self_of(const struct pp_annotation *a, const struct pp_annotated_place *place, size_t len)
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
        struct pp_annotated *self = &a->row[place[self_of(a, place, len)].row];
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
        size_t self = self_of(a, place, len);
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
