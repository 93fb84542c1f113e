/** @file
 * What bounded a pass or a draw, as far as the counters of its row tell: the speed-of-light table of
 * their source, judged. Collector thread only. Knows no graphics API. See also report/. */
#ifndef PP_CORE_COLLECT_ROW_BOTTLENECK_H
#define PP_CORE_COLLECT_ROW_BOTTLENECK_H

#include "core/collect/output.h"

/** The models of a device. NULL everywhere below: it has none. */
struct pp_row_bottleneck;

/**
 * Models for the counters that a device measures: of every source that names a table (pp_source_ops.peaks).
 *
 * @param ret_bound Set on success; NULL if there is none. For pp_row_bottleneck_destroy().
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_row_bottleneck_create(const struct pp_device *device,
                                                                 struct pp_row_bottleneck **ret_bound);

/** Free them; NULL is fine. */
void pp_row_bottleneck_destroy(struct pp_row_bottleneck *bound);

/**
 * Find the bottleneck of one row.
 *
 * @param counter session->columns values of the row.
 * @param out     Name of the unit that bounded it, in small letters ("sampler"); "under-used" if none reached
 * 60 % of its peak; "" where counters do not tell. Always terminated.
 */
void pp_row_bottleneck_judge(const struct pp_row_bottleneck *bound, const struct pp_session *session,
                             const struct pp_value *counter, char *out, size_t size);

#endif
