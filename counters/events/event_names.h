/** @file
 * Room: names that drivers give their counters, made fit for lists of events and for columns: text that a
 * list can hold, and a column for each. Knows no graphics API, no file, no thread. Next rooms: source.h,
 * events.h. */
#ifndef PP_COUNTERS_EVENTS_EVENT_NAMES_H
#define PP_COUNTERS_EVENTS_EVENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/value.h"

/** An event whose name may be another's, too. */
struct pp_event_name {
    const char *name;  /**< the driver's, clean; borrowed */
    const char *group; /**< borrowed */
    enum pp_unit unit;
    uint32_t kind; /**< events of one name and one kind in different groups share a column, since they are
                      never measured together; 0: no other event's column will do */
    char *made;    /**< out: another name, malloc()ed; NULL: it keeps its own */
};

/**
 * Find names for events that share theirs, or whose columns would have one name ("W" in bytes and "W_bytes"):
 * the group's in front, and what even then is not the only one has a number behind. The first of those keeps
 * the bare name.
 *
 * @retval 0       Done.
 * @retval -ENOMEM No memory; `made` is set or NULL, and to be freed.
 */
__attribute__((warn_unused_result)) int pp_event_names_tell_apart(struct pp_event_name *list, uint32_t count);

/** The unit's suffix that a column's name has behind this one: "" where it ends in it already. */
const char *pp_event_name_suffix(const char *name, enum pp_unit unit);

/**
 * A driver's text, cut to size between characters; what is no UTF-8 becomes U+FFFD.
 *
 * @param size At least 4; 3 times the length and 1 are always enough.
 */
void pp_event_text_clean(char *out, size_t size, const char *text);

/** The same of a name; what neither a list of events nor a line can hold becomes '_'. @p if_empty in its
 * place. */
void pp_event_name_clean(char *out, size_t size, const char *text, const char *if_empty);

#endif
