/** @file
 * Inside of event_plan.h: making sets of the bundles that a planner found. */
#ifndef PP_COUNTERS_EVENTS_EVENT_PACK_H
#define PP_COUNTERS_EVENTS_EVENT_PACK_H

#include "counters/events/event_planner.h"

/** Pack the planner's bundles into sets of @p ret. Bundles beyond PP_ROTATION_SETS sets become missing.
 * @retval 0, -ENOSPC, -ENOMEM As pp_event_plan_make(). */
__attribute__((warn_unused_result)) int pp_event_pack(struct pp_event_planner *planner,
                                                      struct pp_event_plan *ret);

#endif
