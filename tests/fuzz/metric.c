/** @file
 * Formulas of both languages: whatever compiles must evaluate, and a row must not depend on the rows around
 * it. Lines are metrics m0, m1, ...; the first byte chooses the language and whether unknown names are
 * accepted. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/metric/metric_eval.h"

enum {
    MAX_DEFS = 64,
    ROWS = 300, /* more than a block */
    INPUTS = 4,
    MAX_BYTES = 8192,
};

static const struct pp_metric_input input[INPUTS] = {
    {"A0", PP_METRIC_U64}, {"A1", PP_METRIC_U64}, {"f", PP_METRIC_F64}, {"GPU_CLOCK", PP_METRIC_U64}};
static const struct pp_metric_variable variable[] = {{"N", PP_METRIC_U64, {.u = 24}},
                                                     {"H", PP_METRIC_F64, {.f = 0.5}}};
static const struct pp_metric_scope scope = {input, INPUTS, variable, 2};

static union pp_metric_number number[INPUTS][ROWS];
static uint8_t marks[ROWS];

static void
fill(void)
{
    for (unsigned i = 0; i < ROWS; i++) {
        number[0][i].u = i % 5 ? (uint64_t)i << (i % 60) : 0;
        number[1][i].u = i % 7 ? UINT64_MAX - i : 0;
        number[2][i].f = i % 3 ? (double)i * -0.25 : 0.0;
        number[3][i].u = 1000000 + i;
        marks[i] = (uint8_t)(i % 50 == 49 ? i / 50 : 0);
    }
}

/* Evaluates rows [first, first + rows) into its own result. */
static void
evaluate(const struct pp_metric_program *program, size_t first, size_t rows, union pp_metric_number *value,
         uint8_t *status)
{
    struct pp_metric_column column[INPUTS];
    struct pp_metric_result result[MAX_DEFS];
    size_t outputs = pp_metric_outputs(program);
    for (size_t i = 0; i < INPUTS; i++)
        column[i] = (struct pp_metric_column){&number[i][first], i == 1 ? &marks[first] : NULL};
    for (size_t i = 0; i < outputs; i++)
        result[i] = (struct pp_metric_result){value + i * rows, status + i * rows};
    void *workspace = aligned_alloc(64, (pp_metric_workspace_bytes(program) + 63) / 64 * 64);
    if (!workspace)
        abort();
    pp_metric_eval(program, column, result, rows, workspace);
    free(workspace);
}

static void
check(const struct pp_metric_program *program)
{
    size_t outputs = pp_metric_outputs(program);
    union pp_metric_number *all = calloc(outputs * ROWS + 1, sizeof(*all)), one[MAX_DEFS];
    uint8_t *status = calloc(outputs * ROWS + 1, 1), one_status[MAX_DEFS];
    if (!all || !status)
        abort();
    evaluate(program, 0, ROWS, all, status);
    for (size_t row = 0; row < ROWS; row += 29) {
        evaluate(program, row, 1, one, one_status);
        for (size_t i = 0; i < outputs; i++) {
            uint8_t s = status[i * ROWS + row];
            if (s != one_status[i] || s >= PP_STATUS_COUNT)
                abort();
            /* The compiler may order the operands of a NaN; other numbers must be the same to the bit. */
            bool number_of_row = pp_status_has_value((enum pp_status)s);
            const union pp_metric_number *x = &all[i * ROWS + row];
            if (number_of_row && memcmp(x, &one[i], sizeof(*x)) != 0 &&
                (x->f == x->f || one[i].f == one[i].f))
                abort();
        }
    }
    free(all);
    free(status);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"};
    struct pp_metric_def def[MAX_DEFS] = {{0}};
    struct pp_metric_program *program = NULL;
    struct pp_metric_error error = {.message = ""};
    size_t defs = 0;
    if (size < 1 || size > MAX_BYTES)
        return 0;
    fill();
    char *text = malloc(size);
    if (!text)
        abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    for (char *line = text; line && defs < MAX_DEFS; defs++) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        def[defs] = (struct pp_metric_def){.name = defs < 8 ? name[defs] : NULL,
                                           .formula = line,
                                           .self = data[0] & 4 ? "m0" : NULL,
                                           .lang = data[0] & 1,
                                           .type = (uint8_t)(data[0] >> 4 & 3) % 3,
                                           .hidden = data[0] & 8 && defs == 1};
        line = next;
    }
    if (pp_metric_compile(&scope, def, defs, data[0] >> 1 & 1, &program, &error) == 0)
        check(program);
    else if (error.def >= defs || error.offset + error.length > strlen(def[error.def].formula))
        abort();
    pp_metric_destroy(program);
    free(text);
    return 0;
}
