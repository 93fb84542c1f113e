/** @file
 * Verdicts on the counters of a pass or action: its bottleneck, and counters that contradict each other.
 *
 * Finds an event's column, and reads numbers from it. This file knows no graphics API.
 *
 * Bottleneck of a pass or draw, from the counters of its row and the peak table of their source. Collector
 * thread only. Knows no graphics API.
 *
 * Empties the counters of a source whose values contradict each other. Collector thread only. This file knows
 * no graphics API. See also counters/plausibility/plausibility.h. */
#ifndef PP_CORE_DERIVE_VERDICTS_H
#define PP_CORE_DERIVE_VERDICTS_H

#include "core/engine/session_private.h"
#include "core/model/row.h"

/** Find the column of an event, with or without its unit at the end. @return UINT16_MAX: it is not measured,
 * or hidden. */
uint16_t pp_row_column_find(const struct pp_session *session, const char *source, const char *event);

/** The number in a cell of @p column. @return NAN: the cell is empty. */
double pp_row_column_number(const struct pp_column *column, struct pp_value value);

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

/** What is known of a device's sources. NULL in the functions below: the device has no source that can be
 * checked. */
struct pp_row_plausibility;

/**
 * Find the sources of a device that can be checked.
 *
 * @param ret Set on success; NULL if there is none. For pp_row_plausibility_destroy().
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_row_plausibility_create(const struct pp_device *device,
                                                                   struct pp_row_plausibility **ret);

/** Free what pp_row_plausibility_create() made; NULL is fine. */
void pp_row_plausibility_destroy(struct pp_row_plausibility *all);

/**
 * Check the passes and actions of a frame. Empty the cells of rows whose values are absurd, and all cells of
 * a source that was found to be wrong, in this frame and in all later frames.
 *
 * @param frame Its counters and GPU times are finished.
 * @param draft The rows may be made again, so they do not prove that a source is wrong.
 */
void pp_row_plausibility_check(struct pp_row_plausibility *all, struct pp_device *device,
                               struct pp_frame_row *frame, bool draft);

#endif
