/** @file
 * Inside of event_plan.h: a plan in the making. event_plan.c finds the events, event_pack.c makes sets of
 * the bundles that it found. */
#ifndef PP_COUNTERS_EVENTS_EVENT_PACK_H
#define PP_COUNTERS_EVENTS_EVENT_PACK_H

#include <stdbool.h>

#include "counters/events/event_plan.h"

/** Most events of a source that are searched. */
#define PP_EVENTS_SEARCHED 131072U
/** Most events that a plan holds. */
#define PP_EVENTS_PLANNED 16384U

/** A growing array of events. */
struct pp_event_refs {
    struct pp_event_ref *ref;
    size_t n, capacity;
};

/** Events that stay in one set: a group, or one event. They are ref[first .. first + n - 1] of `grouped`. */
struct pp_event_bundle {
    size_t first, n;
    const struct pp_event_item *item; /**< for messages; NULL: the events are known by their numbers */
    size_t partners;                  /**< other bundles that fit into a set with this one */
};

/** What the planner knows of an event: bits of a byte. */
enum {
    PP_MARK_WANTED = 1,
    PP_MARK_COMMON = 2,
    PP_MARK_BUNDLE = 4, /**< in the bundle that is being made */
    PP_MARK_MISSING = 8,
    PP_MARK_TOGETHER = 16, /**< in a bundle of several events */
    PP_MARK_PLACED = 32,   /**< in a set */
};

/** Marks of a source's events. */
struct pp_event_marks {
    uint8_t *mark;
    size_t capacity;
};

/** A plan in the making. */
struct pp_event_planner {
    const struct pp_event_list *list; /**< NULL: the events are known by their numbers */
    const struct pp_event_ref *given; /**< events that are known by their numbers, before those of the list */
    size_t given_count;               /**< elements of given */
    size_t later;                     /**< items of the list from this one on may take events away */
    bool removes;                     /**< the item that is looked up takes events away */
    const struct pp_event_source *source;
    size_t sources;
    struct pp_event_marks *marks; /**< of each source */
    struct pp_event_refs wanted;  /**< available events, each once, in the order of the list */
    struct pp_event_refs common;  /**< events of every set */
    struct pp_event_refs grouped; /**< events to pack, bundle after bundle */
    struct pp_event_bundle *bundle;
    size_t bundles;
    struct pp_event_missing *missing;
    size_t missing_count, missing_capacity;
    struct pp_event_error *error; /**< never NULL */
};

/** Write a message about an item to planner->error. @p item may be NULL. @return @p err. */
__attribute__((format(printf, 4, 5))) int pp_event_planner_fail(struct pp_event_planner *planner,
                                                                const struct pp_event_item *item, int err,
                                                                const char *format, ...);

/** Append an event. @retval 0. @retval -ENOMEM. @retval -E2BIG More than PP_EVENTS_PLANNED. */
__attribute__((warn_unused_result)) int pp_event_refs_push(struct pp_event_refs *refs,
                                                           struct pp_event_ref ref);

/** Does an event have a mark? */
bool pp_event_planner_marked(const struct pp_event_planner *planner, struct pp_event_ref ref, uint8_t mark);

/** Set a mark of an event. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_event_planner_mark(struct pp_event_planner *planner,
                                                              struct pp_event_ref ref, uint8_t mark);

/** Remove a mark of an event. */
void pp_event_planner_unmark(struct pp_event_planner *planner, struct pp_event_ref ref, uint8_t mark);

/** Note an event that cannot be measured; repeats are ignored. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int
pp_event_planner_add_missing(struct pp_event_planner *planner, struct pp_event_ref ref, const char *reason);

/** Pack the planner's bundles into sets of @p ret. Bundles beyond PP_ROTATION_SETS sets become missing.
 * @retval 0, -ENOSPC, -ENOMEM As pp_event_plan_make(). */
__attribute__((warn_unused_result)) int pp_event_pack(struct pp_event_planner *planner,
                                                      struct pp_event_plan *ret);

#endif
