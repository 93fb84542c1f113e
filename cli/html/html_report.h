/** @file
 * A session as one HTML page that needs no other file and no network. Prints nothing else. See README.md. */
#ifndef PP_CLI_HTML_HTML_REPORT_H
#define PP_CLI_HTML_HTML_REPORT_H

#include <jansson.h>
#include <stdio.h>

/** Write the page. @param data As pp_html_data_make() makes it. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_html_report_write(FILE *out, const json_t *data);

#endif
