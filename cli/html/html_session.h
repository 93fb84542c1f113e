/** @file
 * Parts of the page about the session: what was not measured, and on which machine it was recorded. */
#ifndef PP_CLI_HTML_HTML_SESSION_H
#define PP_CLI_HTML_HTML_SESSION_H

#include <jansson.h>
#include <stdio.h>

/** Write what was not measured, with the reasons, what was lost, and what measuring cost. */
void pp_html_put_missing(FILE *out, const json_t *data);

/** Write machine, driver and options. */
void pp_html_put_machine(FILE *out, const json_t *data);

#endif
