/** @file
 * Compiling formulas; part of metric.h. */
#ifndef PP_COUNTERS_METRIC_METRIC_COMPILE_H
#define PP_COUNTERS_METRIC_METRIC_COMPILE_H

#include "counters/metric/metric_types.h"

/**
 * Compile metrics to one program. Common parts of formulas are computed once; constants are folded.
 *
 * Ownership: *ret_program is the caller's, for pp_metric_destroy(); every argument is borrowed for the call
 * only. Threads: any. Allocates.
 *
 * @param scope       Inputs and variables.
 * @param def         The metrics, in any order; they may refer to each other, not in a circle.
 * @param defs        How many.
 * @param flags       PP_METRIC_MISSING_*, or 0.
 * @param ret_program Set on success.
 * @param error       Filled on -EINVAL, -ENOENT, -ELOOP; may be NULL.
 * @retval 0       Compiled.
 * @retval -EINVAL A formula breaks the grammar, or two metrics have one name.
 * @retval -ENOENT A name is unknown.
 * @retval -ELOOP  Metrics refer to each other in a circle.
 * @retval -E2BIG  More operations than a program may have (65535).
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_metric_compile(const struct pp_metric_scope *scope, const struct pp_metric_def *def, size_t defs,
                  unsigned flags, struct pp_metric_program **ret_program, struct pp_metric_error *error);

/**
 * Evaluate a formula of variables only: an availability, a maximum without counters.
 *
 * @param scope    Variables; inputs are not used.
 * @param lang     The formula's language.
 * @param formula  The text.
 * @param ret_type PP_METRIC_U64 or PP_METRIC_F64.
 * @param ret      The number.
 * @param error    As for pp_metric_compile(), with def = 0; may be NULL.
 * @retval 0       Evaluated.
 * @retval -EDOM   The formula divides by zero, or leaves the range of a double.
 * @return Else as pp_metric_compile().
 */
__attribute__((warn_unused_result)) int
pp_metric_constant(const struct pp_metric_scope *scope, enum pp_metric_lang lang, const char *formula,
                   enum pp_metric_type *ret_type, union pp_metric_number *ret, struct pp_metric_error *error);

#endif
