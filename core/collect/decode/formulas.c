/** @file
 * Computed columns; see formulas.h. */
#include "core/collect/decode/formulas.h"

#include <errno.h>
#include <stdlib.h>

#include "core/engine/session_private.h"
#include "counters/metric/metric.h"

static int
compute_one(const struct pp_formulas *formulas, struct pp_value *const *row, size_t rows)
{
    size_t inputs = formulas->inputs, outputs = formulas->outputs;
    size_t workspace = (pp_metric_workspace_bytes(formulas->formula_program) + 63) / 64 * 64;
    struct pp_metric_column *column = calloc(inputs + 1, sizeof(*column));
    struct pp_metric_result *result = calloc(outputs + 1, sizeof(*result));
    uint64_t *value = calloc((inputs + outputs) * rows + 1, sizeof(*value));
    uint8_t *status = malloc((inputs + outputs) * rows + 1);
    void *scratch = aligned_alloc(64, workspace);
    bool ok = column && result && value && status && scratch;
    for (size_t i = 0; i < inputs && ok; i++) {
        column[i] = (struct pp_metric_column){value + i * rows, status + i * rows};
        for (size_t r = 0; r < rows; r++) {
            value[i * rows + r] = row[r][formulas->input[i]].value;
            status[i * rows + r] = (uint8_t)row[r][formulas->input[i]].status;
        }
    }
    for (size_t i = 0; i < outputs && ok; i++)
        result[i] = (struct pp_metric_result){value + (inputs + i) * rows, status + (inputs + i) * rows};
    if (ok)
        pp_metric_eval(formulas->formula_program, column, result, rows, scratch);
    for (size_t i = 0; i < outputs && ok; i++) {
        for (size_t r = 0; r < rows; r++) {
            /* Two sets may hold one metric: the one that was measured fills it. */
            struct pp_value *to = &row[r][formulas->output[i]];
            enum pp_status got = (enum pp_status)status[(inputs + i) * rows + r];
            if (got < to->status)
                *to = (struct pp_value){value[(inputs + i) * rows + r], got};
        }
    }
    free(column);
    free(result);
    free(value);
    free(status);
    free(scratch);
    return ok ? 0 : -ENOMEM;
}

int
pp_formulas_compute(const struct pp_session *session, struct pp_value *const *row, size_t rows)
{
    int rc = 0;
    for (size_t r = 0; session->rows.formulas && r < rows; r++)
        for (uint32_t c = 0; c < session->rows.columns; c++)
            if (session->rows.column[c].computed)
                row[r][c] = pp_value_missing(PP_UNSUPPORTED);
    for (const struct pp_formulas *f = session->rows.formulas; f && rc == 0 && rows > 0; f = f->next)
        rc = compute_one(f, row, rows);
    return rc;
}
