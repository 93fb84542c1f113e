/** @file
 * Bottleneck of a pass or draw, from the counters of its row and the peak table of their source. Collector
 * thread only. Knows no graphics API. */
#ifndef PP_CORE_DERIVE_ROW_BOTTLENECK_H
#define PP_CORE_DERIVE_ROW_BOTTLENECK_H

#include "core/engine/session_private.h"
#include "core/model/row.h"

/** The models of a device. NULL in the functions below: the device has no models. */
struct pp_row_bottleneck;

/**
 * Models for the counters that a device measures: of every source that names a table (pp_source_ops.peaks).
 *
 * @param ret_bound Set on success; NULL if there is none. For pp_row_bottleneck_destroy().
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_row_bottleneck_create(const struct pp_device *device,
                                                                 struct pp_row_bottleneck **ret_bound);

/** Free the models; NULL is fine. */
void pp_row_bottleneck_destroy(struct pp_row_bottleneck *bound);

/**
 * Find the bottleneck of each pass and each action of a frame, and set bound_by of their rows: the name of
 * the unit that bounded the row, in small letters ("sampler"); "under-used" if no unit reached 60 % of its
 * peak; NULL if the counters do not show it. The names live as long as @p bound.
 *
 * @param bound May be NULL: all bound_by become NULL.
 * @param frame Its counters are finished.
 */
void pp_row_bottleneck_judge(struct pp_row_bottleneck *bound, const struct pp_session *session,
                             struct pp_frame_row *frame);

#endif
