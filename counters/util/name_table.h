/** @file
 * Room: names and who bears them, and the nearest one to a name that nobody bears. Used by the metric
 * language and the readers of text files. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_UTIL_NAME_TABLE_H
#define PP_COUNTERS_UTIL_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

/** One name; `kind` and `index` are the user's. */
struct pp_name {
    const char *text; /**< borrowed, not NUL-terminated; NULL: free slot */
    uint32_t length;
    uint32_t kind;
    uint32_t index;
};

/** A table of names; zeroed is empty. */
struct pp_name_table {
    struct pp_name *slot;
    uint32_t slots; /**< power of two */
    uint32_t used;
};

/** Free the table, not the names. */
void pp_name_table_finish(struct pp_name_table *names);

/**
 * Add a name unless it is there.
 *
 * @retval 0       Added.
 * @retval -EEXIST It is there; nothing changed.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_name_table_add(struct pp_name_table *names, const char *text,
                                                          size_t length, uint32_t kind, uint32_t index);

/** Who bears this name? NULL: nobody. */
const struct pp_name *pp_name_table_find(const struct pp_name_table *names, const char *text, size_t length);

/** Search for the nearest name. */
struct pp_nearest {
    const char *wanted;
    size_t wanted_length;
    const char *found; /**< borrowed, not NUL-terminated; NULL: nothing near enough */
    size_t found_length;
    unsigned distance; /**< edits between both, upper and lower case being equal */
};

/** Begin a search: nearer than a third of the letters. */
struct pp_nearest pp_nearest_begin(const char *wanted, size_t length);

/** Offer a candidate. */
void pp_nearest_offer(struct pp_nearest *nearest, const char *text, size_t length);

/** Offer every name of a table. */
void pp_nearest_offer_table(struct pp_nearest *nearest, const struct pp_name_table *names);

#endif
