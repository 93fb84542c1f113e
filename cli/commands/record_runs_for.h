/** @file
 * `passprobe record --runs-for`: one run for each counter set, merged into one session. */
#ifndef PP_CLI_COMMANDS_RECORD_RUNS_FOR_H
#define PP_CLI_COMMANDS_RECORD_RUNS_FOR_H

#include "cli/launch/runs.h"

/** Run CMD once without hardware counters, and once for each counter set that the events need here. Merge the
 * sessions. @return Exit status. */
int pp_record_runs_for(const struct pp_command_line *line, const struct pp_runs_options *options);

#endif
