/** @file
 * Where session.json has what measuring cost. Prints nothing. */
#ifndef PP_CLI_ANALYSIS_COST_PATH_H
#define PP_CLI_ANALYSIS_COST_PATH_H

#include "cli/session/saved_session.h"

/** The object of session.json with the cost of the frames that the figures describe, by its path: the frames
 * inside the recorded window, or all but the first ones; if it has neither, the whole session. Static. */
const char *pp_cost_path(const struct pp_saved_session *rec);

#endif
