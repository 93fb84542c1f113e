/** @file
 * Reads a CSV file row by row, from any place. The file may be truncated, foreign or hostile. Knows no column
 * by name. See also cli/session/csv_read.h, which reads a whole file at once. */
#ifndef PP_CLI_MERGE_CSV_CURSOR_H
#define PP_CLI_MERGE_CSV_CURSOR_H

#include <stddef.h>
#include <stdint.h>

#include "cli/session/csv_read.h"

/** A row. Begin with all zero; pp_csv_row_finish() frees it. */
struct pp_csv_row {
    struct pp_cell *cell; /**< `cells` of them, valid until the next row is read into this struct */
    size_t cells;
    uint64_t offset; /**< of its first byte in the file */
    uint64_t end;    /**< of the byte behind it */
    char *text;      /**< internal: the cells' texts */
    size_t text_cap;
    size_t cell_cap;
};

/** A file that is being read. Begin with all zero and fd -1. */
struct pp_csv_cursor {
    int fd;           /**< owned; -1: nothing is open */
    char *buffer;     /**< owned */
    size_t len;       /**< bytes in buffer */
    size_t at;        /**< next byte */
    uint64_t base;    /**< offset of the buffer in the file */
    uint64_t damaged; /**< rows with a NUL byte, which were left out */
};

/** Open a file of a folder. @retval 0. @retval -errno As for pp_csv_read(); nothing is open. */
__attribute__((warn_unused_result)) int pp_csv_cursor_open(struct pp_csv_cursor *ret, int dir_fd,
                                                           const char *name);

/**
 * Read the next row. Rows with a NUL byte are left out, and so is a last row without a line break.
 *
 * @retval 1       There is a row.
 * @retval 0       The end of the file.
 * @retval -EFBIG  A cell of more than 1 MiB, a row of more than 4096 cells or 16 MiB.
 * @retval -ENOMEM No memory.
 * @retval -errno  The file cannot be read.
 */
__attribute__((warn_unused_result)) int pp_csv_cursor_next(struct pp_csv_cursor *cursor,
                                                           struct pp_csv_row *row);

/** Go to an offset of the file, where a row begins: its next row is read from there. */
void pp_csv_cursor_seek(struct pp_csv_cursor *cursor, uint64_t offset);

/** Close the file, free the buffer. A zeroed cursor with fd -1 is fine. */
void pp_csv_cursor_close(struct pp_csv_cursor *cursor);

/** Free the memory of a row. */
void pp_csv_row_finish(struct pp_csv_row *row);

#endif
