/** @file
 * Runs CMD once without hardware counters, and once for each counter set that its events need
 * (`record --runs-for`). What the sets are is known only when CMD has run: its session says how many there
 * are. See also repeat.h, which does the runs, and cli/merge/, which merges them. */
#ifndef PP_CLI_LAUNCH_SET_RUNS_H
#define PP_CLI_LAUNCH_SET_RUNS_H

#include <limits.h>
#include <stdbool.h>

#include "cli/launch/command_line.h"
#include "cli/launch/launch.h"
#include "cli/launch/session_dir.h"

/** A run that is merged. */
struct pp_set_run {
    struct pp_session_dir dir; /**< has its own descriptors */
    int fd;                    /**< of the session that is merged; owned; -1: the run left none */
    char path[PATH_MAX];       /**< of that session */
    uint64_t frames;
};

/** The runs. */
struct pp_set_runs {
    /* set by the caller */
    const struct pp_command_line *line; /**< options and CMD; `events` has all events */
    const char *folder;                 /**< absolute path of an existing folder, for the sessions */
    bool ignore_failure;                /**< the exit status of CMD does not matter */
    /* filled in */
    struct pp_set_run *run; /**< owned */
    unsigned runs;          /**< number 0 is without counters, and may have failed; others were complete */
    unsigned wanted;        /**< that the events need; 0: not known, because no run was complete */
    struct pp_run first;    /**< how the first run ended */
    bool first_ended;       /**< first is set */
    int status;             /**< exit status of passprobe: that of the first run that failed */
    char ended[128];        /**< why there are fewer runs than wanted; "": there are not */
    /* internal */
    struct pp_command_line current;
    char number[16];
};

/** Do the runs. Prints which run failed, and on a terminal which run begins. A run that fails or is
 * interrupted is the last one; unless it is the first one, it is none of `run`. @retval 0 @retval -errno
 * passprobe failed, and has reported it; what is filled in is valid. */
__attribute__((warn_unused_result)) int pp_set_runs_do(struct pp_set_runs *runs);

/** Close the sessions, and free the memory. @param keep false: delete the sessions. */
void pp_set_runs_finish(struct pp_set_runs *runs, bool keep);

#endif
