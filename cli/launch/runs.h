/** @file
 * Several runs, one after another, each into a session directory of its own. Repeated runs: one command or
 * two, several times, into the sessions of a folder; warm-up runs come first. Two commands take turns in
 * balanced order (A B B A A B B A), so that a machine that becomes slower slows both. Set runs (`record
 * --runs-for`): CMD once without hardware counters, and once for each counter set that its events need. What
 * the sets are is known only when CMD has run: its session says how many there are. cli/merge/ merges them.
 * See also run.h, which does a single run. */
#ifndef PP_CLI_LAUNCH_RUNS_H
#define PP_CLI_LAUNCH_RUNS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

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

/** What the command line says about repeated runs. */
struct pp_runs_options {
    bool is_repeated;    /**< false: CMD runs once, into the directory of --output itself */
    unsigned runs;       /**< that count; 1 or more; with --until, at least this many */
    unsigned runs_most;  /**< with --until, at most this many; else as runs */
    double until;        /**< --until: share, 0.01 is 1 %; 0: not given */
    unsigned warm_ups;   /**< before them, whose sessions are deleted */
    bool ignore_failure; /**< the exit status of CMD does not matter */
    char discard[32];    /**< internal: value of --frames that --discard represents */
};

/**
 * Read the options of repeated runs. --discard becomes --frames or --delay of @p line. Prints what is wrong.
 *
 * @param line Borrows @p ret.
 * @param count Name of the option with the number of runs: "repeat" or "runs".
 * @param ret Filled in on success.
 * @retval 0, -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_runs_options_read(struct pp_command_line *line, const char *count,
                                                             struct pp_runs_options *ret);

/** Most commands that take turns. */
#define PP_RUNS_SIDES 2U

/** What a run left. */
struct pp_runs_left {
    uint64_t frames;
    bool discarded;             /**< all of them, by --discard, which was reported */
    char session[NAME_MAX + 1]; /**< name in the folder of the session with the most frames */
};

/** A run that counts, and has ended. */
struct pp_runs_ended {
    unsigned side;   /**< 0, or 1 for the second command */
    unsigned number; /**< of the side's runs; 1 is the first one */
    const struct pp_command_line *line;
    const struct pp_session_dir *dir;
    const struct pp_run *how; /**< CMD was executed */
};

/** What a command does with repeated runs. */
struct pp_runs_ops {
    /** Print what a run left, or why it left nothing, and note its figures. Mandatory. */
    void (*ended)(void *data, const struct pp_runs_ended *ended, struct pp_runs_left *ret);
    /** Note the figures of a run that counts. @param path Of its session. NULL: nothing. @retval 0. @retval
     * -errno They cannot be read, which was reported: no more runs. */
    int (*counted)(void *data, unsigned side, const char *path);
    /** With --until, after enough runs of each side: is what is known sure enough? NULL: never. */
    bool (*enough)(void *data);
};

/** Repeated runs. */
struct pp_runs {
    const struct pp_runs_options *options;
    const struct pp_command_line *line[PP_RUNS_SIDES]; /**< options and CMD of each side */
    unsigned sides;                                    /**< 1 or 2 */
    struct pp_session_dir *folder; /**< prepared as a session directory is; its path may change when the first
                                      run has a frame */
};

/** What became of repeated runs. */
struct pp_runs_end {
    int status;    /**< the exit status of passprobe: that of the first run that failed */
    int signal;    /**< SIGINT, SIGTERM, SIGHUP or SIGQUIT that ended them; 0: none */
    unsigned used; /**< runs that count: they have frames, did not fail and were not interrupted */
};

/**
 * Do the runs, and list them in runs.json of the folder (cli/session/runs_file.h). Reports which run was the
 * last one before its time, and on a terminal which run begins. An older session, or older runs, become
 * PATH.old when there is a frame. Without a session, the folder is removed.
 *
 * @param ret Filled in. @param data For @p ops.
 */
void pp_runs_run(const struct pp_runs *runs, const struct pp_runs_ops *ops, void *data,
                 struct pp_runs_end *ret);

#endif
