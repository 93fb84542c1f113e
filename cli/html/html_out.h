/** @file
 * Writes markup: escaped texts, cells and tables of figures, and a template with what belongs to its places.
 * Reads members of the page's data. */
#ifndef PP_CLI_HTML_HTML_OUT_H
#define PP_CLI_HTML_HTML_OUT_H

#include <jansson.h>
#include <stdio.h>

#include "cli/analysis/table.h"
#include "cli/text/format.h"

/** Write markup as it is. @param markup Of passprobe, never foreign. */
void pp_html_raw(FILE *out, const char *markup);

/** Write a text, escaped for the content of an element or a quoted attribute. Control characters and broken
 * UTF-8 become '?'. @param text NULL: none. */
void pp_html_text(FILE *out, const char *text);

/** Write a text that is formatted as by printf(), escaped. */
__attribute__((format(printf, 2, 3))) void pp_html_textf(FILE *out, const char *format, ...);

/** Write an element: its begin tag, an escaped text, its end tag. @param tag With attributes: `td class="n"`.
 */
void pp_html_element(FILE *out, const char *tag, const char *text);

/** Write an element with a formatted text, as pp_html_element(). */
__attribute__((format(printf, 3, 4))) void pp_html_elementf(FILE *out, const char *tag, const char *format,
                                                            ...);

/** A place of a template: the comment `<!--NAME-->`. */
struct pp_html_place {
    const char *name;
    void (*put)(FILE *out, const json_t *data);
};

/** Write a page. At the place `data`, the data are JSON that cannot end a script element. In its texts,
 * control characters other than tab and line break, and characters that pp_printable_next() refuses, become
 * '?'. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_html_template_write(FILE *out, const char *page,
                                                               const struct pp_html_place *place,
                                                               size_t places, const json_t *data);

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

/** The page of a session, and that of a comparison, without any: tools/gen_page.py makes them from page.html,
 * compare.html, page.css and script/. Places for the sessions are comments: `<!--verdict-->`. */
extern const char pp_html_page[];
extern const char pp_html_compare_page[];

#endif
