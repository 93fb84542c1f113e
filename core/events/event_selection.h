/** @file
 * Selection of events: from the user's list to the counter sets that a device measures, their places in a
 * batch's rows, and their columns. Plans the events that are known and fit the hardware, and reports the
 * others; with --only-set, keeps one counter set in all frames. Knows no graphics API. See also
 * device_counters.h and system_counters.h. */
#ifndef PP_CORE_EVENTS_EVENT_SELECTION_H
#define PP_CORE_EVENTS_EVENT_SELECTION_H

#include "core/config/config.h"
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

/** Receives an event that cannot be measured, and the reason. */
typedef void (*pp_report_missing_fn)(void *to, const char *event, const char *reason);

/**
 * Plan the events of a list that are known and fit the hardware. Names and limits of a driver or a kernel are
 * known only when the application already runs, so an event may exist, and a group may fit, on one machine
 * only. Such an event or group is reported on stderr and removed from the list; the other events are
 * measured. If there is nothing else to measure, the error is returned instead.
 *
 * @param config NULL: the list is not the user's; no item is removed.
 * @param given  Events that are measured before those of the list: the default ones; NULL: none.
 * @param list   Owned by the caller; items may be removed.
 * @return As pp_event_plan_make(). If no item is left, the plan is empty.
 */
__attribute__((warn_unused_result)) int
pp_known_events_plan(const struct pp_config *config, const struct pp_event_ref *given, size_t givens,
                     struct pp_event_list *list, const struct pp_event_source *source, size_t sources,
                     struct pp_event_plan *plan, struct pp_event_error *error, pp_report_missing_fn report,
                     void *to);

/**
 * Keep the set of a plan that --only-set asks for. Sources that allow one open bracket only measure either
 * passes or actions. So at level draw each set has two numbers.
 *
 * @param plan        Changed only if the option was given.
 * @param source      The sources of which the plan was made.
 * @param of_brackets false: the plan has frames only; no set has two numbers.
 * @param ret         Filled in.
 */
void pp_only_set_keep(const struct pp_config *config, struct pp_event_plan *plan,
                      const struct pp_event_source *source, size_t sources, bool of_brackets,
                      struct pp_only_set *ret);

#endif
