/** @file
 * What `stat`, and `top` at the end of CMD, print about the session that a run has left: its summary. See
 * also record_tell.h, which prints a line. */
#ifndef PP_CLI_COMMANDS_RUN_SUMMARY_H
#define PP_CLI_COMMANDS_RUN_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

#include "cli/launch/command_line.h"
#include "cli/launch/run.h"
#include "cli/launch/runs.h"
#include "cli/launch/session_dir.h"

/** Print the summary of a run's session, or why there is none, and write the file of --json. Finds the
 * symbols of its call stacks. A directory without data is removed. @return What the run has left. */
struct pp_runs_left pp_run_summary_tell(const struct pp_command_line *line, const struct pp_session_dir *dir,
                                        const struct pp_run *run);

/** Open the file of --summary. @return stderr: there is none, or it cannot be written, which is reported. */
FILE *pp_summary_file_open(const struct pp_command_line *line);

/** Close what pp_summary_file_open() returned. */
void pp_summary_file_close(const struct pp_command_line *line, FILE *out);

/** Write the file of --json, which was given. @param json Its reference is taken; NULL: no memory. */
void pp_run_json_write(const struct pp_command_line *line, json_t *json);

#endif
