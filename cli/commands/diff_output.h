/** @file
 * What `passprobe diff` writes, and its exit status. */
#ifndef PP_CLI_COMMANDS_DIFF_OUTPUT_H
#define PP_CLI_COMMANDS_DIFF_OUTPUT_H

#include "cli/commands/diff.h"

/** Write a comparison: as text, JSON, Markdown, JUnit XML or a web page. @return Exit status, as that of
 * diff(1): 0 nothing is slower, or all limits are kept; 1 something is; 2 the sides are not comparable, or a
 * limit has no row to check; PP_EXIT_FAILED: a message was printed. */
int pp_diff_output(struct pp_diff *diff, const struct pp_diff_command *command);

/** There is no comparison, because a side could not be read or has nothing of what is compared: say so in the
 * files that were asked for, and on stderr. @return Exit status.
 */
int pp_diff_output_not_compared(const struct pp_diff_command *command, const char *why);

#endif
