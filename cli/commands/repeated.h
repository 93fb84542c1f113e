/** @file
 * Repeated runs of one command, for `stat -r` and `record -r`: their figures, and how long --until goes on.
 */
#ifndef PP_CLI_COMMANDS_REPEATED_H
#define PP_CLI_COMMANDS_REPEATED_H

#include <stdbool.h>

#include "cli/compare/run.h"
#include "cli/launch/runs.h"

/** Repeated runs. The first two members are set before, the others are 0 then. */
struct pp_repeated_runs {
    bool closing_line;        /**< print the closing line of `record` after each run */
    bool figures;             /**< read the figures of each run */
    double until;             /**< share; internal */
    struct pp_diff_side side; /**< figures of the runs that count */
};

/** Run CMD as the options say. Reports what goes wrong, and if --until was not reached. @param dir Prepared;
 * the folder of the runs. @param ret Filled in. */
void pp_repeated_run(struct pp_repeated_runs *repeated, const struct pp_command_line *line,
                     const struct pp_runs_options *options, struct pp_session_dir *dir,
                     struct pp_runs_end *ret);

/** Free the figures. */
void pp_repeated_finish(struct pp_repeated_runs *repeated);

#endif
