/** @file
 * What `passprobe record` prints at the end of a run. */
#ifndef PP_CLI_COMMANDS_RECORD_TELL_H
#define PP_CLI_COMMANDS_RECORD_TELL_H

#include "cli/launch/runs.h"

/** Print a closing line as perf does, or why the run left no data. Looks up the symbols of call stacks.
 * @param ret Filled in. */
void pp_record_tell(const struct pp_command_line *line, const struct pp_session_dir *dir,
                    const struct pp_run *run, struct pp_runs_left *ret);

#endif
