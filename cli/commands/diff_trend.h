/** @file
 * `passprobe diff --trend`: since which builds are figures slower or faster? */
#ifndef PP_CLI_COMMANDS_DIFF_TREND_H
#define PP_CLI_COMMANDS_DIFF_TREND_H

#include "cli/commands/diff.h"

/** Read the points, find their changes, write them. @return Exit status. */
int pp_diff_trend(const struct pp_diff_command *command);

#endif
