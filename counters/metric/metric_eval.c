/** @file
 * Evaluates a program over columns, a block of rows at a time: metric_run.c computes the values, this file
 * the statuses; see metric_eval.h. */
#include "counters/metric/metric_eval.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "counters/metric/metric_insn.h"
#include "counters/metric/metric_run.h"

/* Set an output's statuses: the worst status of its inputs; PP_UNSUPPORTED where it is not available. */
static void
propagate(const struct pp_metric_program *program, const struct pp_metric_block *k,
          const struct pp_output *output, const struct pp_metric_column *column, size_t row,
          uint8_t *restrict status)
{
    bool absent = !output->available || output->missing;
    for (uint32_t d = 0; d < output->inputs && !absent; d++)
        absent = k->state[program->depends[output->first_input + d]] == PP_METRIC_INPUT_ABSENT;
    memset(status, absent ? PP_UNSUPPORTED : PP_OK, k->rows);
    for (uint32_t d = 0; d < output->inputs && !absent; d++) {
        uint32_t input = program->depends[output->first_input + d];
        if (k->state[input] == PP_METRIC_INPUT_CLEAN)
            continue;
        const uint8_t *in = column[input].status + row;
        for (size_t i = 0; i < k->rows; i++)
            status[i] = status[i] > in[i] ? status[i] : in[i];
    }
}

/* Mark the rows in which a division of the output had a zero divisor. The first such division of a row
 * decides between 0/0 and x/0. */
static void
mark_divisions(const struct pp_metric_program *program, const struct pp_metric_block *k,
               const struct pp_output *output, void *value, uint8_t *status)
{
    static const double no_value[] = {[PP_METRIC_ZERO_BY_ZERO] = NAN,
                                      [PP_METRIC_PLUS_BY_ZERO] = INFINITY,
                                      [PP_METRIC_MINUS_BY_ZERO] = -INFINITY};
    for (uint32_t d = 0; d < output->divides; d++) {
        uint32_t number = program->divide[output->first_divide + d];
        const uint8_t *flag = k->flag + (size_t)number * PP_METRIC_BLOCK;
        for (size_t i = 0; i < k->rows && k->zero[number]; i++) {
            if (flag[i] == PP_METRIC_ZERO_NONE || status[i] >= PP_DIV_BY_ZERO)
                continue;
            status[i] = PP_DIV_BY_ZERO;
            if (output->type == PP_METRIC_F64)
                ((double *)value)[i] = no_value[flag[i]];
        }
    }
}

static void
mark_overflow(const struct pp_metric_block *k, const double *value, uint8_t *status)
{
    for (size_t i = 0; i < k->rows; i++)
        if (!(fabs(value[i]) <= DBL_MAX) && pp_status_has_value(status[i]))
            status[i] = PP_REJECTED;
}

static void
finish_output(const struct pp_metric_program *program, const struct pp_metric_block *k, uint32_t o,
              const struct pp_metric_column *column, const struct pp_metric_result *result, size_t row)
{
    const struct pp_output *output = &program->output[o];
    void *value = k->slot[program->inputs + o];
    uint8_t *status = result[o].status + row;
    propagate(program, k, output, column, row, status);
    mark_divisions(program, k, output, value, status);
    if (output->check_finite)
        mark_overflow(k, value, status);
}

static uint8_t
state_of(const struct pp_metric_column *column, size_t row, size_t rows)
{
    if (!column->value)
        return PP_METRIC_INPUT_ABSENT;
    if (!column->status)
        return PP_METRIC_INPUT_CLEAN;
    uint8_t any = 0;
    for (size_t i = 0; i < rows; i++)
        any |= column->status[row + i];
    return any ? PP_METRIC_INPUT_MARKED : PP_METRIC_INPUT_CLEAN;
}

/* Get an input column as a slot. The cast removes const: inputs are only read, but share the table of slots
 * with outputs. */
static void *
input_slot(const struct pp_metric_column *column, size_t row)
{
    union {
        const void *in;
        void *slot;
    } u = {.in = (const uint64_t *)column->value + row};
    return u.slot;
}

static void
begin_block(const struct pp_metric_program *program, struct pp_metric_block *k,
            const struct pp_metric_column *column, const struct pp_metric_result *result, size_t row)
{
    for (uint32_t i = 0; i < program->inputs; i++) {
        k->state[i] = state_of(&column[i], row, k->rows);
        k->slot[i] = k->state[i] == PP_METRIC_INPUT_ABSENT ? k->zeros : input_slot(&column[i], row);
    }
    for (uint32_t o = 0; o < program->outputs; o++)
        k->slot[program->inputs + o] = (uint64_t *)result[o].value + row;
}

static size_t
round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t
slots_of(const struct pp_metric_program *program)
{
    return (size_t)program->inputs + program->outputs + 1 + program->temporaries;
}

/* Offsets of the parts of a workspace, which begins with the slots. */
struct areas {
    size_t state, zero, flag, zeros, end;
};

enum {
    COLUMN_BYTES = PP_METRIC_BLOCK * sizeof(uint64_t),
};

static struct areas
areas_of(const struct pp_metric_program *program)
{
    struct areas a;
    a.state = round_up(slots_of(program) * sizeof(void *));
    a.zero = a.state + round_up(program->inputs);
    a.flag = a.zero + round_up(program->divides_total);
    a.zeros = a.flag + (size_t)program->divides_total * PP_METRIC_BLOCK;
    a.end = a.zeros + (1 + (size_t)program->temporaries) * COLUMN_BYTES;
    return a;
}

static struct pp_metric_block
carve(const struct pp_metric_program *program, uint8_t *workspace)
{
    struct areas a = areas_of(program);
    struct pp_metric_block k = {
        .slot = (void **)(void *)workspace,
        .state = workspace + a.state,
        .zero = workspace + a.zero,
        .flag = workspace + a.flag,
        .zeros = (uint64_t *)(void *)(workspace + a.zeros),
    };
    memset(k.zeros, 0, COLUMN_BYTES);
    for (size_t i = 0; i <= program->temporaries; i++)
        k.slot[slots_of(program) - program->temporaries - 1 + i] = workspace + a.zeros + i * COLUMN_BYTES;
    return k;
}

size_t
pp_metric_workspace_bytes(const struct pp_metric_program *program)
{
    return areas_of(program).end;
}

void
pp_metric_eval(const struct pp_metric_program *program, const struct pp_metric_column *column,
               const struct pp_metric_result *result, size_t rows, void *workspace)
{
    struct pp_metric_block k = carve(program, workspace);
    for (size_t row = 0; row < rows; row += PP_METRIC_BLOCK) {
        k.rows = rows - row < PP_METRIC_BLOCK ? rows - row : PP_METRIC_BLOCK;
        begin_block(program, &k, column, result, row);
        for (uint32_t i = 0; i < program->insns; i++)
            pp_metric_run(&k, &program->insn[i], program->magic);
        for (uint32_t o = 0; o < program->outputs; o++)
            finish_output(program, &k, o, column, result, row);
    }
}
