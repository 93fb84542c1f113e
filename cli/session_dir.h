/** @file
 * Room: the directory that a session is written to, from the outside: made before CMD starts, mended after it
 * ended. The files in it are made by the recording process (core/session.c). Next room: recording.h reads
 * them.
 */
#ifndef PP_CLI_SESSION_DIR_H
#define PP_CLI_SESSION_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A prepared directory. */
struct pp_session_dir {
    char path[PATH_MAX]; /**< absolute */
    int claim_fd;        /**< holds other passprobe commands off until the process ends; -1: none */
    bool beside;         /**< the one asked for is in use: this one is called PATH-PID */
};

/** Room for why something went wrong: one line. */
#define PP_SESSION_DIR_WHY 512

/**
 * Make @p output an empty directory; its parent must exist. One that holds a session becomes DIR.old.
 *
 * Nothing that is not passprobe's is moved or deleted: a file, a symbolic link or a directory with other
 * files in it is an error. One that another command or a living process uses is left alone: DIR-PID is taken
 * instead. See core/dir.h, which does the moving.
 *
 * @param output  As given.
 * @param ret_dir Filled in on success.
 * @param why     PP_SESSION_DIR_WHY bytes; what is wrong, written only on failure.
 * @retval 0       It is there, empty and writable.
 * @retval -errno  See @p why.
 */
__attribute__((warn_unused_result)) int pp_session_dir_prepare(const char *output,
                                                               struct pp_session_dir *ret_dir, char *why);

/** A new directory under $TMPDIR or /tmp, for `stat` where the usual place is not writable. */
__attribute__((warn_unused_result)) int pp_session_dir_temporary(struct pp_session_dir *ret_dir);

/** One session of a run. */
struct pp_session_found {
    char path[PATH_MAX];
    uint64_t frames; /**< rows in frames.csv */
};

/** Sessions that are named; of more only the number is known. */
#define PP_SESSIONS_NAMED 9

/** The sessions of one run. */
struct pp_sessions {
    struct pp_session_found by_frames[PP_SESSIONS_NAMED]; /**< the one with the most frames first; it is the
                                                             directory itself if no process left anything */
    size_t found;                                         /**< sessions with a frames.csv */
};

/**
 * Find what the processes of a run left: the first one to make a graphics device writes into the directory,
 * later ones into PATH.PID (core/dir.h).
 *
 * @param since_s  Nothing older is of this run: seconds, CLOCK_REALTIME.
 */
void pp_session_dir_find(const struct pp_session_dir *dir, int64_t since_s, struct pp_sessions *ret);

/** Delete a temporary directory, the sessions that other processes left beside it, and the files in them. */
void pp_session_dir_delete(const struct pp_session_dir *dir);

/** Remove the directory if nothing was written into it. */
void pp_session_dir_drop_empty(const struct pp_session_dir *dir);

/**
 * Cut the last row of every CSV file in @p path if a killed program left it unfinished.
 *
 * @return Number of files that were cut; -EBUSY if a process still writes; -errno if the directory cannot be
 * read.
 */
int pp_session_dir_mend(const char *path);

/**
 * Length of the whole rows at the begin of CSV text (RFC 4180: a line break inside quotes ends no row).
 *
 * @param quoted In and out: are we inside quotes; false at the begin of a file.
 * @return Bytes up to and with the last line break outside quotes; 0 if there is none.
 */
size_t pp_csv_whole_rows(const char *text, size_t len, _Bool *quoted);

#endif
