/** @file
 * Selection of events: from the user's list to the counter sets that a device measures, their places in a
 * batch's rows, and their columns. This file knows no graphics API. See also read_counters.h. */
#ifndef PP_CORE_ENGINE_EVENTS_EVENT_SELECTION_H
#define PP_CORE_ENGINE_EVENTS_EVENT_SELECTION_H

#include "core/engine/session_private.h"
#include "counters/events/event_plan.h"

/** Size of the buffer for an error in the user's list. */
#define PP_COUNTER_ERROR_MAX 512

/**
 * Lay out a device's rows: fixed sources, then the selected events. Adds columns while the collector has not
 * started. Call with the session's lock.
 *
 * @param device Zeroed except for session; its source fields are filled.
 * @param error  PP_COUNTER_ERROR_MAX bytes, written on -EINVAL.
 * @retval 0       Done; events that cannot be measured are in device->missing.
 * @retval -EINVAL The list contains an event that no source has, or that cannot be measured.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_counter_plan(struct pp_device *device,
                                                        const struct pp_device_info *asked, char *error);

/** Receives an event that cannot be measured, and the reason. */
typedef void (*pp_report_missing_fn)(void *to, const char *event, const char *reason);

/**
 * Plan the events of a list that are known and fit the hardware. Names and limits of a driver or a kernel are
 * known only when the application already runs, so an event or a group may work on one machine only. Such an
 * event or group is reported on stderr and removed from the list; the other events are measured. If the list
 * contains nothing else, the error is returned instead.
 *
 * @param config NULL: the list is not the user's; no item is removed.
 * @param list   Owned by the caller; items may be removed.
 * @return As pp_event_plan_make(). If no item is left, the plan is empty.
 */
__attribute__((warn_unused_result)) int
pp_counter_plan_known(const struct pp_config *config, struct pp_event_list *list,
                      const struct pp_event_source *source, size_t sources, struct pp_event_plan *plan,
                      struct pp_event_error *error, pp_report_missing_fn report, void *to);

/** Name of a column, "khr:GPU active_cycles": a unit that the name ends in already is not repeated. */
void pp_counter_column_name(char *out, size_t size, const char *source, const char *name, enum pp_unit unit);

/** The column of this name, made if @p like is not NULL and the collector has not started. @return Its index,
 * or UINT16_MAX. With the session's lock. */
uint16_t pp_session_column_locked(struct pp_session *session, const char *name, const struct pp_column *like);

/** Free the source data of a device that pp_counter_plan() has made. */
void pp_counter_finish(struct pp_device *device);

#endif
