/** @file
 * Prints what the limits of `diff --fail-above` say. See compare/limit_check.h. */
#ifndef PP_CLI_PRINT_DIFF_LIMITS_H
#define PP_CLI_PRINT_DIFF_LIMITS_H

#include <stdio.h>

#include "cli/compare/limit_check.h"

/** Print each limit with the rows above it, or else with its worst row. Prints nothing without limits. */
void pp_diff_limits_print(FILE *out, const struct pp_limit_checks *checks);

/** Print on stderr which limits could not be judged, where a row above its limit may be chance, and the notes
 * of limits. */
void pp_diff_limits_warn(const struct pp_limit_checks *checks);

#endif
