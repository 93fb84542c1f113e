/** @file
 * The level whose frames represent all frames of a surface. Finer brackets change the times that they
 * measure, so no figure mixes levels. */
#ifndef PP_CLI_SESSION_LEVELS_H
#define PP_CLI_SESSION_LEVELS_H

#include "cli/session/saved_session.h"

/** Find the coarsest level whose frames may represent all frames. @param frames Number of frames by level. */
size_t pp_levels_coarsest(const size_t frames[PP_SAVED_LEVELS]);

/** The level whose frames give the frame times and CPU times of a surface. */
size_t pp_levels_cpu(const struct pp_saved_surface *s);

#endif
