/** @file
 * The directory of a session, from the outside: made before CMD starts; its CSV files repaired after CMD was
 * killed. The recording process makes the files in it (core/session/session.c). See also saved_session.h,
 * which reads them. Other users may put links and directories where a session is expected, above all in /tmp.
 * Therefore the directory and its parent folder are held open, and all work is relative to them. Files and
 * directories of other users are never read, changed or deleted. */
#ifndef PP_CLI_LAUNCH_SESSION_DIR_H
#define PP_CLI_LAUNCH_SESSION_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A prepared directory. Its descriptors stay open until pp_session_dir_close(), or until the process ends.
 */
struct pp_session_dir {
    char path[PATH_MAX];     /**< absolute */
    int fd;                  /**< the directory; its lock keeps other passprobe commands away */
    int parent_fd;           /**< the folder that it is in */
    char wanted[PATH_MAX];   /**< the path that it gets when it has a frame; "": it has it already */
    char staged[PATH_MAX];   /**< the path that it had before; "": always the same */
    char previous[PATH_MAX]; /**< where the older session of that path is since then; "": there was none */
    int64_t since_ns;      /**< when it was prepared: CLOCK_REALTIME_COARSE, by which files get their times */
    unsigned folders_made; /**< that lead to the directory, and did not exist */
    bool replaces_busy;    /**< the requested directory is in use: this one is called PATH-PID */
    bool temporary;        /**< its parent folder is private and was made for it */
};

/** Size of the text that says what went wrong: one line. */
#define PP_SESSION_DIR_WHY 512

/**
 * Make @p output an empty directory. If it holds a session, another directory is made next to it, which
 * replaces it in pp_session_dir_replace_older().
 *
 * Only files of passprobe are moved or deleted. It is an error if @p output is a file, a symbolic link, a
 * directory with other files in it, or a directory of another user. A directory that another command or a
 * living process uses is left alone, and DIR-PID is used instead. Waits for no lock. See
 * core/config/session_dir.h, which does the moving.
 *
 * @param output  As given; %e, %p and %t are replaced (core/config/session_place.h), and missing folders
 * made.
 * @param program CMD, for %e.
 * @param ret_dir Filled in on success.
 * @param why     PP_SESSION_DIR_WHY bytes; what is wrong, written only on failure.
 * @retval 0       It is there, empty and writable.
 * @retval -errno  See @p why.
 */
__attribute__((warn_unused_result)) int pp_session_dir_prepare(const char *output, const char *program,
                                                               struct pp_session_dir *ret_dir, char *why);

/** A new directory, in a new private folder (mode 0700) under $TMPDIR or /tmp: for `stat` where the usual
 * place is not writable, and for `doctor`. */
__attribute__((warn_unused_result)) int pp_session_dir_temporary(struct pp_session_dir *ret_dir);

/** One session of a run. */
struct pp_session_found {
    char path[PATH_MAX];
    int fd;          /**< the directory, to read it by; owned; -1: it is not there any more */
    uint64_t frames; /**< rows in frames.csv */
};

/** Most sessions that a struct pp_sessions names; further sessions are only counted. */
#define PP_SESSIONS_NAMED 9

/** The sessions of one run. */
struct pp_sessions {
    struct pp_session_found by_frames[PP_SESSIONS_NAMED]; /**< the one with the most frames first; it is the
                                                             directory itself if no process left anything */
    size_t found;                                         /**< sessions with a frames.csv */
};

/**
 * Find what the processes of a run left: the first one to make a graphics device writes into the directory,
 * later ones into PATH.PID (core/config/session_dir.h). Directories of other users are not looked at.
 * Nothing older than the preparation of the directory belongs to the run.
 */
void pp_session_dir_find(const struct pp_session_dir *dir, struct pp_sessions *ret);

/**
 * Find the session that grows while CMD runs: the one with the largest frames.csv. Changes nothing in it.
 *
 * @return Descriptor of its directory, owned by the caller; -1: there is none yet.
 */
int pp_session_dir_growing(const struct pp_session_dir *dir);

/** Close the descriptors of pp_session_dir_find(). */
void pp_sessions_finish(struct pp_sessions *sessions);

/** Is the prepared directory still what its path leads to? It may have been removed or replaced meanwhile. */
bool pp_session_dir_is_there(const struct pp_session_dir *dir);

/** Delete a temporary directory and the sessions that other processes left next to it: a session's files, and
 * directories that are then empty. */
void pp_session_dir_delete(const struct pp_session_dir *dir);

/**
 * If a process of the run has written a frame, give the directory the path that was asked for: an older
 * session there becomes PATH.old. Does nothing if it has the path already. Call it from time to time while
 * CMD runs, and after its end.
 *
 * @param last CMD has ended: sessions of its other processes are renamed, too.
 * @return true: there is nothing more to do.
 */
bool pp_session_dir_replace_older(struct pp_session_dir *dir, bool last);

/** Close the descriptors of a prepared directory, and drop the claim that keeps other commands away. */
void pp_session_dir_close(struct pp_session_dir *dir);

/** Remove the directory if nothing was written into it. */
void pp_session_dir_drop_empty(const struct pp_session_dir *dir);

/**
 * Cut the last row of passprobe's CSV files if a killed application left it unfinished. Files of these names
 * that passprobe did not write, links and hard links are left alone.
 *
 * @param dir_fd A session directory.
 * @return Number of files that were cut; -EBUSY if a process still writes; -EPERM if the directory belongs to
 * another user; -errno if the directory cannot be read.
 */
int pp_session_mend(int dir_fd);

/**
 * Length of the whole rows at the begin of CSV text (RFC 4180: a line break inside quotes ends no row).
 *
 * @param quoted In and out: is the text inside quotes? False at the begin of a file.
 * @return Bytes up to and with the last line break outside quotes; 0 if there is none.
 */
size_t pp_session_mend_whole_rows(const char *text, size_t len, bool *quoted);

#endif
