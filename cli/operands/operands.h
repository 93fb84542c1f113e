/** @file
 * Module: the runs that a path or an address means, with their figures: of a session, an archive, a file of
 * summaries, a folder of any of these, a database. Prints nothing. */
#ifndef PP_CLI_OPERANDS_OPERANDS_H
#define PP_CLI_OPERANDS_OPERANDS_H

#include <stdio.h>

#include "cli/compare/run.h"
#include "cli/compare/trend.h"

/** Runs of one file at most. */
#define PP_RUN_FILE_RUNS_MOST 1024U

/** Open a path if it is a file in JSON. @return The caller closes it; NULL: it is none. */
FILE *pp_run_file_open(const char *path);

/**
 * Read the run of a session or of an archive, all runs of a file that `report --json` or `stat --json`
 * wrote, or those of an address of a database (run_open.c). A file may hold several summaries, one after the
 * other or as a list.
 *
 * @param path     NULL: the session that pp_session_open() finds.
 * @param window   Frames that count; NULL: all, or those of the recorded window. Only of sessions and
 * archives.
 * @param ret      The caller finishes each run, and frees the array; unchanged on failure.
 * @param ret_runs At least 1.
 * @param why      PP_RUN_WHY bytes: a whole message that names the run; set on failure.
 * @retval 0, -errno. @retval -EPROTO A newer passprobe wrote the session. @retval -EINVAL It cannot be used:
 * damaged, without frames, no such JSON, or a window of a summary.
 */
__attribute__((warn_unused_result)) int pp_run_figures_read(const char *path,
                                                            const struct pp_window_given *window,
                                                            struct pp_run_figures **ret, size_t *ret_runs,
                                                            char *why);

/** Read the run of a session, all runs of a file of summaries, or all runs of a folder of repeated runs that
 * count (session/runs_file.h), and append them to a side. @param why PP_RUN_WHY bytes. @retval As
 * pp_run_figures_read(). */
__attribute__((warn_unused_result)) int pp_diff_side_read(struct pp_diff_side *side, const char *path,
                                                          const struct pp_window_given *window, char *why);

/**
 * Read the points of a series.
 *
 * One path that is a folder without session.json: each session, archive, summary and folder of repeated runs
 * in it is a point; what cannot be read is left out. One path that is the address of a database: each build
 * in it is a point, with all of its sessions. Otherwise each path is a point. All runs of a file of
 * summaries are one point. So are the runs of a folder that count by its runs.json; without this file all
 * sessions of the folder do. Such a folder alone is no series. The points are in order of the time at which
 * their first run began; if a point has no such time, in the order of the names or paths. Points of another
 * device, API, resolution or level than the newest point are left out.
 *
 * @param window Frames that count, as for pp_run_figures_read().
 * @param ret    The caller finishes it whatever is returned.
 * @param why    PP_RUN_WHY bytes: a whole message; set on failure.
 * @retval 0, -ENOMEM, -errno. @retval -EINVAL A path cannot be read as a point, or there are too many.
 */
__attribute__((warn_unused_result)) int pp_trend_points_read(char *const *path, size_t paths,
                                                             const struct pp_window_given *window,
                                                             struct pp_trend_points *ret, char *why);

/**
 * Take the rows that run_figures.sql gives: an object in JSON on each line. The answer of a database is not
 * trusted: it becomes the JSON of reports, which is checked like that of any file. A part of
 * pp_run_figures_read(); opens nothing.
 *
 * @param address  Names the runs in messages.
 * @param ret      The caller finishes each run, and frees the array; unchanged on failure.
 * @param ret_runs At least 1.
 * @param why      PP_RUN_WHY bytes: a whole message; set on failure.
 * @retval 0, -ENOMEM. @retval -EINVAL A row is something else, there is none, or they belong to several GPUs
 * or drivers. @retval -E2BIG There are too many.
 */
__attribute__((warn_unused_result)) int pp_fleet_rows_take(const char *address, const char *text,
                                                           struct pp_run_figures **ret, size_t *ret_runs,
                                                           char *why);

#endif
