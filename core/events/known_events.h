/** @file
 * Plans the events of a list that are known and fit the hardware, and reports the others. This file knows no
 * sessions, no devices and no graphics API. See also event_selection.h, system_counters.h. */
#ifndef PP_CORE_EVENTS_KNOWN_EVENTS_H
#define PP_CORE_EVENTS_KNOWN_EVENTS_H

#include "core/config/config.h"
#include "counters/events/event_plan.h"

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

#endif
