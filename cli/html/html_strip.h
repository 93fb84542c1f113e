/** @file
 * The frame times as a picture, for readers without scripts and for print. */
#ifndef PP_CLI_HTML_HTML_STRIP_H
#define PP_CLI_HTML_HTML_STRIP_H

#include <jansson.h>
#include <stdio.h>

/** Write a picture of the frame times of each surface, as SVG. */
void pp_html_put_strip(FILE *out, const json_t *data);

#endif
