/** @file
 * Empties the counters of a source whose values contradict each other. Collector thread only. This file knows
 * no graphics API. See also counters/plausibility/plausibility.h. */
#ifndef PP_CORE_DERIVE_ROW_PLAUSIBILITY_H
#define PP_CORE_DERIVE_ROW_PLAUSIBILITY_H

#include "core/engine/session_private.h"
#include "core/model/row.h"

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
