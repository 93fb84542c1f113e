/** @file
 * Counter sources that are read or set on the application's threads, and what a device measures of them. The
 * functions that front ends call are declared in session.h. This file knows no graphics API. See also
 * event_selection.h. */
#ifndef PP_CORE_ENGINE_READ_COUNTERS_H
#define PP_CORE_ENGINE_READ_COUNTERS_H

#include "core/engine/session_private.h"

/** Is the source read by the CPU at both ends of a bracket, on a thread of the application? */
static inline bool
pp_counter_is_read(const struct pp_source_ops *ops)
{
    return ops->reads == PP_READ_THREAD || ops->reads == PP_READ_IDLE;
}

/** Select the counter set of the frame that begins now in all streaming sources. Called on the presenting
 * thread. */
void pp_counter_select(struct pp_device *device, uint8_t set);

/** Note why a source of the device failed, the first time that it fails. Any thread.
 * @param id    PP_ID_SOURCE_FAILED or PP_ID_SOURCE_REFUSED.
 * @param error -errno of the source, negated. */
void pp_device_source_failed(struct pp_device *device, uint32_t s, enum pp_message id, int error);

#endif
