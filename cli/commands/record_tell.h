/** @file
 * What `record`, and `stat` after each of several runs, print about the session that a run has left. */
#ifndef PP_CLI_COMMANDS_RECORD_TELL_H
#define PP_CLI_COMMANDS_RECORD_TELL_H

#include <stdbool.h>

#include "cli/launch/command_line.h"
#include "cli/launch/launch.h"
#include "cli/launch/runs.h"
#include "cli/launch/session_dir.h"

/**
 * Print what is wrong with a run's session, or why there is none, and find the symbols of its call stacks. A
 * directory without data is removed.
 *
 * @param closing_line Also print the closing line of `record`: frames, passes, and where they are.
 * @param ret Filled in.
 */
void pp_record_tell(const struct pp_command_line *line, const struct pp_session_dir *dir,
                    const struct pp_run *run, bool closing_line, struct pp_runs_left *ret);

#endif
