/** @file
 * What passprobe does while CMD runs: it gives the session directory its path, prints the lines of `stat -I`,
 * and ends CMD after its window. */
#ifndef PP_CLI_LAUNCH_RUN_WATCH_H
#define PP_CLI_LAUNCH_RUN_WATCH_H

#include "cli/analysis/live_interval.h"
#include "cli/launch/command_line.h"
#include "cli/launch/launch.h"
#include "cli/launch/session_dir.h"
#include "cli/launch/window_end.h"

/** The state of a watch. Begin with pp_run_watch_begin(). */
struct pp_run_watch {
    const struct pp_command_line *line; /**< borrowed */
    struct pp_session_dir *dir;         /**< borrowed */
    int64_t since_s;                    /**< CLOCK_REALTIME before CMD: no session of this run is older */
    int dir_fd;                         /**< session that is followed; owned; -1: none yet */
    struct pp_window_end end;           /**< of --frames and --duration, for --stop */
    struct pp_live_interval interval;   /**< for --interval-print */
    uint64_t begin_ns, next_ns;         /**< CLOCK_MONOTONIC: CMD's start, and the next line */
    bool stopped;                       /**< CMD got SIGTERM, because of --stop */
    uint64_t stopped_ns;                /**< CLOCK_MONOTONIC: when */
    bool killed;                        /**< CMD went on after SIGTERM, and got SIGKILL */
};

/** Begin, right before CMD starts. */
void pp_run_watch_begin(struct pp_run_watch *watch, const struct pp_command_line *line,
                        struct pp_session_dir *dir);

/** Is there something to do while CMD runs? */
bool pp_run_watch_needed(const struct pp_run_watch *watch);

/** pp_launch_tick.call, for a struct pp_run_watch. */
bool pp_run_watch_tick(void *watch, int pid);

/** Print the line of the last interval, and free everything; `stopped` stays. CMD has ended. */
void pp_run_watch_finish(struct pp_run_watch *watch);

#endif
