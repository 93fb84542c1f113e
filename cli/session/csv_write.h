/** @file
 * Writes cells of CSV (RFC 4180). The caller writes the commas between them. See also csv_read.h.
 */
#ifndef PP_CLI_SESSION_CSV_WRITE_H
#define PP_CLI_SESSION_CSV_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Write a text as it is. @param quoted In quotes in any case; else only where commas, quotes or line ends
 * need them.
 */
void pp_csv_write(FILE *out, const char *text, size_t len, bool quoted);

/** Write a text that may reach a terminal: as pp_print() makes it, in quotes where needed. */
void pp_csv_print(FILE *out, const char *text);

/** End a row. */
void pp_csv_end_row(FILE *out);

#endif
