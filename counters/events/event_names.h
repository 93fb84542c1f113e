/** @file
 * Names of events, made of the names that drivers give their counters: text that a list of events can hold,
 * and a column for each event. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_EVENTS_EVENT_NAMES_H
#define PP_COUNTERS_EVENTS_EVENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/value.h"

/** An event whose name other events may have, too. */
struct pp_event_name {
    const char *name;  /**< the driver's name, after pp_event_name_clean(); borrowed */
    const char *group; /**< borrowed */
    enum pp_unit unit;
    uint32_t kind; /**< events of one name and one kind in different groups share a column: they are never
                      measured together; 0: the event needs a column of its own */
    char *made;    /**< output: the new name, malloc()ed; NULL: the event keeps `name` */
};

/**
 * Find new names for events that share a name, or whose columns would ("W" in bytes and "W_bytes"). The new
 * name has the group in front. If several events still share it, all but the first get a number at the end.
 *
 * @retval 0       Done.
 * @retval -ENOMEM No memory. The caller frees `made` in either case.
 */
__attribute__((warn_unused_result)) int pp_event_names_distinguish(struct pp_event_name *list,
                                                                   uint32_t count);

/** Suffix of the unit in the name of an event's column; "" if the event's name ends in it already. */
const char *pp_event_name_suffix(const char *name, enum pp_unit unit);

/**
 * Copy a driver's text, cut to size between characters. Bytes that are no UTF-8 become U+FFFD.
 *
 * @param size At least 4; 3 times the length and 1 are always enough.
 */
void pp_event_text_clean(char *out, size_t size, const char *text);

/** Clean a driver's name, as pp_event_text_clean() cleans text. Characters that a list of events or a line
 * cannot hold become '_'. An empty name becomes @p if_empty. */
void pp_event_name_clean(char *out, size_t size, const char *text, const char *if_empty);

#endif
