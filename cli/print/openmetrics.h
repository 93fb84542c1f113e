/** @file
 * A few figures of a session for Prometheus: the text that node_exporter's textfile collector and promtool
 * read. Prints nothing by itself. */
#ifndef PP_CLI_PRINT_OPENMETRICS_H
#define PP_CLI_PRINT_OPENMETRICS_H

#include <jansson.h>
#include <stdio.h>

/**
 * Write the figures: about 25 series, whatever the session holds. They describe the surface with the most GPU
 * time. A figure that is not known has no series. The names of the series are in docs/fleet.md.
 *
 * @param report  Made by pp_report_json_make().
 * @param session session.json, for its tags.
 */
void pp_openmetrics_write(FILE *out, const json_t *report, const json_t *session);

#endif
