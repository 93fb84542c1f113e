/** @file
 * What could not be measured, and why, as stat, record and report print it. See also damage.h. */
#ifndef PP_CLI_PRINT_NOT_MEASURED_H
#define PP_CLI_PRINT_NOT_MEASURED_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/session/saved_session.h"

/** Print which events are missing: in one line, or with @p reasons a block for each reason. Nothing if
 * nothing is missing. */
void pp_not_measured_print(FILE *out, const struct pp_saved_session *rec, bool reasons);

/** Print a line for each reason on stderr. */
void pp_not_measured_message(const struct pp_saved_session *rec);

#endif
