/** @file
 * The name nearest to a misspelt one, for messages. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_UTIL_NEAREST_NAME_H
#define PP_COUNTERS_UTIL_NEAREST_NAME_H

#include <stddef.h>

#include "counters/util/name_table.h"

/** A search for the nearest name. */
struct pp_nearest {
    const char *wanted;
    size_t wanted_length;
    const char
        *found; /**< the nearest name so far; borrowed, not NUL-terminated; NULL: none is near enough */
    size_t found_length;
    unsigned cost; /**< how far it is from the wanted name; upper and lower case are equal */
};

/**
 * Begin a search. Near are, from the nearest: a name with one edit, a name that contains all wanted words, a
 * name that begins like the wanted one but for one edit, and a name with fewer edits than a third of the
 * letters.
 */
struct pp_nearest pp_nearest_begin(const char *wanted, size_t length);

/** Offer a candidate to the search. */
void pp_nearest_offer(struct pp_nearest *nearest, const char *text, size_t length);

/** Offer every name of a table to the search. */
void pp_nearest_offer_table(struct pp_nearest *nearest, const struct pp_name_table *names);

#endif
