/** @file
 * The options of repeated runs: --repeat, --warm-up, --discard, --ignore-failure. See also runs.h. */
#ifndef PP_CLI_LAUNCH_RUNS_OPTIONS_H
#define PP_CLI_LAUNCH_RUNS_OPTIONS_H

#include <stdbool.h>

#include "cli/launch/command_line.h"

/** Most runs, and most warm-up runs. */
#define PP_RUNS_MAX 999U

/** What the command line says about repeated runs. */
struct pp_runs_options {
    bool is_repeated;    /**< false: CMD runs once, into the directory of --output itself */
    unsigned runs;       /**< that count; 1 or more */
    unsigned warm_ups;   /**< before them, whose sessions are deleted */
    bool ignore_failure; /**< the exit status of CMD does not matter */
    char discard[32];    /**< internal: value of --frames that --discard stands for */
};

/**
 * Read the options of repeated runs. --discard becomes --frames or --delay of @p line. Prints what is wrong.
 *
 * @param line Borrows @p ret.
 * @param ret Filled in on success.
 * @retval 0, -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_runs_options_read(struct pp_command_line *line,
                                                             struct pp_runs_options *ret);

#endif
