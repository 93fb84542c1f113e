/** @file
 * Writes HTML: texts of applications, drivers and files are escaped in every call. Knows no session. */
#ifndef PP_CLI_HTML_HTML_OUT_H
#define PP_CLI_HTML_HTML_OUT_H

#include <jansson.h>
#include <stdio.h>

/** Write markup as it is. @param markup Of passprobe, never foreign. */
void pp_html_raw(FILE *out, const char *markup);

/** Write the first @p length bytes of markup. */
void pp_html_raw_part(FILE *out, const char *markup, size_t length);

/** Write a text, escaped for the content of an element or a quoted attribute. Control characters and broken
 * UTF-8 become
 * '?'. @param text NULL: none. */
void pp_html_text(FILE *out, const char *text);

/** Write a text that is formatted as by printf(), escaped. */
__attribute__((format(printf, 2, 3))) void pp_html_textf(FILE *out, const char *format, ...);

/** Write an element: its begin tag, an escaped text, its end tag. @param tag With attributes: `td class="n"`.
 */
void pp_html_element(FILE *out, const char *tag, const char *text);

/** Write an element with a formatted text, as pp_html_element(). */
__attribute__((format(printf, 3, 4))) void pp_html_elementf(FILE *out, const char *tag, const char *format,
                                                            ...);

/** Write a value as JSON that cannot end a script element. In texts, control characters other than tab and
 * line break, and characters that pp_printable_next() refuses, become '?'. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_html_json(FILE *out, const json_t *value);

#endif
