/** @file
 * An Intel metric set, compiled for reports of one layout and one machine: columns of reports in, columns of
 * metrics out. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_OA_OA_SET_H
#define PP_COUNTERS_OA_OA_SET_H

#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric_eval.h"
#include "counters/snapshot/layout.h"
#include "counters/snapshot/layout_decode.h"

/** Flags of pp_oa_set_create(). */
enum {
    PP_OA_SET_MAXIMA =
        1, /**< add columns: the largest possible value of every metric that has a formula for it */
};

/** A compiled set. Immutable, may be shared between threads. */
struct pp_oa_set;

/**
 * Compile a metric set for reports of a layout.
 *
 * A metric is PP_UNSUPPORTED if it reads a counter that the layout lacks, or if its availability is zero.
 * `$QueryMode` is 0 and `$DualSubsliceMask` is `$SubsliceMask`, unless @p variable has them. MDAPI's results
 * have nanoseconds instead of timestamp ticks; the ticks are recovered exactly.
 *
 * Ownership: *ret_set is the caller's, for pp_oa_set_destroy(); @p layout must live as long, the rest is
 * borrowed for the call. Threads: any. Allocates.
 *
 * @param index     Index of the set in pp_catalogue_intel.
 * @param layout    Layout of the reports; pp_layout_check() must hold.
 * @param variable  The machine: pp_oa_gpu_variables(), or as the kernel describes it.
 * @param variables Number of variables.
 * @param more      Further metrics, which may use those of the set, the layout's fields and the variables.
 *                  Unknown names in them are errors. Their columns follow those of the set and of maxima.
 * @param more_count Number of further metrics.
 * @param flags     0 or PP_OA_SET_MAXIMA.
 * @param ret_set   Set on success.
 * @param error     As for pp_metric_compile(); may be NULL. error->def counts the metrics of the set, then
 * the maxima, then the further metrics.
 * @retval 0       Compiled.
 * @retval -EINVAL No such set, or see @p error: a description is broken.
 * @return Else as pp_metric_compile().
 */
__attribute__((warn_unused_result)) int
pp_oa_set_create(uint32_t index, const struct pp_layout *layout, const struct pp_metric_variable *variable,
                 size_t variables, const struct pp_metric_def *more, size_t more_count, unsigned flags,
                 struct pp_oa_set **ret_set, struct pp_metric_error *error);

/** Free a set; NULL is fine. */
void pp_oa_set_destroy(struct pp_oa_set *set);

/** Number of output columns: the metrics of the set in the catalogue's order, the maxima
 * of those that have a maximum formula, in the same order, then further metrics. */
size_t pp_oa_set_outputs(const struct pp_oa_set *set);

/** Type of an output column. */
enum pp_metric_type pp_oa_set_output_type(const struct pp_oa_set *set, size_t output);

/** Bytes of scratch memory that pp_oa_set_eval_pairs() and pp_oa_set_eval_fields() need, 64-byte aligned; one
 * workspace per thread. */
size_t pp_oa_set_workspace_bytes(const struct pp_oa_set *set);

/**
 * Compute the metrics of many pairs of reports, a column at a time. All that the GPU did between the two
 * reports of a pair counts, whichever context ran: see pp_oa_sum_context().
 *
 * Ownership: borrows all, keeps nothing. Threads: any; one @p workspace each. Hot: allocates, locks, logs
 * nothing.
 *
 * @param set       The set.
 * @param pairs     The reports; begin is NULL for layouts without PP_FIELD_WRAPS (MDAPI).
 * @param result    One per output, each of pairs->pairs rows.
 * @param workspace pp_oa_set_workspace_bytes(); contents do not matter.
 */
void pp_oa_set_eval_pairs(const struct pp_oa_set *set, const struct pp_snapshot_pairs *pairs,
                          const struct pp_metric_result *result, void *workspace);

/**
 * Compute the metrics of one sum: struct pp_oa_sum, or the results of pp_layout_delta().
 *
 * @param set       The set.
 * @param value     Per field of the layout.
 * @param status    Per field of the layout, enum pp_status.
 * @param result    One per output, of one row.
 * @param workspace pp_oa_set_workspace_bytes(); contents do not matter.
 */
void pp_oa_set_eval_fields(const struct pp_oa_set *set, const uint64_t *value, const uint8_t *status,
                           const struct pp_metric_result *result, void *workspace);

#endif
