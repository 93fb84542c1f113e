/** @file
 * Overhead of passprobe and what it lost, as parts of the summary, and where session.json has that. See also
 * report.h. */
#ifndef PP_CLI_PRINT_COST_H
#define PP_CLI_PRINT_COST_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/session/saved_session.h"

/** If overhead dominates, print a warning that FPS does not describe the application. */
void pp_cost_print_burden(FILE *out, const struct pp_saved_session *rec);

/** Print one line on what measuring cost and on what was lost. @param verbose Also print the overhead on the
 * CPU and the GPU in detail. */
void pp_cost_print(FILE *out, const struct pp_saved_session *rec, bool verbose);

/** The object of session.json with the cost of the frames that the figures describe, by its path: the frames
 * inside the recorded window, or all but the first ones; if it has neither, the whole session. Static. */
const char *pp_cost_path(const struct pp_saved_session *rec);

#endif
