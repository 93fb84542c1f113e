/** @file
 * Which events are measured, and which of them at the same time: a plan has counter sets, and parts that no
 * hardware limits. Events that do not fit the hardware at once are measured one set per frame, in rotation;
 * stats/rotation_stats.h says what the measured frames say about all frames. snapshot/source.h has who
 * measures. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_EVENTS_EVENT_PLAN_H
#define PP_COUNTERS_EVENTS_EVENT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/source.h"

/* A list of events as the user wrote it, in perf's grammar. event_list.c knows no source, no
 * graphics API, no file, no thread. */

/** One item of a list: "source:name", or one bare word. */
struct pp_event_item {
    const char *source; /**< before the colon, or the bare word; belongs to the list */
    const char *name;   /**< may have the wildcards * and ?; NULL: the item is one bare word, in source */
    uint32_t column;    /**< of the item's first byte, from 1 */
    uint32_t length;    /**< bytes of the item in the text */
    uint32_t group;     /**< number of the item's {group}, from 1; 0: none */
    char sign;          /**< of a list that changes the default events: '+' or '-', not part of the column;
                             0: of another list */
};

/** A list. Immutable after pp_event_list_parse(). */
struct pp_event_list {
    const struct pp_event_item *item;
    size_t items;
    uint32_t groups;
    bool changes; /**< the list changes the default events: each item, or its group, has a sign */
    void *memory; /**< holds the items and their strings */
};

/** A mistake in a list. */
struct pp_event_error {
    uint32_t column;   /**< first offending byte, from 1 */
    uint32_t length;   /**< bytes to underline; 0 at the end of the text */
    char message[320]; /**< one line without a full stop: "unknown event 'vertces'; did you mean 'vertices'?"
                        */
};

/**
 * Read a list: items or {groups of items}, joined by commas. Blanks around an item are ignored. An item is a
 * bare word, or source:name. A name with commas, braces, quotes or outer blanks is written in double quotes,
 * with \" and \\.
 *
 * If the first item or group begins with '+' or '-', all others must, too: the list changes the default
 * events.
 *
 * Ownership: *ret is the caller's, for pp_event_list_destroy(); the text is copied. Threads: any.
 *
 * @param error Filled on -EINVAL and -E2BIG; may be NULL.
 * @retval 0       Read; the list has at least one item.
 * @retval -EINVAL A mistake.
 * @retval -E2BIG  The text is longer than 64 KiB.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_event_list_parse(const char *text, struct pp_event_list *ret,
                                                            struct pp_event_error *error);

/** Free the memory of a list; a zeroed list is fine. */
void pp_event_list_destroy(struct pp_event_list *list);

/** An event by its indexes: event number `event` of source[`source`]. */
struct pp_event_ref {
    uint32_t source, event;
};

/** A set: events measured at the same time. Events of one source are neighbours, in an order that the
 * source's fits() accepts. */
struct pp_event_set {
    const struct pp_event_ref *event;
    size_t events;
};

/** An event that the user asked for and that cannot be measured. */
struct pp_event_missing {
    struct pp_event_ref event;
    const char *reason; /**< the source's text, or that the events are too many */
};

/** Which events are measured when. Immutable after pp_event_plan_make(). */
struct pp_event_plan {
    const struct pp_event_ref *wanted; /**< the events to measure, each once, in the order of the list;
                                          without those that pp_event_plan_make() was given as `always` */
    size_t wanted_count;
    const struct pp_event_set *set; /**< at most PP_ROTATION_SETS; none if there is nothing to measure */
    size_t sets;
    const struct pp_event_missing *missing;
    size_t missing_count;
    void *memory[4];
};

/** Does the hardware limit how often an event is measured together with others? */
bool pp_event_is_limited(const struct pp_event_source *source, uint32_t event);

/** Does a text match an item's pattern? In the pattern, * is any text and ? any character. */
bool pp_event_matches(const char *pattern, const char *text);

/**
 * Find the events of a list and pack them into few sets, by a greedy search.
 *
 * A bare word names a source, with all its available events, or else an event or a group of events of any one
 * source. A name after a colon names an event, with or without its unit at the end or its group in front, or
 * else a group.
 *
 * In every set: events of sources without fits(), events that always fit, the events of @p always, and all
 * wanted events of a source if they fit at once and no group ties one of them to another source. A group is
 * in one set as a whole. Every other event is in one set. Two orders are tried, and the better one is taken:
 * events that share a set with the fewest others first, and last. Events that do not fit into
 * PP_ROTATION_SETS sets, or exceed 16384, are missing.
 *
 * Ownership: *ret is the caller's, for pp_event_plan_destroy(); the reasons are the sources'. Threads: one
 * that may call the sources. Allocates. Time: for up to 128 events, a source is asked about each pair; for
 * more, about some hundred choices per set.
 *
 * @param always  Events that are always measured, such as the cycle counters that scaling needs. All of them
 *                must exist.
 * @param ret     Set on success.
 * @param error   Filled on -ENOENT, -ENOSPC; may be NULL.
 * @retval 0       Made. The plan may be empty: everything that the list names is missing.
 * @retval -ENOENT An item names no event.
 * @retval -ENOSPC An event, or a group, does not fit even by itself.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_event_plan_make(const struct pp_event_list *list,
                                                           const struct pp_event_source *source,
                                                           size_t sources, const struct pp_event_ref *always,
                                                           size_t always_count, struct pp_event_plan *ret,
                                                           struct pp_event_error *error);

/**
 * Like pp_event_plan_make(), for events that are known by their numbers: the default events of sources. All
 * events of one source are a group.
 *
 * @param event  Events of one source are neighbours.
 * @retval 0, -ENOSPC, -ENOMEM as pp_event_plan_make().
 */
__attribute__((warn_unused_result)) int pp_event_plan_make_of(const struct pp_event_ref *event, size_t events,
                                                              const struct pp_event_source *source,
                                                              size_t sources, struct pp_event_plan *ret,
                                                              struct pp_event_error *error);

/**
 * Like pp_event_plan_make_of(), and then change the events by a list whose items have signs: '+' adds what
 * the item names, '-' takes it away from what was there before it.
 *
 * @param list NULL: nothing is changed.
 * @retval 0, -ENOENT, -ENOSPC, -ENOMEM as pp_event_plan_make().
 */
__attribute__((warn_unused_result)) int pp_event_plan_change(const struct pp_event_ref *event, size_t events,
                                                             const struct pp_event_list *list,
                                                             const struct pp_event_source *source,
                                                             size_t sources, struct pp_event_plan *ret,
                                                             struct pp_event_error *error);

/** Free the memory of a plan; a zeroed plan is fine. */
void pp_event_plan_destroy(struct pp_event_plan *plan);

/** List the events of one source in a set, for the source's layout(): copies up to @p capacity event numbers.
 * @return The number of these events, which may exceed @p capacity. */
size_t pp_event_set_of_source(const struct pp_event_set *set, uint32_t source, uint32_t *event,
                              size_t capacity);

/** Can none of a source's events be measured? @return The reason of its first event; NULL: some can. */
const char *pp_event_source_absent(const struct pp_event_source *source);

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

/** The largest number of sets that are rotated. */
#define PP_ROTATION_SETS 64

/**
 * Find the set that a frame measures. Any `sets` frames from a multiple of `sets` on are a permutation of
 * all sets (a row). Any sets x sets frames from a multiple of that on are a Latin square: every set comes
 * once at every place of the rows. What the application does every `sets` frames therefore meets every set.
 * The squares are random.
 *
 * A pure function; any thread. Allocates, locks, logs nothing.
 *
 * @param seed  The session's seed of the random squares.
 * @param sets  1 to PP_ROTATION_SETS; further sets are never measured.
 * @param frame Number of the frame.
 * @return 0 to sets - 1.
 */
uint32_t pp_rotation_set_of_frame(uint64_t seed, uint32_t sets, uint64_t frame);

#endif
