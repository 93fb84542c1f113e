/** @file
 * Rows of one table on their way to a server, as ClickHouse's format TabSeparated has them, and compressed at
 * once, so that many of them need little memory. Source: "TabSeparated" in the manual of ClickHouse 18.16. */
#ifndef PP_CLI_PUSH_PUSH_BATCH_H
#define PP_CLI_PUSH_PUSH_BATCH_H

#include <stdbool.h>
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

/** Rows that one request has, if there are as many. ClickHouse makes a part of each request, and merges parts
 * later: few large requests cost it less. Below 1,048,576 (max_insert_block_size) a request is inserted as a
 * whole. */
#define PP_PUSH_BATCH_ROWS 200000U

/** Rows. Begin with all zero. */
struct pp_push_batch {
    struct pp_push_zip *zip; /**< internal; owned */
    unsigned char *gzip;     /**< after pp_push_batch_end(): the rows, compressed; owned */
    size_t len, cap;
    uint64_t rows;  /**< in it */
    uint64_t bytes; /**< of the rows before they were compressed */
};

/** Add a row. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_push_batch_add(struct pp_push_batch *batch, const char *row,
                                                          size_t len);

/** Has it as many rows, or bytes, as a request may have? */
bool pp_push_batch_is_full(const struct pp_push_batch *batch);

/** Complete the compressed bytes. Only with rows. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_push_batch_end(struct pp_push_batch *batch);

/** Forget the rows, and keep the memory. */
void pp_push_batch_clear(struct pp_push_batch *batch);

/** Free everything. */
void pp_push_batch_finish(struct pp_push_batch *batch);

#endif
