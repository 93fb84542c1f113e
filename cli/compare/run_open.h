/** @file
 * Finds a session, an archive or a summary, and takes the figures of the run. See run.h. */
#ifndef PP_CLI_COMPARE_RUN_OPEN_H
#define PP_CLI_COMPARE_RUN_OPEN_H

#include "cli/compare/run.h"
#include "cli/session/frame_window.h"

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

#endif
