/** @file
 * Splits a row of CSV into cells where it is in memory. Knows no file and no column. csv_read.h uses it for
 * plain rows, which are nearly all rows. */
#ifndef PP_CLI_SESSION_CSV_SPLIT_H
#define PP_CLI_SESSION_CSV_SPLIT_H

#include <stddef.h>

#include "cli/session/csv_read.h"

/** Bytes after a text that pp_csv_split() may read, and does not use. */
#define PP_CSV_SPLIT_BEHIND 64U

/** What a text begins with. */
enum pp_csv_row_kind {
    PP_CSV_PLAIN, /**< a plain row, which was split */
    PP_CSV_OPEN,  /**< a row that goes on after the text, as far as can be seen */
    PP_CSV_OTHER, /**< another row; the text is unchanged */
};

/**
 * Split the first row of a text, if it is plain: its cells neither begin nor end with a blank or a tab, and
 * are either without quotes or as a whole in quotes, without quotes inside.
 *
 * @param text     Does not begin with a line end. Each cell of a plain row gets a NUL after it here.
 * @param len      Bytes of @p text; PP_CSV_SPLIT_BEHIND more bytes can be read.
 * @param cell     Memory for @p cells cells. Missing cells become absent ones, surplus ones are left out.
 * @param ret_size Bytes of a plain row with the first byte of its line end.
 */
enum pp_csv_row_kind pp_csv_split(char *text, size_t len, struct pp_cell *cell, size_t cells,
                                  size_t *ret_size);

/**
 * Put the bytes back that the NULs of a plain row represent. A line end becomes '\n'.
 *
 * @param text The row, with anything before it.
 * @param end  Bytes of @p text up to and with the row's line end.
 * @param cell What pp_csv_split() made of the row.
 */
void pp_csv_join(char *text, size_t end, const struct pp_cell *cell, size_t cells);

#endif
