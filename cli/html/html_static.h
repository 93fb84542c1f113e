/** @file
 * The parts of the page that need no script: what ran, verdict, strip, tables, machine, what was not
 * measured. They are made from the same data that the scripts read. */
#ifndef PP_CLI_HTML_HTML_STATIC_H
#define PP_CLI_HTML_HTML_STATIC_H

#include <jansson.h>
#include <stdio.h>

/** Write the name of the session's application. */
void pp_html_put_title(FILE *out, const json_t *data);

/** Write what was run, when and on what. */
void pp_html_put_run(FILE *out, const json_t *data);

/** Write the verdict of each surface: rates, times, what bounds the frames. */
void pp_html_put_verdict(FILE *out, const json_t *data);

/** Write the slow frames, the most expensive passes and label regions, the counters. */
void pp_html_put_slow(FILE *out, const json_t *data);
void pp_html_put_passes(FILE *out, const json_t *data);
void pp_html_put_labels(FILE *out, const json_t *data);
void pp_html_put_counters(FILE *out, const json_t *data);

#endif
