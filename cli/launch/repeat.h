/** @file
 * Runs commands one after another, each into a session directory of its own. What is run, with
 * which options and how often, is the caller's decision, and so is what happens to each session. See also
 * run.h, which does a single run. */
#ifndef PP_CLI_LAUNCH_REPEAT_H
#define PP_CLI_LAUNCH_REPEAT_H

#include <limits.h>
#include <stdbool.h>

#include "cli/launch/command_line.h"
#include "cli/launch/launch.h"
#include "cli/launch/session_dir.h"

/** The next run. */
struct pp_repeat_step {
    const struct pp_command_line *line; /**< options and CMD of this run; borrowed until the run's end. A copy
                                           whose options were changed by pp_command_line_set() is possible */
    char name[NAME_MAX + 1];            /**< of the session directory, in the folder of the runs */
};

/** A run that has ended. */
struct pp_repeat_ended {
    unsigned run; /**< 0 is the first one */
    const struct pp_repeat_step *step;
    struct pp_session_dir *dir; /**< open until the callback returns */
    const struct pp_run *how;   /**< CMD was executed, or how->exec_errno says why not */
};

/** What a caller does before and after each run. Both are mandatory. Both may read files, print, and take
 * time. */
struct pp_repeat_ops {
    /** Choose the next run. @param run 0 is the first one. @param ret Zeroed. @return false: there are no
     * more runs. */
    bool (*next)(void *data, unsigned run, struct pp_repeat_step *ret);
    /** Use what a run left, or remove it. @return false: no more runs. */
    bool (*ended)(void *data, const struct pp_repeat_ended *ended);
};

/** How repeated runs ended. */
struct pp_repeat_end {
    unsigned runs; /**< that ended */
    int signal;    /**< SIGINT, SIGTERM, SIGHUP or SIGQUIT of passprobe, which ended them; 0: none */
};

/**
 * Do runs until a callback ends them. SIGINT, SIGTERM, SIGHUP or SIGQUIT ends them after the run that it
 * interrupts; between two runs these signals wait for the end of the callback. CMD inherits the signal mask
 * of the caller.
 *
 * @param folder Absolute path of an existing folder, in which the session directories are made. The text is
 * read before each run, so that a callback may rename the folder.
 * @param data For the callbacks.
 * @param ret Filled in, also on failure.
 * @retval 0       There are no more runs: `next` or `ended` returned false, or a signal came.
 * @retval -errno  passprobe failed, and has reported it: a session directory could not be made, or its
 * libraries are missing.
 */
__attribute__((warn_unused_result)) int pp_repeat(const char *folder, const struct pp_repeat_ops *ops,
                                                  void *data, struct pp_repeat_end *ret);

#endif
