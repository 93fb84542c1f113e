/** @file
 * Room: what the user asked to measure, in perf's grammar, and which of it can be measured at the same time.
 * Knows no graphics API, no file, no thread. Next rooms: multiplex.h (the sets in turn), source.h (who
 * measures). */
#ifndef PP_COUNTERS_EVENTS_EVENT_PLAN_H
#define PP_COUNTERS_EVENTS_EVENT_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "counters/sources/source.h"

/* The list as written. */

/** One item: "source:name", or "source" for all of it. */
struct pp_event_item {
    const char *source; /**< belongs to the list */
    const char *name;   /**< may have the wildcards * and ?; NULL: the item is one bare word, in source */
    uint32_t column;    /**< of its first byte, from 1 */
    uint32_t length;    /**< bytes it takes in the text */
    uint32_t group;     /**< number of its {group}, from 1; 0: none */
};

/** A list. Immutable after it is read. */
struct pp_event_list {
    const struct pp_event_item *item;
    size_t items;
    uint32_t groups;
    void *memory; /**< what items and strings lie in */
};

/** What is wrong with a list. */
struct pp_event_error {
    uint32_t column;   /**< first offending byte, from 1 */
    uint32_t length;   /**< bytes to underline; 0 at the end of the text */
    char message[320]; /**< one line without a full stop: "unknown event 'vertces'; did you mean 'vertices'?"
                        */
};

/**
 * Read a list: items or {groups of items} joined by commas, blanks around them ignored. An item is a bare
 * word, or source:name; a name that holds commas, braces, quotes or outer blanks is written in double quotes,
 * with \" and \\.
 *
 * Ownership: *ret is the caller's, for pp_event_list_destroy(); the text is copied. Threads: any.
 *
 * @param error Filled on -EINVAL and -E2BIG; may be NULL.
 * @retval 0       Read; there is at least one item.
 * @retval -EINVAL A mistake.
 * @retval -E2BIG  Longer than 64 KiB.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_event_list_parse(const char *text, struct pp_event_list *ret,
                                                            struct pp_event_error *error);

/** Free what a list holds; a zeroed one is fine. */
void pp_event_list_destroy(struct pp_event_list *list);

/* What to measure together. */

/** An event: `event` of source[`source`]. */
struct pp_event_ref {
    uint32_t source, event;
};

/** Events measured at the same time, those of one source beside each other, in an order that its fits()
 * accepts. */
struct pp_event_set {
    const struct pp_event_ref *event;
    size_t events;
};

/** An event that was asked for and that this machine cannot give, or that is too many. */
struct pp_event_missing {
    struct pp_event_ref event;
    const char *reason; /**< the source's */
};

/** Which events are measured when. Immutable after it is made. */
struct pp_event_plan {
    const struct pp_event_ref *wanted; /**< every event to be measured once, as asked; without `always` */
    size_t wanteds;
    const struct pp_event_set
        *set; /**< at least one unless there is nothing to measure; at most PP_MUX_SETS */
    size_t sets;
    const struct pp_event_missing *missing;
    size_t missings;
    void *memory[4];
};

/** Does a name match as in an item: * is any text, ? any character, all else itself. */
bool pp_event_matches(const char *pattern, const char *text);

/**
 * Find the events of a list and pack them into as few sets as a greedy search finds.
 *
 * A bare word is a source, with all its available events, or else an event or a group of events of any one
 * source. A name is an event's, with or without its unit at the end or its group in front, else a group's.
 * Events of sources without fits(), those that always fit and those in @p always are in every set, and so is
 * all that is wanted of a source where that fits at once and no group ties it to another source; a group is
 * in one set as a whole; every other event is in one set. Two orders are tried, events that share a set with
 * the fewest others first and last, and the better is taken. What does not fit into PP_MUX_SETS sets, or is
 * more than 16384 events, is missing.
 *
 * Ownership: *ret is the caller's, for pp_event_plan_destroy(); the reasons are the sources'. Threads: one
 * that may call the sources. Allocates. Time: up to 128 events a source is asked about each pair; of more, it
 * is asked about some hundred choices a set.
 *
 * @param always  Cycle counters and the like, which scaling needs; those that do not exist are left out
 * beforehand.
 * @param ret     Set on success.
 * @param error   Filled on -ENOENT, -ENOSPC; may be NULL.
 * @retval 0       Made. It may be empty: everything asked for is missing.
 * @retval -ENOENT An item names no event.
 * @retval -ENOSPC An event, or a group, does not fit even alone.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_event_plan_make(const struct pp_event_list *list,
                                                           const struct pp_event_source *source,
                                                           size_t sources, const struct pp_event_ref *always,
                                                           size_t alwayses, struct pp_event_plan *ret,
                                                           struct pp_event_error *error);

/** Free what a plan holds; a zeroed one is fine. */
void pp_event_plan_destroy(struct pp_event_plan *plan);

/** The events of one source in a set, for its layout(): copies up to @p room event numbers. @return How many
 * there are. */
size_t pp_event_set_of_source(const struct pp_event_set *set, uint32_t source, uint32_t *event, size_t room);

/** Can nothing of this source be measured? @return The reason of its first event; NULL: something can. */
const char *pp_event_source_absent(const struct pp_event_source *source);

#endif
