/** @file
 * See stack_costs.h. */
#include "cli/analysis/stack_costs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/accuracy.h"
#include "cli/analysis/annotation.h"
#include "cli/session/passes_read.h"
#include "cli/session/row_reader.h"
#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/** A row of passes.csv. Texts belong to the costs' pool. */
struct pp_stack_pass {
    double frame, pass; /**< its place; frame -1: work of no frame */
    double ns;          /**< its GPU time less what an empty bracket measures; NaN: not measured */
    double actions_ns;  /**< for the caller: sum of its actions' times */
    double brackets_ns; /**< for the caller: the same with what the actions' brackets take */
    size_t stack;       /**< index in pp_call_stacks.stack, PP_NO_STACK */
    const char *label, *name, *title;
    double value;     /**< of the counter; NaN: none */
    bool valued;      /**< for the caller: one of its actions has the counter */
    bool untimed;     /**< for the caller: one of its actions has no GPU time */
    bool has_actions; /**< draws.csv has rows of it, as far as this row says */
    bool coarse;      /**< its frame is at level pass */
    bool by_rows;     /**< its frame counts only if it has rows in draws.csv */
    bool acted;       /**< for the caller, of the first pass of a frame: the frame has such rows */
};

/** A row of draws.csv. */
struct pp_stack_action {
    double frame, pass;                 /**< where it is; pass NaN: not known */
    double ns, value;                   /**< as of a pass */
    double bracket_ns;                  /**< the time as draws.csv has it */
    double work[PP_DRAWS_BY_COUNT + 1]; /**< by measure; 0: not known, and of the time */
    size_t stack;
    const char *call; /**< of the costs' pool; "" without the detail */
};

/** A file that is being read. The caller sets the first four members; the others are zero. */
struct pp_stack_rows {
    const struct pp_call_stacks *stacks;
    const struct pp_stack_costs_wanted *wanted;
    struct pp_stack_costs *costs; /**< gets texts, and which columns the files have */
    const double *bias_ns;     /**< what an empty bracket measures, by surface, the last of no frame; NaN: not
                                  known */
    bool has_row;              /**< there is a row: */
    struct pp_stack_pass pass; /**< of passes.csv */
    struct pp_stack_action action; /**< or of draws.csv */
    struct pp_row_reader r;        /**< internal, like the members below */
    struct pp_csv_file *file;      /**< NULL: it is not there, or has ended */
    bool actions;                  /**< it is draws.csv */
    bool header;                   /**< its header was read */
    size_t counter_at;             /**< column; SIZE_MAX: none */
    struct pp_draw_work_columns work;
};

static void stack_rows_close(struct pp_stack_rows *rows);

/* Texts of a session, at most. A forged session may have others in each row: those beyond have one name. */
#define TEXTS_MOST ((size_t)1 << 18)

/* The pool's copy of a text. @return NULL: no memory. */
static const char *
text_of(const struct pp_stack_rows *rows, const char *text, size_t len)
{
    struct pp_text_pool *texts = &rows->costs->texts;
    bool known = texts->len < TEXTS_MOST || !len || pp_name_table_find(&texts->names, text, len);
    return known ? pp_text_pool_add(texts, text, len)
                 : pp_text_pool_add(texts, PP_STACK_COSTS_OTHER, strlen(PP_STACK_COSTS_OTHER));
}

static size_t
stack_of(const struct pp_stack_rows *rows, const struct pp_cell *cell)
{
    const struct pp_call_stacks *stacks = rows->stacks;
    const struct pp_cell *at = pp_row_reader_cell(&rows->r, cell, COL_STACK);
    uint64_t id = 0;
    const struct pp_call_stack *stack =
        at->len && pp_call_stacks_number(at->text, at->len, &id) ? pp_call_stacks_find(stacks, id) : NULL;
    return stack && stack->frames ? (size_t)(stack - stacks->stack) : PP_NO_STACK;
}

static bool
on_header(struct pp_stack_rows *rows, const struct pp_cell *cell, size_t cells)
{
    pp_row_reader_columns(&rows->r, cell, cells);
    rows->work = pp_draw_work_find(cell, cells);
    pp_columns_find(cell, cells, &rows->wanted->counter, 1, &rows->counter_at);
    rows->costs->has_counter = rows->costs->has_counter || rows->counter_at != SIZE_MAX;
    rows->costs->has_column = rows->costs->has_column || rows->r.at[COL_STACK] != SIZE_MAX;
    return true;
}

static double
value_of(const struct pp_stack_rows *rows, const struct pp_cell *cell)
{
    return rows->counter_at == SIZE_MAX ? (double)NAN : pp_cell_value(&cell[rows->counter_at]);
}

/* Label and name of a pass as one text. @return NULL: no memory. */
static const char *
title_of(const struct pp_stack_rows *rows, const struct pp_stack_pass *row)
{
    size_t label = strlen(row->label), name = strlen(row->name);
    char *text = malloc(label + name + 2);
    if (!text)
        return NULL;
    memcpy(text, row->label, label);
    text[label] = '\n';
    memcpy(text + label + 1, row->name, name + 1);
    const char *title = text_of(rows, text, label + name + 1);
    free(text);
    return title;
}

/* Does a row of passes.csv not exclude that the pass has rows in draws.csv? */
static bool
has_actions(const struct pp_stack_rows *rows, const struct pp_cell *cell)
{
    static const enum pp_saved_column counts[] = {COL_DRAWS, COL_DISPATCHES, COL_COPIES};
    const struct pp_cell *level = pp_row_reader_cell(&rows->r, cell, COL_LEVEL);
    bool known = true;
    for (size_t i = 0; i < PP_ARRAY_SIZE(counts); i++) {
        double count = 0;
        if (!pp_cell_number(pp_row_reader_cell(&rows->r, cell, counts[i]), &count))
            known = false;
        else if (count > 0)
            return !pp_cell_is(level, "pass");
    }
    return !known && !pp_cell_is(level, "pass");
}

/* A time less what an empty bracket of the row's device measures. It may be below 0: only a sum of such times
 * is cut at 0, because short times vary around the bias, and a sum of cut times would be too large. */
static double
less_bias(const struct pp_stack_rows *rows, double ns)
{
    size_t surfaces = rows->r.rec->surfaces;
    double bias = rows->bias_ns[rows->r.last_surface < surfaces ? rows->r.last_surface : surfaces];
    return isnan(bias) ? ns : ns - bias;
}

/* Do only frames with rows in draws.csv count, of those at level draw? */
static bool
is_by_rows(const struct pp_stack_rows *rows)
{
    const struct pp_saved_session *rec = rows->r.rec;
    return rows->r.last_surface < rec->surfaces && rec->surface[rows->r.last_surface].draws_by_rows;
}

/* Take a row of passes.csv. @return false: it does not count, or there is an error. */
static bool
on_pass(struct pp_stack_rows *rows, const struct pp_cell *cell)
{
    double frame = -1;
    if (!pp_row_reader_frame(&rows->r, cell, &frame) || rows->r.last_first)
        return false;
    const struct pp_cell *name = pp_row_reader_cell(&rows->r, cell, COL_NAME);
    const struct pp_cell *label = pp_row_reader_cell(&rows->r, cell, COL_LABEL);
    name = name->len ? name : pp_row_reader_cell(&rows->r, cell, COL_KIND);
    rows->pass =
        (struct pp_stack_pass){.frame = frame,
                               .pass = -1,
                               .ns = less_bias(rows, pp_row_reader_number(&rows->r, cell, COL_GPU_TIME)),
                               .stack = stack_of(rows, cell),
                               .value = value_of(rows, cell),
                               .has_actions = has_actions(rows, cell),
                               .coarse = pp_cell_is(pp_row_reader_cell(&rows->r, cell, COL_LEVEL), "pass"),
                               .by_rows = is_by_rows(rows),
                               .label = text_of(rows, label->text, label->len),
                               .name = text_of(rows, name->text, name->len)};
    (void)!pp_cell_number(pp_row_reader_cell(&rows->r, cell, COL_PASS), &rows->pass.pass);
    rows->pass.title = rows->pass.label && rows->pass.name ? title_of(rows, &rows->pass) : NULL;
    rows->r.error = rows->pass.title ? 0 : -ENOMEM;
    return rows->r.error == 0;
}

/* Take a row of draws.csv. @return As on_pass(). */
static bool
on_action(struct pp_stack_rows *rows, const struct pp_cell *cell)
{
    const struct pp_cell *call = pp_row_reader_cell(&rows->r, cell, COL_CALL);
    double frame = -1, instances = (double)NAN;
    if (!pp_row_reader_frame(&rows->r, cell, &frame) || rows->r.last_first)
        return false;
    double invocations = pp_draw_work_invocations(&rows->work, cell);
    double vertices = pp_draw_work_vertices(&rows->r, cell, &instances) * (isnan(instances) ? 1 : instances);
    rows->action =
        (struct pp_stack_action){.frame = frame,
                                 .pass = pp_row_reader_number(&rows->r, cell, COL_PASS),
                                 .bracket_ns = pp_row_reader_number(&rows->r, cell, COL_GPU_TIME),
                                 .value = value_of(rows, cell),
                                 .work = {[PP_DRAWS_BY_INVOCATIONS] = fmax(0, invocations), /* not NaN */
                                          [PP_DRAWS_BY_VERTICES] = fmax(0, vertices),
                                          [PP_DRAWS_BY_COUNT] = 1},
                                 .stack = stack_of(rows, cell),
                                 .call = rows->wanted->detail ? text_of(rows, call->text, call->len) : ""};
    rows->action.ns = less_bias(rows, rows->action.bracket_ns);
    rows->r.error = rows->action.call ? 0 : -ENOMEM;
    return rows->r.error == 0;
}

/* Read the next row. @retval 0 has_row says whether there is one. @retval -errno As pp_csv_read(). */
static int
stack_rows_next(struct pp_stack_rows *rows)
{
    struct pp_csv_row row;
    int rc = 1;
    rows->has_row = false;
    while (rows->file && rc > 0 && !rows->has_row && !rows->r.error) {
        rc = pp_csv_file_next(rows->file, &row);
        if (rc > 0 && !rows->header)
            rows->header = on_header(rows, row.cell, row.cells);
        else if (rc > 0)
            rows->has_row = rows->actions ? on_action(rows, row.cell) : on_pass(rows, row.cell);
    }
    if (rc <= 0 || rows->r.error)
        stack_rows_close(rows);
    return rc < 0 ? rc : rows->r.error;
}

/* Open draws.csv (@p actions) or passes.csv, which need not exist, and read the first row. Rows of first
 * frames and those outside of the window are left out. @retval 0, -ENOMEM, -errno As pp_csv_read(). */
static int
stack_rows_open(struct pp_stack_rows *rows, struct pp_saved_session *rec, bool actions)
{
    rows->r.rec = rec;
    rows->actions = actions;
    int rc = pp_csv_file_open(rec->dir_fd, actions ? "draws.csv" : "passes.csv", NULL, &rows->file);
    return rc == -ENOENT ? 0 : rc ? rc : stack_rows_next(rows);
}

/* Close the file, if it is open. */
static void
stack_rows_close(struct pp_stack_rows *rows)
{
    pp_csv_file_close(rows->file);
    rows->file = NULL;
}

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

/* Add a value of the counter to a cost. @param ns Of the row; NaN: not measured. */
static void
add_value(struct costs_reading *c, struct pp_stack_cost *cost, double value, double ns)
{
    double weight = c->costs->is_ratio ? fmax(ns, 0) : 1; /* 0 where ns is NaN */
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

/* Note that a frame has an action, at the first of its passes. */
static void
note_action(const struct passes *passes, double frame)
{
    size_t low = 0, high = passes->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (passes->row[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < passes->len && passes->row[low].frame <= frame)
        passes->row[low].acted = true;
}

/* Attribute an action to its stack; its time is kept open. */
static int
add_action(struct costs_reading *c, const struct passes *passes)
{
    const struct pp_stack_action *action = &c->actions.action;
    const struct pp_stack_pass wanted = {.frame = action->frame, .pass = action->pass};
    struct pp_stack_pass *pass = NULL;
    note_action(passes, action->frame);
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
        cost->ns += action->ns;
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
        bool overlapped = pass->ns < pass->actions_ns && pass->actions_ns > 0;
        c->costs->cost[open->cost].ns +=
            overlapped ? open->ns / pass->actions_ns * fmax(pass->ns, 0) : open->ns;
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
    double rest = isnan(pass->ns) ? 0 : pass->ns;
    if (pass->brackets_ns > 0)
        rest = fmax(rest - pass->brackets_ns, 0);
    bool undivided = c->wanted->rank && pass->untimed;
    cost->passes++;
    cost->timed += isnan(pass->ns) || undivided ? 0U : 1U;
    if (undivided)
        c->costs->undivided_ns += rest;
    else
        cost->ns += rest;
    if (!isnan(pass->value) && !pass->valued)
        add_value(c, cost, pass->value, pass->ns);
    return 0;
}

/* Add the rests of passes. A Vulkan command buffer keeps the level at which it was recorded: after a change
 * to level draw, frames without rows in draws.csv are as those at level pass, and left out. */
static int
add_rests(struct costs_reading *c, const struct passes *passes)
{
    bool acted = false;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < passes->len; i++) {
        const struct pp_stack_pass *pass = &passes->row[i];
        bool first = !i || passes->row[i - 1].frame < pass->frame;
        acted = first ? pass->acted : acted;
        if (acted || !c->only_draws || !pass->by_rows)
            rc = add_rest(c, pass);
    }
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
        rc = rc ? rc : stack_rows_next(&c->passes);
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
        rc = rc ? rc : stack_rows_next(&c->actions);
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
        rc = rc ? rc : stack_rows_next(&c->actions);
    }
    close_times(c, &c->waiting);
    return rc ? rc : add_rests(c, &c->waiting);
}

/* Read both files side by side. */
static int
read_files(struct costs_reading *c, struct pp_saved_session *rec)
{
    int rc = stack_rows_open(&c->passes, rec, false);
    rc = rc ? rc : stack_rows_open(&c->actions, rec, true);
    while (rc == 0 && c->passes.has_row)
        rc = add_frame(c);
    rc = rc ? rc : add_waiting(c);
    stack_rows_close(&c->passes);
    stack_rows_close(&c->actions);
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

/* Cut the times of costs at 0, and add them up. */
static void
cut_times(struct pp_stack_costs *costs)
{
    costs->undivided_ns = fmax(costs->undivided_ns, 0);
    costs->total_ns = costs->undivided_ns;
    costs->stacked_ns = 0;
    for (size_t i = 0; i < costs->len; i++) {
        struct pp_stack_cost *cost = &costs->cost[i];
        cost->ns = fmax(cost->ns, 0);
        costs->total_ns += cost->ns;
        costs->stacked_ns += cost->stack == PP_NO_STACK ? 0 : cost->ns;
    }
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
    double *bias = calloc(rec->surfaces + 1, sizeof(*bias));
    if (!bias)
        return -ENOMEM;
    for (size_t i = 0; i <= rec->surfaces; i++)
        bias[i] = pp_bias_of_surface(rec, i).median_ns;
    const struct pp_stack_rows rows = {.stacks = stacks, .costs = ret, .wanted = wanted, .bias_ns = bias};
    struct costs_reading c = {
        .wanted = wanted, .costs = ret, .places.key = cost_key, .passes = rows, .actions = rows};
    /* At level pass the time of a pass is at the call that began it, and at level draw at its draws: no
     * figure mixes the two. */
    c.only_draws = rec->draws_frames > 0;
    ret->frames = c.only_draws ? rec->draws_frames : rec->measured_frames;
    ret->is_ratio = is_ratio(rec, wanted->counter);
    ret->no_actions = !has_level_draw(rec);
    int rc = read_files(&c, rec);
    cut_times(ret);
    take_measure(&c);
    free(c.frame.row);
    free(c.waiting.row);
    free(c.open);
    free(c.places.at);
    free(bias);
    return rc;
}

void
pp_stack_costs_finish(struct pp_stack_costs *costs)
{
    free(costs->cost);
    pp_text_pool_finish(&costs->texts);
    memset(costs, 0, sizeof(*costs));
}

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
