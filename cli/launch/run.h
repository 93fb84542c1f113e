/** @file
 * What stat, record and doctor share: run CMD profiled, into a directory, and clean up afterwards. */
#ifndef PP_CLI_LAUNCH_RUN_H
#define PP_CLI_LAUNCH_RUN_H

#include <stdbool.h>

#include "cli/launch/command_line.h"
#include "cli/launch/launch.h"
#include "cli/launch/session_dir.h"
#include "cli/session/saved_session.h"

/**
 * Run the invocation's command in an environment in which it is measured, and repair the session afterwards.
 * Reports what went wrong: passprobe's own libraries missing, CMD not found or not executable.
 *
 * @param ret_run exit_status is what the command should return; exec_errno shows whether CMD ran.
 * @retval 0 CMD ran, or could not be executed.
 * @retval -errno passprobe failed, and has reported it.
 */
__attribute__((warn_unused_result)) int pp_run_profiled(const struct pp_command_line *line,
                                                        struct pp_session_dir *dir, struct pp_run *ret_run);

/** What else to do while CMD runs. */
struct pp_run_also {
    int interval_ms;
    /** Called after each interval. @param pid Of CMD, which may be sent signals. @return true: call it again;
     * false: no more. */
    bool (*call)(void *data, int pid, const struct pp_session_dir *dir);
    void *data;
};

/** Run CMD as pp_run_profiled() does. @param also NULL: nothing. */
__attribute__((warn_unused_result)) int pp_run_profiled_with(const struct pp_command_line *line,
                                                             struct pp_session_dir *dir,
                                                             const struct pp_run_also *also,
                                                             struct pp_run *ret_run);

/** Report where the session is that had the directory before. */
void pp_run_print_previous(const struct pp_session_dir *dir);

/** Is the session directory gone? Reports it. */
bool pp_run_print_gone(const struct pp_session_dir *dir);

/** Report that frames.csv was removed from a session that had frames. @return true: it was removed; the rest
 * of the session must be kept. */
bool pp_run_print_frames_gone(const struct pp_saved_session *rec, const char *dir);

/** Report that a signal ended CMD. If passprobe may be the cause, also report how to find out. @param command
 * As typed. */
void pp_run_print_killed(const struct pp_command_line *line, const struct pp_run *run, const char *command);

/** Size of pp_run_ending()'s text. */
#define PP_ENDING_MAX 512

/**
 * Say how the recorded process ended, where its session has no regular end. The session knows only that the
 * exit handlers of the recorded process did not run; how CMD itself ended is known for CMD alone.
 *
 * @param text Filled: a sentence; "" where the session ended regularly. @param run How CMD ended. @param
 * command As typed. @return @p text.
 */
const char *pp_run_ending(char text[PP_ENDING_MAX], const struct pp_run *run, const char *command,
                          const struct pp_saved_session *rec);

/** Report that no frame was in the window of --frames, --delay, --every or --slower-than, where that is so.
 */
void pp_run_print_window(const struct pp_saved_session *rec);

/** Report that --discard leaves no frame of a session that has frames. @return true: so it is; no figure is
 * known then. */
bool pp_run_print_discarded(const struct pp_command_line *line, const struct pp_saved_session *rec);

/** Compare the number of recorded frames with --require-frames. Reports it if there are too few. @return The
 * exit status of the command: that of CMD, or PP_EXIT_FAILED. */
int pp_run_status(const struct pp_command_line *line, const struct pp_run *run, uint64_t frames);

/** Report a process that CMD left behind, and where its session will be. @param command As typed. @return
 * true: there is one; the session directory must be kept. */
bool pp_run_print_left_behind(const struct pp_session_dir *dir, const char *command);

/** One line on why CMD left no data, with what to do next. @param run How it ended. @param command As typed.
 * @param rec What was read of the session; NULL: none. */
void pp_run_explain_no_data(const struct pp_command_line *line, const struct pp_run *run, const char *command,
                            const struct pp_saved_session *rec);

/** Report why reading a whole session takes time, where it does. @param dir Of the session. */
void pp_run_print_reading(const char *dir);

/** Report how many sessions the processes of CMD left, which one is summarized, and how to see the others. */
void pp_run_print_others(const struct pp_sessions *sessions);

#endif
