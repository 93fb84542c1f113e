/** @file
 * See stack_costs.h. passes.csv and draws.csv are read side by side, frame by frame, because both have the
 * frames in the same order: so memory does not grow with their rows. A frame whose actions are not where they
 * should be waits until passes.csv has ended. */
#include "cli/analysis/stack_costs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/bracket_bias.h"
#include "cli/analysis/stack_rows.h"
#include "cli/session/row_reader.h"
#include "counters/util/grow_array.h"

/* The time of an action, until all actions of its pass are known. */
struct open_time {
    uint32_t pass; /* index in the array of passes */
    uint32_t cost; /* index */
    double ns;
};

/* Costs with the detail, at most; work beyond has one cost. */
#define COSTS_MOST ((size_t)1 << 18)
/* Passes that wait for their actions, at most. */
#define WAITING_MOST ((size_t)1 << 20)

/* A growing array of passes. */
struct passes {
    struct pp_stack_pass *row;
    size_t len, cap;
};

struct costs_reading {
    const struct pp_stack_costs_wanted *wanted;
    struct pp_stack_costs *costs;
    struct pp_row_index places; /* of costs->cost */
    struct pp_stack_rows passes, actions;
    struct passes frame;    /* the passes of one frame */
    struct passes waiting;  /* those that wait for their actions */
    struct open_time *open; /* of the actions of these passes */
    size_t open_len, open_cap;
    bool only_draws; /* passes of frames at level pass are left out */
    int error;
};

static struct pp_saved_key
cost_key(const void *array, size_t i)
{
    const struct pp_stack_cost *cost = array;
    return (struct pp_saved_key){cost[i].title, cost[i].call, cost[i].stack};
}

/* The cost of a stack and its detail, made if it is new. @return NULL: no memory. */
static struct pp_stack_cost *
cost_of(struct costs_reading *c, size_t stack, const struct pp_stack_pass *pass, const char *call)
{
    struct pp_stack_costs *costs = c->costs;
    bool detail = c->wanted->detail;
    struct pp_stack_cost cost = {.stack = stack,
                                 .label = detail && pass ? pass->label : "",
                                 .pass = detail && pass ? pass->name : "",
                                 .title = detail && pass ? pass->title : "",
                                 .call = detail ? call : ""};
    c->error = pp_row_index_reserve(&c->places, costs->cost, costs->len);
    if (c->error)
        return NULL;
    uint32_t *place = pp_row_index_find(&c->places, costs->cost, cost_key(&cost, 0));
    if (!*place && detail && costs->len >= COSTS_MOST) {
        cost = (struct pp_stack_cost){.stack = PP_NO_STACK,
                                      .label = PP_STACK_COSTS_OTHER,
                                      .pass = PP_STACK_COSTS_OTHER,
                                      .title = PP_STACK_COSTS_OTHER,
                                      .call = ""};
        place = pp_row_index_find(&c->places, costs->cost, cost_key(&cost, 0));
    }
    if (*place)
        return &costs->cost[*place - 1];
    c->error = pp_grow_array(&costs->cost, &costs->cap, costs->len + 1, sizeof(*costs->cost));
    if (c->error)
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

static int
by_place(const void *a, const void *b)
{
    const struct pp_stack_pass *x = a;
    const struct pp_stack_pass *y = b;
    int order = (x->frame > y->frame) - (x->frame < y->frame);
    return order ? order : (x->pass > y->pass) - (x->pass < y->pass);
}

/* Attribute an action to its stack; its time is kept open. */
static int
add_action(struct costs_reading *c, const struct passes *passes)
{
    const struct pp_stack_action *action = &c->actions.action;
    const struct pp_stack_pass wanted = {.frame = action->frame, .pass = action->pass};
    struct pp_stack_pass *pass = NULL;
    if (passes->len && !isnan(action->pass))
        pass = bsearch(&wanted, passes->row, passes->len, sizeof(wanted), by_place);
    struct pp_stack_cost *cost = cost_of(c, action->stack, pass, action->call);
    if (!cost)
        return c->error;
    bool timed = !isnan(action->ns);
    cost->actions++;
    c->costs->no_actions = false;
    cost->timed += timed;
    c->costs->untimed += !timed;
    for (size_t by = 0; by <= PP_DRAWS_BY_COUNT; by++)
        cost->work[by] += action->work[by];
    if (!isnan(action->value)) {
        add_value(c, cost, action->value, action->ns);
        if (pass)
            pass->valued = true;
    }
    if (!timed) {
        if (pass)
            pass->untimed = true;
        return 0;
    }
    if (!pass) {
        add_time(c, cost, action->ns);
        return 0;
    }
    pass->actions_ns += action->ns;
    pass->brackets_ns += action->bracket_ns;
    int rc = pp_grow_array(&c->open, &c->open_cap, c->open_len + 1, sizeof(*c->open));
    if (rc == 0)
        c->open[c->open_len++] =
            (struct open_time){(uint32_t)(pass - passes->row), (uint32_t)(cost - c->costs->cost), action->ns};
    return rc;
}

/* Attribute the times of the actions, whose sums are known now. */
static void
close_times(struct costs_reading *c, const struct passes *passes)
{
    for (size_t i = 0; i < c->open_len; i++) {
        const struct open_time *open = &c->open[i];
        const struct pp_stack_pass *pass = &passes->row[open->pass];
        bool overlapped = pass->ns < pass->actions_ns;
        add_time(c, &c->costs->cost[open->cost],
                 overlapped ? open->ns / pass->actions_ns * pass->ns : open->ns);
    }
    c->open_len = 0;
}

/* Is the row of draws.csv of this frame? */
static bool
is_next(const struct costs_reading *c, double frame)
{
    return c->actions.has_row && c->actions.action.frame >= frame && c->actions.action.frame <= frame;
}

/* Give a pass what its actions do not have, or no one, if actions of it have no times. The pass holds the
 * brackets of its actions, too: what these take belongs to no code. */
static int
add_rest(struct costs_reading *c, const struct pp_stack_pass *pass)
{
    struct pp_stack_cost *cost = cost_of(c, pass->stack, pass, "");
    if (!cost)
        return c->error;
    double rest = pass->ns > pass->brackets_ns ? pass->ns - pass->brackets_ns : 0;
    bool undivided = c->wanted->rank && pass->untimed;
    cost->passes++;
    cost->timed += isnan(pass->ns) || undivided ? 0U : 1U;
    if (undivided) {
        c->costs->undivided_ns += rest;
        c->costs->total_ns += rest;
    } else
        add_time(c, cost, rest);
    if (!isnan(pass->value) && !pass->valued)
        add_value(c, cost, pass->value, pass->ns);
    return 0;
}

static int
add_rests(struct costs_reading *c, const struct passes *passes)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < passes->len; i++)
        rc = add_rest(c, &passes->row[i]);
    return rc;
}

static int
push(struct passes *passes, const struct pp_stack_pass *row)
{
    int rc = pp_grow_array(&passes->row, &passes->cap, passes->len + 1, sizeof(*row));
    if (rc == 0)
        passes->row[passes->len++] = *row;
    return rc;
}

/* Read the passes of a frame, sorted by place. @param ret_wait Their actions should come next in draws.csv,
 * and do not. */
static int
read_frame(struct costs_reading *c, bool *ret_wait)
{
    const double frame = c->passes.pass.frame;
    bool have_actions = false;
    int rc = 0;
    c->frame.len = 0;
    while (rc == 0 && c->passes.has_row && c->passes.pass.frame >= frame && c->passes.pass.frame <= frame) {
        bool left_out = c->only_draws && c->passes.pass.coarse;
        have_actions = have_actions || (c->passes.pass.has_actions && !left_out);
        rc = left_out ? 0 : push(&c->frame, &c->passes.pass);
        rc = rc ? rc : pp_stack_rows_next(&c->passes);
    }
    if (c->frame.len)
        qsort(c->frame.row, c->frame.len, sizeof(*c->frame.row), by_place);
    *ret_wait = have_actions && c->actions.has_row && !is_next(c, frame) && c->waiting.len < WAITING_MOST;
    return rc;
}

/* Attribute the passes of the next frame and their actions. */
static int
add_frame(struct costs_reading *c)
{
    const double frame = c->passes.pass.frame;
    bool wait = false;
    int rc = read_frame(c, &wait);
    for (size_t i = 0; rc == 0 && wait && i < c->frame.len; i++)
        rc = push(&c->waiting, &c->frame.row[i]);
    if (rc || wait)
        return rc;
    while (rc == 0 && is_next(c, frame)) {
        rc = add_action(c, &c->frame);
        rc = rc ? rc : pp_stack_rows_next(&c->actions);
    }
    close_times(c, &c->frame);
    return rc ? rc : add_rests(c, &c->frame);
}

/* Attribute the passes that wait, and the actions that are left when passes.csv has ended. */
static int
add_waiting(struct costs_reading *c)
{
    int rc = 0;
    if (c->waiting.len)
        qsort(c->waiting.row, c->waiting.len, sizeof(*c->waiting.row), by_place);
    while (rc == 0 && c->actions.has_row) {
        rc = add_action(c, &c->waiting);
        rc = rc ? rc : pp_stack_rows_next(&c->actions);
    }
    close_times(c, &c->waiting);
    return rc ? rc : add_rests(c, &c->waiting);
}

/* Read both files side by side. */
static int
read_files(struct costs_reading *c, struct pp_saved_session *rec)
{
    int rc = pp_stack_rows_open(&c->passes, rec, false);
    rc = rc ? rc : pp_stack_rows_open(&c->actions, rec, true);
    while (rc == 0 && c->passes.has_row)
        rc = add_frame(c);
    rc = rc ? rc : add_waiting(c);
    pp_stack_rows_close(&c->passes);
    pp_stack_rows_close(&c->actions);
    return rc;
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

/* Where most of the time belongs to actions that have no times of their own, take the first other measure
 * that any action has. */
static void
take_measure(struct costs_reading *c)
{
    struct pp_stack_costs *costs = c->costs;
    double sum[PP_DRAWS_BY_COUNT + 1] = {0};
    costs->gpu_ns = costs->total_ns;
    if (!c->wanted->rank || !costs->untimed || costs->undivided_ns < costs->total_ns / 2)
        return;
    for (size_t i = 0; i < costs->len; i++)
        for (size_t by = 0; by <= PP_DRAWS_BY_COUNT; by++)
            sum[by] += costs->cost[i].work[by];
    costs->measure = sum[PP_DRAWS_BY_INVOCATIONS] > 0 ? PP_DRAWS_BY_INVOCATIONS
                     : sum[PP_DRAWS_BY_VERTICES] > 0  ? PP_DRAWS_BY_VERTICES
                                                      : PP_DRAWS_BY_COUNT;
    costs->total_ns = sum[costs->measure];
    costs->stacked_ns = costs->undivided_ns = 0;
    for (size_t i = 0; i < costs->len; i++) {
        struct pp_stack_cost *cost = &costs->cost[i];
        cost->ns = cost->work[costs->measure];
        cost->timed = cost->actions + cost->passes;
        costs->stacked_ns += cost->stack == PP_NO_STACK ? 0 : cost->ns;
    }
}

int
pp_stack_costs_read(struct pp_saved_session *rec, const struct pp_call_stacks *stacks,
                    const struct pp_stack_costs_wanted *wanted, struct pp_stack_costs *ret)
{
    const struct pp_stack_rows rows = {
        .stacks = stacks, .costs = ret, .wanted = wanted, .bias_ns = pp_bias_of_scope(rec, "pass").median_ns};
    struct costs_reading c = {
        .wanted = wanted, .costs = ret, .places.key = cost_key, .passes = rows, .actions = rows};
    /* At level pass the time of a pass is at the call that began it, and at level draw at its draws: no
     * figure mixes the two. */
    c.only_draws = rec->draws_frames > 0;
    ret->frames = c.only_draws ? rec->draws_frames : rec->measured_frames;
    ret->is_ratio = is_ratio(rec, wanted->counter);
    ret->no_actions = !has_level_draw(rec);
    int rc = read_files(&c, rec);
    take_measure(&c);
    free(c.frame.row);
    free(c.waiting.row);
    free(c.open);
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
