/** @file
 * Parts of a plan of events: one of its counter sets, or what no hardware limits. Knows no graphics API, no
 * file, no thread. See event_plan.h for how a plan is made. */
#ifndef PP_COUNTERS_EVENTS_EVENT_KEEP_H
#define PP_COUNTERS_EVENTS_EVENT_KEEP_H

#include <stdint.h>

#include "counters/events/event_plan.h"

/**
 * Count the counter sets of a plan that hold an event with limits. A plan has such an event in each of its
 * sets or in none.
 *
 * @param source The sources of which the plan was made.
 */
uint32_t pp_event_plan_limited_sets(const struct pp_event_plan *plan, const struct pp_event_source *source);

/**
 * Keep one counter set of a plan, and remove the others.
 *
 * @param source The sources of which the plan was made.
 * @param number Of the set, from 1. 0, or a number without a set: only events without limits are kept, which
 *               may be none.
 */
void pp_event_plan_keep(struct pp_event_plan *plan, const struct pp_event_source *source, uint32_t number);

#endif
