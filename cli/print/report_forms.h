/** @file
 * A report in forms of other programs. As CSV: one table, RFC 4180, one header row, an empty cell where a
 * figure was not measured. A few figures for Prometheus: the text that node_exporter's textfile collector and
 * promtool read. Prints the figures of analysis/; decides nothing. */
#ifndef PP_CLI_PRINT_REPORT_FORMS_H
#define PP_CLI_PRINT_REPORT_FORMS_H

#include <jansson.h>
#include <stdio.h>

#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/**
 * Write the table that a view asks for: passes, unless it asks for something else. All rows are written.
 *
 * @param rec Its series get sorted.
 * @retval 0, -ENOMEM, -errno.
 */
__attribute__((warn_unused_result)) int pp_report_csv_write(FILE *out, struct pp_saved_session *rec,
                                                            const struct pp_view *view);

/**
 * Write the figures: about 25 series, whatever the session holds. They describe the surface with the most GPU
 * time. A figure that is not known has no series. The names of the series are in docs/fleet.md.
 *
 * @param report  Made by pp_report_json_make().
 * @param session session.json, for its tags.
 */
void pp_openmetrics_write(FILE *out, const json_t *report, const json_t *session);

#endif
