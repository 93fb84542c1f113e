/** @file
 * See stack_costs.h. passes.csv is read once. draws.csv is read twice: for the sums of each pass, then for
 * the stacks. */
#include "cli/analysis/stack_costs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/bracket_bias.h"
#include "cli/session/row_reader.h"

/* A row of passes.csv. */
struct pass_row {
    double frame, pass; /* its place; frame -1: work of no frame */
    double ns;          /* its GPU time; NaN: not measured */
    double actions_ns;  /* sum of its actions' times */
    size_t stack;       /* index, PP_NO_STACK */
    const char *label, *name, *title;
    double value; /* of the counter; NaN: none */
    bool valued;  /* one of its actions has the counter */
};

struct costs_reading {
    struct pp_row_reader r;
    const struct pp_call_stacks *stacks;
    const struct pp_stack_costs_wanted *wanted;
    struct pp_stack_costs *costs;
    struct pp_row_index places; /* of costs->cost */
    struct pass_row *pass;
    size_t passes, pass_cap;
    size_t counter_at; /* column; SIZE_MAX: none */
    double bias_ns;
    bool attribute; /* draws.csv is read for the second time */
};

static struct pp_saved_key
cost_key(const void *array, size_t i)
{
    const struct pp_stack_cost *cost = array;
    return (struct pp_saved_key){cost[i].title, cost[i].call, cost[i].stack};
}

/* The cost of a stack and its detail, made if it is new. @return NULL: no memory. */
static struct pp_stack_cost *
cost_of(struct costs_reading *c, size_t stack, const struct pass_row *pass, const char *call)
{
    struct pp_stack_costs *costs = c->costs;
    bool detail = c->wanted->detail;
    const char *pooled = detail ? pp_text_pool_add(&costs->texts, call, strlen(call)) : "";
    struct pp_stack_cost cost = {.stack = stack,
                                 .label = detail && pass ? pass->label : "",
                                 .pass = detail && pass ? pass->name : "",
                                 .title = detail && pass ? pass->title : "",
                                 .call = pooled};
    c->r.error = pooled ? pp_row_index_reserve(&c->places, costs->cost, costs->len) : -ENOMEM;
    if (c->r.error)
        return NULL;
    uint32_t *place = pp_row_index_find(&c->places, costs->cost, cost_key(&cost, 0));
    if (*place)
        return &costs->cost[*place - 1];
    c->r.error = pp_saved_grow(&costs->cost, costs->len, &costs->cap, sizeof(*costs->cost));
    if (c->r.error)
        return NULL;
    costs->cost[costs->len] = cost;
    *place = (uint32_t)++costs->len;
    return &costs->cost[costs->len - 1];
}

/* Add GPU time to a cost. */
static void
add_time(struct costs_reading *c, struct pp_stack_cost *cost, double ns)
{
    cost->ns += ns;
    c->costs->total_ns += ns;
    c->costs->stacked_ns += cost->stack == PP_NO_STACK ? 0 : ns;
}

/* Add a value of the counter to a cost. @param ns Of the row; NaN: not measured. */
static void
add_value(struct costs_reading *c, struct pp_stack_cost *cost, double value, double ns)
{
    double weight = c->costs->is_ratio ? isnan(ns) ? 0 : ns : 1;
    cost->value += c->costs->is_ratio ? value * weight : value;
    cost->weight += weight;
}

static size_t
stack_of(const struct costs_reading *c, const struct pp_cell *cell)
{
    const struct pp_cell *at = pp_row_reader_cell(&c->r, cell, COL_STACK);
    uint64_t id = 0;
    const struct pp_call_stack *stack =
        at->len && pp_call_stacks_number(at->text, at->len, &id) ? pp_call_stacks_find(c->stacks, id) : NULL;
    return stack && stack->frames ? (size_t)(stack - c->stacks->stack) : PP_NO_STACK;
}

static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct costs_reading *c = data;
    pp_row_reader_columns(&c->r, cell, cells);
    c->counter_at = SIZE_MAX;
    for (size_t i = cells; c->wanted->counter && i-- > 0;)
        if (pp_cell_is(&cell[i], c->wanted->counter))
            c->counter_at = i;
    c->costs->has_counter = c->costs->has_counter || c->counter_at != SIZE_MAX;
    c->costs->has_column = c->costs->has_column || c->r.at[COL_STACK] != SIZE_MAX;
    return true;
}

static double
time_of(const struct costs_reading *c, const struct pp_cell *cell)
{
    double ns = (double)NAN;
    (void)!pp_cell_number(pp_row_reader_cell(&c->r, cell, COL_GPU_TIME), &ns);
    return pp_less(ns, c->bias_ns);
}

static double
value_of(const struct costs_reading *c, const struct pp_cell *cell)
{
    double value = (double)NAN;
    if (c->counter_at != SIZE_MAX)
        (void)!pp_cell_number(&cell[c->counter_at], &value);
    return value;
}

/* Label and name of a pass as one text. @return NULL: no memory. */
static const char *
title_of(struct costs_reading *c, const struct pass_row *row)
{
    size_t label = strlen(row->label), name = strlen(row->name);
    char *text = malloc(label + name + 2);
    if (!text)
        return NULL;
    memcpy(text, row->label, label);
    text[label] = '\n';
    memcpy(text + label + 1, row->name, name + 1);
    const char *title = pp_text_pool_add(&c->costs->texts, text, label + name + 1);
    free(text);
    return title;
}

static bool
on_pass(void *data, const struct pp_cell *cell, size_t cells)
{
    struct costs_reading *c = data;
    double frame = -1;
    (void)cells;
    if (!pp_row_reader_frame(&c->r, cell, &frame) || c->r.last_first)
        return true;
    c->r.error = pp_saved_grow(&c->pass, c->passes, &c->pass_cap, sizeof(*c->pass));
    if (c->r.error)
        return false;
    struct pass_row *row = &c->pass[c->passes];
    const struct pp_cell *name = pp_row_reader_cell(&c->r, cell, COL_NAME);
    const struct pp_cell *label = pp_row_reader_cell(&c->r, cell, COL_LABEL);
    name = name->len ? name : pp_row_reader_cell(&c->r, cell, COL_KIND);
    *row = (struct pass_row){.frame = frame,
                             .pass = -1,
                             .ns = time_of(c, cell),
                             .stack = stack_of(c, cell),
                             .value = value_of(c, cell),
                             .label = pp_text_pool_add(&c->costs->texts, label->text, label->len),
                             .name = pp_text_pool_add(&c->costs->texts, name->text, name->len)};
    (void)!pp_cell_number(pp_row_reader_cell(&c->r, cell, COL_PASS), &row->pass);
    row->title = row->label && row->name ? title_of(c, row) : NULL;
    c->r.error = row->title ? 0 : -ENOMEM;
    c->passes++;
    return c->r.error == 0;
}

static int
by_place(const void *a, const void *b)
{
    const struct pass_row *x = a;
    const struct pass_row *y = b;
    int order = (x->frame > y->frame) - (x->frame < y->frame);
    return order ? order : (x->pass > y->pass) - (x->pass < y->pass);
}

/* The pass of a row of draws.csv; NULL: passes.csv does not have it. */
static struct pass_row *
pass_of(const struct costs_reading *c, const struct pp_cell *cell, double frame)
{
    struct pass_row wanted = {.frame = frame, .pass = -1};
    if (!pp_cell_number(pp_row_reader_cell(&c->r, cell, COL_PASS), &wanted.pass) || !c->passes)
        return NULL;
    return bsearch(&wanted, c->pass, c->passes, sizeof(*c->pass), by_place);
}

/* Attribute a row of draws.csv to its stack. */
static bool
attribute(struct costs_reading *c, const struct pp_cell *cell, struct pass_row *pass)
{
    double ns = time_of(c, cell);
    double value = value_of(c, cell);
    const struct pp_cell *call = pp_row_reader_cell(&c->r, cell, COL_CALL);
    struct pp_stack_cost *cost = cost_of(c, stack_of(c, cell), pass, call->text);
    if (!cost)
        return false;
    cost->actions++;
    c->costs->no_actions = false;
    cost->timed += isnan(ns) ? 0U : 1U;
    c->costs->untimed += isnan(ns) ? 1U : 0U;
    if (!isnan(value)) {
        add_value(c, cost, value, ns);
        if (pass)
            pass->valued = true;
    }
    if (isnan(ns))
        return true;
    bool overlapped = pass && pass->ns < pass->actions_ns;
    add_time(c, cost, overlapped ? ns / pass->actions_ns * pass->ns : ns);
    return true;
}

static bool
on_draw(void *data, const struct pp_cell *cell, size_t cells)
{
    struct costs_reading *c = data;
    double frame = -1;
    (void)cells;
    if (!pp_row_reader_frame(&c->r, cell, &frame) || c->r.last_first)
        return true;
    struct pass_row *pass = pass_of(c, cell, frame);
    double ns = time_of(c, cell);
    if (c->attribute)
        return attribute(c, cell, pass);
    if (pass && !isnan(ns))
        pass->actions_ns += ns;
    return true;
}

/* Give each pass what its actions do not have. */
static int
attribute_passes(struct costs_reading *c)
{
    for (size_t i = 0; i < c->passes; i++) {
        const struct pass_row *pass = &c->pass[i];
        struct pp_stack_cost *cost = cost_of(c, pass->stack, pass, "");
        if (!cost)
            return c->r.error;
        cost->passes++;
        cost->timed += isnan(pass->ns) ? 0U : 1U;
        if (pass->ns > pass->actions_ns)
            add_time(c, cost, pass->ns - pass->actions_ns);
        if (!isnan(pass->value) && !pass->valued)
            add_value(c, cost, pass->value, pass->ns);
    }
    return 0;
}

/* Read a file that need not exist. */
static int
read_file(struct costs_reading *c, const char *name,
          bool (*row)(void *data, const struct pp_cell *cell, size_t cells))
{
    const struct pp_csv_reader reader = {.header = on_header, .row = row, .data = c};
    for (size_t i = 0; i < PP_SAVED_COLUMNS; i++)
        c->r.at[i] = SIZE_MAX;
    int rc = pp_csv_read(c->r.rec->dir_fd, name, &reader);
    rc = rc == -ENOENT ? 0 : rc;
    return rc ? rc : c->r.error;
}

/* Is a frame in the window of level draw? */
static bool
has_level_draw(const struct pp_saved_session *rec)
{
    for (size_t i = 0; i < rec->surfaces; i++)
        if (rec->surface[i].by_level[PP_SAVED_DRAW])
            return true;
    return false;
}

/* Is this counter a state or a ratio? */
static bool
is_ratio(const struct pp_saved_session *rec, const char *counter)
{
    static const char metric[] = "metric:";
    for (size_t i = 0; counter && i < rec->counters; i++)
        if (strcmp(rec->counter[i], counter) == 0)
            return pp_saved_is_state(rec, i);
    return counter && (strncmp(counter, metric, sizeof(metric) - 1) == 0 || strstr(counter, "_percent"));
}

int
pp_stack_costs_read(struct pp_saved_session *rec, const struct pp_call_stacks *stacks,
                    const struct pp_stack_costs_wanted *wanted, struct pp_stack_costs *ret)
{
    struct costs_reading c = {.r.rec = rec,
                              .stacks = stacks,
                              .wanted = wanted,
                              .costs = ret,
                              .places.key = cost_key,
                              .bias_ns = pp_bias_of_scope(rec, "pass").median_ns};
    ret->frames = rec->measured_frames;
    ret->is_ratio = is_ratio(rec, wanted->counter);
    ret->no_actions = !has_level_draw(rec);
    int rc = read_file(&c, "passes.csv", on_pass);
    if (c.passes)
        qsort(c.pass, c.passes, sizeof(*c.pass), by_place);
    rc = rc ? rc : read_file(&c, "draws.csv", on_draw);
    c.attribute = true;
    rc = rc ? rc : read_file(&c, "draws.csv", on_draw);
    rc = rc ? rc : attribute_passes(&c);
    free(c.pass);
    free(c.places.at);
    return rc;
}

void
pp_stack_costs_finish(struct pp_stack_costs *costs)
{
    free(costs->cost);
    pp_text_pool_finish(&costs->texts);
    memset(costs, 0, sizeof(*costs));
}
