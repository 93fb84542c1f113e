/** @file
 * Rows as ClickHouse's format TabSeparated takes them. Source: "TabSeparated"
 * in the manual of ClickHouse 18.16. */
#ifndef PP_CLI_PUSH_PUSH_TEXT_H
#define PP_CLI_PUSH_PUSH_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "cli/push/push_rows.h"

/** A text that grows. Begin with all zero; free(text). */
struct pp_push_text {
    char *text; /**< owned; not terminated */
    size_t len, cap;
};

/** Append a row: the number of the push, the columns, and the names and values of the pairs. NULL is `\N`. */
__attribute__((warn_unused_result)) int pp_push_text_row(struct pp_push_text *out, enum pp_push_table table,
                                                         uint64_t push, const struct pp_push_row *row);

/** The statement that inserts such rows into the table stored_NAME. @return Owned by the caller; NULL: no
 * memory. */
char *pp_push_insert_statement(enum pp_push_table table);

#endif
