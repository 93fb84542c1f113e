/** @file
 * A table of a report as CSV, for other programs: RFC 4180, one header row, an empty cell where a figure was
 * not measured. Prints the figures of analysis/; decides nothing. */
#ifndef PP_CLI_PRINT_REPORT_CSV_H
#define PP_CLI_PRINT_REPORT_CSV_H

#include <stdio.h>

#include "cli/analysis/view.h"
#include "cli/session/saved_session.h"

/**
 * Write the table that a view asks for: passes, unless it asks for something else. All rows are written.
 *
 * @param rec Its series get sorted.
 * @retval 0, -ENOMEM, -errno.
 */
__attribute__((warn_unused_result)) int pp_report_csv_write(FILE *out, struct pp_saved_session *rec,
                                                            const struct pp_view *view);

#endif
