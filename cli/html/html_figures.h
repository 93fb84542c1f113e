/** @file
 * Reads members of the page's data, and writes figures as cells of tables. */
#ifndef PP_CLI_HTML_HTML_FIGURES_H
#define PP_CLI_HTML_HTML_FIGURES_H

#include <jansson.h>
#include <stdio.h>

#include "cli/analysis/column.h"
#include "cli/print/format.h"

/** A number by its path, "a.b.c"; NaN: null or not there. */
double pp_html_number(const json_t *object, const char *path);

/** A text by its path; "" if it is not there. Borrowed. */
const char *pp_html_string(const json_t *object, const char *path);

/** A value by its path; NULL: not there. Borrowed. */
json_t *pp_html_value(const json_t *object, const char *path);

/** Write a cell with a time, in the unit of its column; "-": not measured. */
void pp_html_put_time(FILE *out, double ns, const struct pp_time_unit *unit);

/** Write a cell with a number; "-": not known. */
void pp_html_put_fixed(FILE *out, double value, int decimals);

/** Write the begin of a table. @param caption Its accessible name. @param heads Headings: those that begin
 * with '<' head columns with text, the others columns with numbers; NULL ends them. @param unit After
 * each heading that ends with ", ", and in front of "/frame"; NULL: nowhere. */
void pp_html_begin_table(FILE *out, const char *caption, const char *const *heads, const char *unit);

/** Write the begin of a table of columns, as pp_html_begin_table() does. @param first Heading of a column in
 * front of them, which the unit follows; NULL: none. @param rows Array of the table's rows: a column of
 * texts that all of them lack is left out; NULL: all columns. */
void pp_html_begin_columns(FILE *out, const char *caption, const char *first,
                           const struct pp_columns *columns, const json_t *rows,
                           const struct pp_time_unit *unit);

/** Write the cells of a row. @param rows As for the begin. @param row Object with the columns' members. */
void pp_html_put_columns(FILE *out, const struct pp_columns *columns, const json_t *rows, const json_t *row,
                         const struct pp_time_unit *unit);

/** The columns of the tables that can be sorted, for script/: their members, headings and forms. @return A
 * new reference. */
json_t *pp_html_columns_json(const struct pp_columns *columns);

/** Write the end of a table. */
void pp_html_end_table(FILE *out);

/** Write a term and what it means, for a list of facts; nothing, if the text is "". */
void pp_html_put_fact(FILE *out, const char *term, const char *text);

#endif
