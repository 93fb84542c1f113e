/** @file
 * Questions about a compiled program; part of metric.h. */
#ifndef PP_COUNTERS_METRIC_METRIC_PROGRAM_H
#define PP_COUNTERS_METRIC_METRIC_PROGRAM_H

#include "counters/metric/metric_types.h"

/** Free a program; NULL is fine. */
void pp_metric_destroy(struct pp_metric_program *program);

/** Number of output columns: the definitions that are not hidden, in their order. */
size_t pp_metric_outputs(const struct pp_metric_program *program);

/** Type of output column @p output: PP_METRIC_U64 or PP_METRIC_F64. */
enum pp_metric_type pp_metric_output_type(const struct pp_metric_program *program, size_t output);

/** Does output @p output depend on input @p input, directly or through other metrics? A part of a formula
 * that was folded away (0 times a counter) does not count. */
bool pp_metric_output_reads(const struct pp_metric_program *program, size_t output, size_t input);

#endif
