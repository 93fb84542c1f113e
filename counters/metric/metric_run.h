/** @file
 * Runs one operation of a program over a block of rows; part of metric_eval.h. */
#ifndef PP_COUNTERS_METRIC_METRIC_RUN_H
#define PP_COUNTERS_METRIC_METRIC_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric_insn.h"

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
