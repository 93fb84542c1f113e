/** @file
 * What to run after an application has crashed: lines that a shell takes as they are printed. */
#ifndef PP_CLI_LAUNCH_CRASH_HINT_H
#define PP_CLI_LAUNCH_CRASH_HINT_H

#include "cli/launch/command_line.h"

/** Print the line that runs the application without passprobe, and the one that runs it with less of
 * passprobe: the command line with all of its options, at level `frame`, or with the times alone if that was
 * its level. */
void pp_crash_hint_print(const struct pp_command_line *line);

#endif
