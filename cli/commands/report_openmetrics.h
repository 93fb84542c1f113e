/** @file
 * `passprobe report --openmetrics`: a few figures of a session, for Prometheus. */
#ifndef PP_CLI_COMMANDS_REPORT_OPENMETRICS_H
#define PP_CLI_COMMANDS_REPORT_OPENMETRICS_H

#include <stdbool.h>

#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/** Is this a name that node_exporter reads: does it end in ".prom"? */
bool pp_report_openmetrics_is_name(const char *file);

/** Write the file, in place of an older one, in one step. Prints what fails. @param dir Path of the session,
 * for messages. @return Exit status. */
__attribute__((warn_unused_result)) int pp_report_openmetrics(struct pp_saved_session *rec, const char *dir,
                                                              const char *file, const struct pp_view *view);

#endif
