/** @file
 * Evaluating a compiled program over columns. See also metric.h. */
#ifndef PP_COUNTERS_METRIC_METRIC_EVAL_H
#define PP_COUNTERS_METRIC_METRIC_EVAL_H

#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric_compile.h"

/** An input column. `value` NULL: the counter was not measured, all rows are PP_UNSUPPORTED. */
struct pp_metric_column {
    const void *value;     /**< uint64_t or double, as the input was declared; one per row */
    const uint8_t *status; /**< enum pp_status, one per row; NULL: all PP_OK. Where the status has no value,
                              value[] may be anything */
};

/** An output column, filled by pp_metric_eval(). */
struct pp_metric_result {
    void *value;     /**< uint64_t or double, as pp_metric_output_type() says. Where the status has no value,
                        value[] is meaningless, except for PP_DIV_BY_ZERO in a double column: NaN for 0/0,
                        infinite for x/0 */
    uint8_t *status; /**< enum pp_status */
};

/** Bytes of scratch memory that pp_metric_eval() needs, 64-byte aligned; one workspace per thread. */
size_t pp_metric_workspace_bytes(const struct pp_metric_program *program);

/**
 * Evaluate all metrics of a program over columns.
 *
 * The status of a metric is the worst status of the inputs that its formula uses. It is PP_DIV_BY_ZERO where
 * the formula divides by zero (the `/` of Arm and of users; Intel's UDIV and FDIV give 0 instead, as Intel
 * specifies), and PP_REJECTED where an infix formula leaves the range of a double.
 *
 * Ownership: borrows all, keeps nothing. Outputs must not overlap inputs. Threads: any; one @p workspace
 * each. Hot: allocates, locks, logs nothing.
 *
 * @param program   What to evaluate.
 * @param column    One per input of the scope that the program was compiled with.
 * @param result    One per output.
 * @param rows      Rows of all columns; any number.
 * @param workspace pp_metric_workspace_bytes(), 64-byte aligned; contents do not matter.
 */
void pp_metric_eval(const struct pp_metric_program *program, const struct pp_metric_column *column,
                    const struct pp_metric_result *result, size_t rows, void *workspace);

/** A block of rows being evaluated; its arrays are in the caller's workspace. */
struct pp_metric_block {
    void **slot;     /**< inputs, outputs, zeros, temporaries */
    uint8_t *state;  /**< per input: enum pp_metric_input_state, in this block */
    uint8_t *zero;   /**< per FDIVN: some divisor of this block was 0 */
    uint8_t *flag;   /**< per FDIVN and row: enum pp_metric_zero; valid if zero[] is set */
    uint64_t *zeros; /**< a block of them */
    size_t rows;
};

/** Statuses of an input column in a block. */
enum pp_metric_input_state {
    PP_METRIC_INPUT_CLEAN,  /**< all PP_OK */
    PP_METRIC_INPUT_MARKED, /**< some row is not PP_OK */
    PP_METRIC_INPUT_ABSENT, /**< there is no column */
};

/** Was a row divided by zero, and what was the result? */
enum pp_metric_zero {
    PP_METRIC_ZERO_NONE,
    PP_METRIC_ZERO_BY_ZERO,
    PP_METRIC_PLUS_BY_ZERO,
    PP_METRIC_MINUS_BY_ZERO,
};

/** Run one operation. @param magic pp_metric_program.magic. Hot: allocates nothing. */
void pp_metric_run(const struct pp_metric_block *k, const struct pp_insn *insn, const struct pp_magic *magic);

#endif
