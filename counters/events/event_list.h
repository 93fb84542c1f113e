/** @file
 * A list of events as the user wrote it, in perf's grammar. Knows no source, no graphics API, no file, no
 * thread. See event_plan.h for the events that a list names. */
#ifndef PP_COUNTERS_EVENTS_EVENT_LIST_H
#define PP_COUNTERS_EVENTS_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
