/** @file
 * Tables of any kind as text and as CSV, from the list of their columns (analysis/table.h). Decides nothing
 * about figures. */
#ifndef PP_CLI_PRINT_TABLE_H
#define PP_CLI_PRINT_TABLE_H

#include <stdio.h>

#include "cli/analysis/table.h"
#include "cli/text/format.h"

/** Columns that a table of text has at most. */
#define PP_TEXT_COLUMNS_MOST 32U

/** A table of text. Set the first members, then call pp_text_table_begin(). */
struct pp_text_table {
    FILE *out;
    unsigned in; /**< PP_IN_TEXT or PP_IN_COUNTS */
    const struct pp_columns *columns;
    const struct pp_view *view;
    const struct pp_time_unit *unit;
    double least_ns; /**< shorter times are below the resolution of brackets; NaN: none are */
    int width;       /**< of columns that have none of their own */
    const struct pp_table_column *shown[PP_TEXT_COLUMNS_MOST]; /**< all but the title */
    size_t len;
    const struct pp_table_column *unresolved; /**< says whether a row's times are below the resolution */
    size_t title_columns;                     /**< most columns of a title, the last column of a row */
};

/** Choose the columns, and print their headings. */
void pp_text_table_begin(struct pp_text_table *table);

/** Print a row. @param title What the row is called: safe for a terminal, at most table->title_columns wide.
 */
void pp_text_table_row(const struct pp_text_table *table, const void *row, const char *title);

/** A number as a cell of text. @return text, which the caller owns. */
const char *pp_text_cell(char text[PP_FORMATTED_MAX], const struct pp_table_column *column, double value,
                         const struct pp_time_unit *unit);

/** Write the header row of CSV. Lines end in CR LF, as in RFC 4180. */
void pp_csv_table_begin(FILE *out, const struct pp_columns *columns);

/** Write rows of CSV: an empty cell where a figure was not measured. @param rows An array. */
void pp_csv_table_rows(FILE *out, const struct pp_columns *columns, const void *rows, size_t len);

#endif
