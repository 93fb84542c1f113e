/** @file
 * Writes a table of many sessions as CSV that zstd compresses: a file of a lake. Knows no folder. See also
 * lake_store.h, lake_push.c. */
#ifndef PP_CLI_PUSH_LAKE_CSV_H
#define PP_CLI_PUSH_LAKE_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "cli/push/push_rows.h"

struct archive;

/** What is in a cell that was not measured. Texts are in quotes, so no text is meant by it. */
#define PP_LAKE_NULL "\\N"

/** A file that is being written. Begin with all zero. */
struct pp_lake_csv {
    enum pp_push_table table;
    struct archive *out; /**< owned */
    char *text;          /**< rows that are not written yet; owned */
    size_t len, cap;
};

/**
 * Begin a file with its header row: the columns of push_tables.h and, of a table with pairs, `NAME.name` and
 * `NAME.value`, which are lists, as ClickHouse writes them: ['a','b'].
 *
 * @param fd  Empty, open for writing; borrowed until pp_lake_csv_end().
 * @param ret pp_lake_csv_end() must be called, whatever is returned.
 * @retval 0, -ENOMEM, -EIO.
 */
__attribute__((warn_unused_result)) int pp_lake_csv_begin(int fd, enum pp_push_table table,
                                                          struct pp_lake_csv *ret);

/** Add a row. @retval 0, -ENOMEM, -EIO. */
__attribute__((warn_unused_result)) int pp_lake_csv_row(struct pp_lake_csv *csv,
                                                        const struct pp_push_row *row);

/** Write what is missing, and free everything. The file is not synced. @retval 0, -EIO. */
__attribute__((warn_unused_result)) int pp_lake_csv_end(struct pp_lake_csv *csv);

#endif
