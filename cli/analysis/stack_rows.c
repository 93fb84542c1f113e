/** @file
 * See stack_rows.h. */
#include "cli/analysis/stack_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/bracket_bias.h"
#include "counters/util/array_size.h"

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
    rows->pass = (struct pp_stack_pass){
        .frame = frame,
        .pass = -1,
        .ns = pp_less(pp_row_reader_number(&rows->r, cell, COL_GPU_TIME), rows->bias_ns),
        .stack = stack_of(rows, cell),
        .value = value_of(rows, cell),
        .has_actions = has_actions(rows, cell),
        .coarse = pp_cell_is(pp_row_reader_cell(&rows->r, cell, COL_LEVEL), "pass"),
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
    rows->action.ns = pp_less(rows->action.bracket_ns, rows->bias_ns);
    rows->r.error = rows->action.call ? 0 : -ENOMEM;
    return rows->r.error == 0;
}

int
pp_stack_rows_next(struct pp_stack_rows *rows)
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
        pp_stack_rows_close(rows);
    return rc < 0 ? rc : rows->r.error;
}

int
pp_stack_rows_open(struct pp_stack_rows *rows, struct pp_saved_session *rec, bool actions)
{
    rows->r.rec = rec;
    rows->actions = actions;
    int rc = pp_csv_file_open(rec->dir_fd, actions ? "draws.csv" : "passes.csv", NULL, &rows->file);
    return rc == -ENOENT ? 0 : rc ? rc : pp_stack_rows_next(rows);
}

void
pp_stack_rows_close(struct pp_stack_rows *rows)
{
    pp_csv_file_close(rows->file);
    rows->file = NULL;
}
