/** @file
 * What stat, record and doctor share: run CMD profiled, into a directory, and clean up behind it. */
#ifndef PP_CLI_LAUNCH_RUN_H
#define PP_CLI_LAUNCH_RUN_H

#include <stdbool.h>

#include "cli/launch/launch.h"
#include "cli/launch/options.h"
#include "cli/launch/session_dir.h"
#include "cli/session/session_read.h"

/**
 * Run the invocation's command with everything in place for it to be caught, and mend the session behind it.
 *
 * Says what went wrong: passprobe's own libraries missing, CMD not found or not executable.
 *
 * @param ret_run  Its exit_status is what the command should return; exec_errno tells whether CMD ran.
 * @retval 0       CMD ran, or could not be executed.
 * @retval -errno  passprobe failed, and has said so.
 */
__attribute__((warn_unused_result)) int
pp_run_profiled(const struct pp_invocation *inv, const struct pp_session_dir *dir, struct pp_run *ret_run);

/** Is the session directory gone? Then a line says so. */
bool pp_run_tell_gone(const struct pp_session_dir *dir);

/** Say so if frames.csv was removed from a session that had frames. @return It was: the rest of the session
 * is to be kept. */
bool pp_run_tell_frames_gone(const struct pp_recording *rec, const char *dir);

/** Where a signal ended CMD: a line that says so, and, where it may be passprobe's doing, one on how to find
 * out. @param command As typed. */
void pp_run_tell_killed(const struct pp_run *run, const char *command);

/** Room for pp_run_ending()'s text. */
#define PP_ENDING_MAX 512

/**
 * Say how the recorded process ended, where its session has no regular end. The session knows only that the
 * exit handlers of the recorded process did not run; how CMD itself ended is known for CMD alone.
 *
 * @param text Filled: a sentence; "" where the session ended regularly. @param run How CMD ended. @param
 * command As typed. @return @p text.
 */
const char *pp_run_ending(char text[PP_ENDING_MAX], const struct pp_run *run, const char *command,
                          const struct pp_recording *rec);

/** One line on why CMD left no data, with what to do next. @param run How it ended. @param command As typed.
 * @param rec What was read of the session; NULL: none. */
void pp_run_explain_no_data(const struct pp_invocation *inv, const struct pp_run *run, const char *command,
                            const struct pp_recording *rec);

/** Where reading a whole session back takes its time: a line that says so. @param dir Of the session. */
void pp_run_tell_reading(const char *dir);

/** Where several processes of CMD left sessions: how many, which one is summed up, and how to see the others.
 */
void pp_run_tell_others(const struct pp_sessions *sessions);

#endif
