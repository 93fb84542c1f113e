/** @file
 * What commands do at the end of a run, or of repeated runs: they keep the symbols of call stacks in the
 * session, and print a closing line, a summary, or what is wrong with the session. */
#ifndef PP_CLI_COMMANDS_RUN_SUMMARY_H
#define PP_CLI_COMMANDS_RUN_SUMMARY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/compare/run.h"
#include "cli/launch/command_line.h"
#include "cli/launch/launch.h"
#include "cli/launch/run.h"
#include "cli/launch/runs.h"
#include "cli/launch/session_dir.h"

/** Write symbols.csv into each session that has call stacks, unless --symbols=later was given. Prints a
 * message where this fails: `passprobe annotate` then looks for symbols itself. */
void pp_keep_symbols(const struct pp_command_line *line, const struct pp_sessions *sessions);

/**
 * Print what is wrong with a run's session, or why there is none, and find the symbols of its call stacks. A
 * directory without data is removed.
 *
 * @param closing_line Also print the closing line of `record`: frames, passes, and where they are.
 * @param ret Filled in.
 */
void pp_record_tell(const struct pp_command_line *line, const struct pp_session_dir *dir,
                    const struct pp_run *run, bool closing_line, struct pp_runs_left *ret);

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

/** Print the summary of a run's session, or why there is none, and write the file of --json. Finds the
 * symbols of its call stacks. A directory without data is removed. @return What the run has left. */
struct pp_runs_left pp_run_summary_tell(const struct pp_command_line *line, const struct pp_session_dir *dir,
                                        const struct pp_run *run);

/** Run CMD once. @param dir Prepared. @param summary Print the summary, else as pp_record_tell() with a
 * closing line. @return Exit status. */
int pp_run_once(const struct pp_command_line *line, struct pp_session_dir *dir, bool summary);

/** Open the file of --summary. @return stderr: there is none, or it cannot be written, which is reported. */
FILE *pp_summary_file_open(const struct pp_command_line *line);

/** Close what pp_summary_file_open() returned. */
void pp_summary_file_close(const struct pp_command_line *line, FILE *out);

/** Write the file of --json, which was given. @param json Its reference is taken; NULL: no memory. */
void pp_run_json_write(const struct pp_command_line *line, json_t *json);

#endif
