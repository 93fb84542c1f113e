/** @file
 * Tables from names to numbers, for the metric language and the readers of text files. Knows no graphics API,
 * no file, no thread. */
#ifndef PP_COUNTERS_UTIL_NAME_TABLE_H
#define PP_COUNTERS_UTIL_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

/** One name; the table's user chooses `kind` and `index`. */
struct pp_name {
    const char *text; /**< borrowed, not NUL-terminated; NULL: free slot */
    uint32_t length;
    uint32_t kind;
    uint32_t index;
};

/** A table of names; a zeroed table is empty. */
struct pp_name_table {
    struct pp_name *slot;
    uint32_t slots; /**< power of two */
    uint32_t used;
};

/** Free the memory of a table, but not that of the names. */
void pp_name_table_finish(struct pp_name_table *names);

/**
 * Add a name, unless the table has it.
 *
 * @retval 0       Added.
 * @retval -EEXIST The table has the name; nothing changed.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_name_table_add(struct pp_name_table *names, const char *text,
                                                          size_t length, uint32_t kind, uint32_t index);

/** Find a name. @return NULL: the table does not have it. */
const struct pp_name *pp_name_table_find(const struct pp_name_table *names, const char *text, size_t length);

#endif
