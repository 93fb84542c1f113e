/** @file
 * Selection of events: from the user's list to the counter sets that a device measures, their places in a
 * batch's rows, and their columns. This file knows no graphics API. See also read_counters.h. */
#ifndef PP_CORE_EVENTS_EVENT_SELECTION_H
#define PP_CORE_EVENTS_EVENT_SELECTION_H

#include "core/engine/session_private.h"
#include "counters/events/event_plan.h"

/** Size of the buffer for an error in the user's list. */
#define PP_EVENT_SELECTION_ERROR_MAX 512

/**
 * Lay out a device's rows: fixed sources, then the selected events. Adds columns while the collector has not
 * started. Call with the session's lock.
 *
 * @param device Zeroed except for session; its source fields are filled.
 * @param error  PP_EVENT_SELECTION_ERROR_MAX bytes, written on -EINVAL.
 * @retval 0       Done; events that cannot be measured are in device->missing.
 * @retval -EINVAL The list contains an event that no source has, or that cannot be measured.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_event_selection_make(struct pp_device *device, const struct pp_device_info *asked, char *error);

/** Free the source data of a device that pp_event_selection_make() has made. */
void pp_event_selection_finish(struct pp_device *device);

#endif
