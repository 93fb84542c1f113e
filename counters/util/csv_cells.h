/** @file
 * Cells of RFC 4180 text, with the line and column of each, for readers of small data files. Knows no file.
 */
#ifndef PP_COUNTERS_UTIL_CSV_CELLS_H
#define PP_COUNTERS_UTIL_CSV_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A text that is being read. */
struct pp_csv_cells {
    char *next, *end; /**< the caller's bytes; unquoted cells are terminated and quotes removed in place */
    uint32_t line, column; /**< of next, from 1; columns are bytes */
    bool row_done;         /**< the last cell that was read ends its row */
};

/** One cell of the text. */
struct pp_csv_cell {
    char *text;            /**< NUL-terminated, in the caller's bytes */
    uint32_t line, column; /**< of its first byte */
};

/**
 * Begin to read a text.
 *
 * @param bytes Text of @p size bytes and one more byte, which is written; must outlive the cells.
 */
void pp_csv_cells_init(struct pp_csv_cells *csv, char *bytes, size_t size);

/**
 * Read the next cell. Lines end with LF or CR LF; empty lines and lines that begin with # are skipped; a
 * byte order mark is ignored.
 *
 * @param ret_cell Set on success; on -EINVAL, its line and column are those of the mistake.
 * @param ret_why  Set on -EINVAL to a static text: a quote that is not closed, text after one, a NUL byte.
 * @retval 0        A cell; csv->row_done is set if the cell ends its row.
 * @retval -ENODATA There are no more cells.
 * @retval -EINVAL  The text is not CSV.
 */
__attribute__((warn_unused_result)) int pp_csv_cells_next(struct pp_csv_cells *csv,
                                                          struct pp_csv_cell *ret_cell, const char **ret_why);

#endif
