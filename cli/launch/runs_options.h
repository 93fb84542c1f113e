/** @file
 * The options of repeated runs: --repeat, --warm-up, --discard, --ignore-failure, --until, --max-runs. See
 * also runs.h. */
#ifndef PP_CLI_LAUNCH_RUNS_OPTIONS_H
#define PP_CLI_LAUNCH_RUNS_OPTIONS_H

#include <stdbool.h>

#include "cli/launch/command_line.h"

/** The fewest runs with --until. */
#define PP_RUNS_UNTIL_LEAST 3U

/** What the command line says about repeated runs. */
struct pp_runs_options {
    bool is_repeated;    /**< false: CMD runs once, into the directory of --output itself */
    unsigned runs;       /**< that count; 1 or more; with --until, at least this many */
    unsigned runs_most;  /**< with --until, at most this many; else as runs */
    double until;        /**< --until: share, 0.01 is 1 %; 0: not given */
    unsigned warm_ups;   /**< before them, whose sessions are deleted */
    bool ignore_failure; /**< the exit status of CMD does not matter */
    char discard[32];    /**< internal: value of --frames that --discard represents */
};

/**
 * Read the options of repeated runs. --discard becomes --frames or --delay of @p line. Prints what is wrong.
 *
 * @param line Borrows @p ret.
 * @param count Name of the option with the number of runs: "repeat" or "runs".
 * @param ret Filled in on success.
 * @retval 0, -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_runs_options_read(struct pp_command_line *line, const char *count,
                                                             struct pp_runs_options *ret);

#endif
