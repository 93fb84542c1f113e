/** @file
 * Writes a page: a template, and what is at its places. Knows no session. */
#ifndef PP_CLI_HTML_HTML_TEMPLATE_H
#define PP_CLI_HTML_HTML_TEMPLATE_H

#include <jansson.h>
#include <stdio.h>

/** A place of a template: the comment `<!--NAME-->`. */
struct pp_html_place {
    const char *name;
    void (*put)(FILE *out, const json_t *data);
};

/** Write a page. At the place `data`, the data are JSON. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_html_template_write(FILE *out, const char *page,
                                                               const struct pp_html_place *place,
                                                               size_t places, const json_t *data);

#endif
