/** @file
 * Inside of events.h: a plan being made. events_plan.c finds the events, events_pack.c makes sets of them. */
#ifndef PP_COUNTERS_EVENTS_EVENT_PLANNER_H
#define PP_COUNTERS_EVENTS_EVENT_PLANNER_H

#include <stdbool.h>

#include "counters/events/event_plan.h"

/** Events that are looked at of a source, and that a plan may hold. */
#define PP_PLAN_LOOKED 131072U
#define PP_PLAN_EVENTS 16384U

/** A growing array of events. */
struct pp_refs {
    struct pp_event_ref *ref;
    size_t n, room;
};

/** Events that stay together: a group, or one event. They are ref[first .. first + n - 1] of `grouped`. */
struct pp_plan_unit {
    size_t first, n;
    const struct pp_event_item *item; /**< for messages */
    size_t partners;                  /**< other units that it can share a set with */
};

/** What is known of an event: bits of a byte. */
enum {
    PP_MARK_WANTED = 1,
    PP_MARK_COMMON = 2,
    PP_MARK_UNIT = 4, /**< in the unit that is being made */
    PP_MARK_MISSING = 8,
    PP_MARK_TOGETHER = 16, /**< in a unit of several */
    PP_MARK_PLACED = 32,   /**< in a set */
};

/** Marks of a source's events. */
struct pp_marks {
    uint8_t *mark;
    size_t room;
};

/** A plan being made. */
struct pp_plan {
    const struct pp_event_list *list;
    const struct pp_event_source *source;
    size_t sources;
    struct pp_marks *marks; /**< of each source */
    struct pp_refs wanted;  /**< available events, each once, as asked */
    struct pp_refs common;  /**< in every set */
    struct pp_refs grouped; /**< events that must be packed, unit by unit */
    struct pp_plan_unit *unit;
    size_t units;
    struct pp_event_missing *missing;
    size_t missings, missing_room;
    struct pp_event_error *error; /**< never NULL */
};

/** Note what is wrong. @return err. */
__attribute__((format(printf, 4, 5))) int pp_plan_fail(struct pp_plan *plan, const struct pp_event_item *item,
                                                       int err, const char *format, ...);

/** Append. @retval 0. @retval -ENOMEM. @retval -E2BIG more than PP_PLAN_EVENTS. */
__attribute__((warn_unused_result)) int pp_refs_push(struct pp_refs *refs, struct pp_event_ref ref);

/** Is it marked so? */
bool pp_plan_marked(const struct pp_plan *plan, struct pp_event_ref ref, uint8_t mark);

/** Set a mark. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_plan_mark(struct pp_plan *plan, struct pp_event_ref ref,
                                                     uint8_t mark);

/** Take a mark away. */
void pp_plan_unmark(struct pp_plan *plan, struct pp_event_ref ref, uint8_t mark);

/** An event that cannot be measured; repeats are ignored. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_plan_add_missing(struct pp_plan *plan, struct pp_event_ref ref,
                                                            const char *reason);

/** Make sets of the units; what exceeds PP_MUX_SETS becomes missing. @retval 0, -ENOSPC, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_plan_pack(struct pp_plan *plan, struct pp_event_plan *ret);

#endif
