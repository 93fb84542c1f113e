/** @file
 * What is in a directory, and whose is it: is it a session of passprobe, may it be used or deleted? Changes
 * nothing except by pp_dir_remove(). All access is relative to open descriptors and follows no link. See also
 * session_dir.h. */
#ifndef PP_CORE_CONFIG_DIR_CONTENT_H
#define PP_CORE_CONFIG_DIR_CONTENT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/** What a directory holds. A session has a session.json, or nothing but session files: one that was killed at
 * its start has no more. A file counts as a session file if it has the name of one and begins as passprobe
 * writes it. */
enum pp_dir_content {
    PP_DIR_EMPTY,
    PP_DIR_SESSION,
    PP_DIR_RUNS,   /**< the sessions of repeated runs, PP_DIR_RUNS_FILE, and nothing else */
    PP_DIR_MIXED,  /**< a session and other files */
    PP_DIR_FOREIGN /**< other files only */
};

/** File of a folder with the sessions of repeated runs: it lists them (cli/session/runs_file.h). */
#define PP_DIR_RUNS_FILE "runs.json"

/** Is this the name of a file that sessions have? */
bool pp_dir_is_session_file(const char *name);

/** Names of the files that sessions have. @return Static; NULL: @p i is beyond the last one. */
const char *pp_dir_session_file(size_t i);

/** Does a command hold this directory for an application, or read it? @param fd The directory. */
bool pp_dir_is_claimed(int fd);

/** Does another process write into this directory, or hold it? Takes and drops a shared lock, without
 * waiting.
 * @param fd The directory, opened by this process. */
bool pp_dir_is_in_use(int fd);

/** Look what a directory holds. @param fd Open for reading; its position does not change. @return
 * PP_DIR_FOREIGN also if the directory cannot be read. */
enum pp_dir_content pp_dir_look(int fd);

/** Does a session, or one of repeated runs, have a row in frames.csv? @param fd Its directory, or the folder
 * of the runs. */
bool pp_dir_has_frames(int fd);

/** Open a directory in a folder for reading, not through a link. @retval fd, -errno. */
__attribute__((warn_unused_result)) int pp_dir_open_in(int parent_fd, const char *name);

/** Does the name lead to the directory that @p fd holds, without a link? */
bool pp_dir_is(int parent_fd, const char *name, int fd);

/** Does a directory, or a file in one, belong to the user who runs the process (by its effective user id)?
 * Also true on a filesystem that keeps no owners (FAT, NTFS, SMB, ...). */
bool pp_dir_is_own(int fd);

/** Delete a session directory, or a folder of repeated runs: the files of each session, then the directory.
 * @retval 0 (also if there is none),
 * -ENOTEMPTY (it holds other files: nothing is deleted), -EPERM (it belongs to another user), -errno. */
__attribute__((warn_unused_result)) int pp_dir_remove(int parent_fd, const char *name);

/** Would pp_dir_remove() delete it? @retval as of pp_dir_remove(). */
__attribute__((warn_unused_result)) int pp_dir_is_removable(int parent_fd, const char *name);

/**
 * Split a path into the folder, which is opened (O_PATH), and the last name. Slashes at the end do not count.
 *
 * @param ret_parent_fd Owned by the caller.
 * @retval 0, -ENOENT (the path is empty, or the folder is missing), -EISDIR (the path is the root), -errno.
 */
__attribute__((warn_unused_result)) int pp_dir_parent(const char *path, int *ret_parent_fd,
                                                      char ret_name[NAME_MAX + 1]);

#endif
