/** @file
 * What passprobe does while CMD runs: it gives the session directory its path, and ends CMD after its window.
 */
#ifndef PP_CLI_LAUNCH_RUN_WATCH_H
#define PP_CLI_LAUNCH_RUN_WATCH_H

#include "cli/launch/command_line.h"
#include "cli/launch/launch.h"
#include "cli/launch/session_dir.h"
#include "cli/launch/window_end.h"

/** The state of a watch. Set line, dir and since_s, and dir_fd to -1; the rest is zero at the begin. */
struct pp_run_watch {
    const struct pp_command_line *line; /**< borrowed */
    struct pp_session_dir *dir;         /**< borrowed */
    int64_t since_s;                    /**< CLOCK_REALTIME before CMD: no session of this run is older */
    int dir_fd;                         /**< session that is followed; owned; -1: none yet */
    struct pp_window_end end;           /**< of --frames and --duration, for --stop */
    bool stopped;                       /**< CMD got SIGTERM, because of --stop */
};

/** Is there something to do while CMD runs? */
bool pp_run_watch_needed(const struct pp_run_watch *watch);

/** pp_launch_tick.call, for a struct pp_run_watch. */
bool pp_run_watch_tick(void *watch, int pid);

/** Free everything; `stopped` stays. */
void pp_run_watch_finish(struct pp_run_watch *watch);

#endif
