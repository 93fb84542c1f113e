/** @file
 * The session directory is found or made, moved aside, and locked here. Files that belong to no session or to
 * another user are never touched. Symbolic links are followed only in the path of the parent folder; all
 * other access uses open descriptors. */
#ifndef PP_CORE_CONFIG_SESSION_DIR_H
#define PP_CORE_CONFIG_SESSION_DIR_H

#include <limits.h>
#include <stdbool.h>

/** An open session directory. */
struct pp_dir {
    int fd;                 /**< locked with flock() as long as it is open */
    char path[PATH_MAX];    /**< as opened; may differ from what was asked for */
    bool next_to_requested; /**< the requested directory is in use: this is another one, next to it */
};

/**
 * Open the directory for a new session.
 *
 * A missing directory is made, and an empty one is used. A directory with an older session is renamed to
 * PATH.old (an older PATH.old session is removed). With @p keep, or if a living process writes into it,
 * PATH.PID is used instead.
 *
 * @param keep True under a launcher, which has already moved older sessions away: an existing session is then
 * another process of this run.
 * @param ret_dir Filled in on success.
 * @param error 512 bytes for one line that names the place, written only on failure.
 * @retval 0       Open and locked.
 * @retval -EEXIST The path is not a session directory, or belongs to another user: it is not touched.
 * @retval -errno  Not possible.
 */
__attribute__((warn_unused_result)) int pp_dir_open(const char *path, bool keep, struct pp_dir *ret_dir,
                                                    char *error);

/** Unlock and close. */
void pp_dir_close(struct pp_dir *dir);

/**
 * Used by commands: move an older session away, make an empty directory in its place and hold it, so that no
 * other command takes it. Never waits for another process.
 *
 * @param path   Of @p name, for messages.
 * @param ret_fd The directory, open for reading; the claim lasts as long as it is open. Owned by the caller.
 * @param error  512 bytes for one line that names the place, written only on failure.
 * @retval 0       The directory is claimed.
 * @retval -EEXIST The path is not a session directory, or belongs to another user: it is not touched.
 * @retval -EBUSY  A living process writes into it, or another command has claimed it.
 * @retval -errno  Not possible.
 */
__attribute__((warn_unused_result)) int pp_dir_claim(int parent_fd, const char *name, const char *path,
                                                     int *ret_fd, char *error);

/**
 * Split a path into the folder, which is opened (O_PATH), and the last name. Slashes at the end do not count.
 *
 * @param ret_parent_fd Owned by the caller.
 * @retval 0, -ENOENT (the path is empty, or the folder is missing), -EISDIR (the path is the root), -errno.
 */
__attribute__((warn_unused_result)) int pp_dir_parent(const char *path, int *ret_parent_fd,
                                                      char ret_name[NAME_MAX + 1]);

/** Delete a session directory: the files of a session, then the directory. @retval 0 (also if there is none),
 * -ENOTEMPTY (it holds other files: nothing is deleted), -EPERM (it belongs to another user), -errno. */
__attribute__((warn_unused_result)) int pp_dir_remove(int parent_fd, const char *name);

/** Does the name lead to the directory that @p fd holds, without a link? */
bool pp_dir_is(int parent_fd, const char *name, int fd);

/** Does a directory, or a file in one, belong to the user who runs the process (by its effective user id)?
 * Also true on a filesystem that keeps no owners (FAT, NTFS, SMB, ...). */
bool pp_dir_is_own(int fd);

#endif
