/** @file
 * The session directory is found or made, and locked here. An older session keeps its place until the new one
 * has a frame: until then, the new session is in a directory next to it. Files that belong to no session or
 * to another user are never touched. Symbolic links are followed only in the path of the parent folder; all
 * other access uses open descriptors. See also dir_content.h. */
#ifndef PP_CORE_CONFIG_SESSION_DIR_H
#define PP_CORE_CONFIG_SESSION_DIR_H

#include <limits.h>
#include <stdbool.h>

/** An open session directory. */
struct pp_dir {
    int fd;                    /**< locked with flock() as long as it is open */
    char path[PATH_MAX];       /**< as opened; may differ from what was asked for */
    bool next_to_requested;    /**< the requested directory is in use: this is another one, next to it */
    int parent_fd;             /**< the folder, until the new session has its place; -1: it has it */
    char staged[NAME_MAX + 1]; /**< if parent_fd is not -1: its name in the folder until then */
    char name[NAME_MAX + 1];   /**< likewise: the name that pp_dir_open_replace_older() gives it; "": it keeps
                                  its name */
};

/**
 * Open the directory for a new session.
 *
 * A missing directory is made, and an empty one is used. If it has an older session, PATH.new is used, and
 * @p ret_dir waits for pp_dir_open_replace_older(). With @p keep, or if a living process writes into it,
 * PATH.PID is used instead.
 *
 * @param keep True where an existing session must keep its name: under a launcher it is another process of
 * this run.
 * @param ret_dir Filled in on success.
 * @param error 512 bytes for one line that names the place, written only on failure.
 * @retval 0       Open and locked.
 * @retval -EEXIST The path is not a session directory, or belongs to another user: it is not touched.
 * @retval -errno  Not possible.
 */
__attribute__((warn_unused_result)) int pp_dir_open(const char *path, bool keep, struct pp_dir *ret_dir,
                                                    char *error);

/** The new session has a frame: move the older session to PATH.old, delete the one that was there, and take
 * its place. Only where dir->parent_fd is not -1, which it is afterwards. Opens and renames files.
 * @param error 512 bytes, written only on failure. @retval 0 dir->path is the new path. @retval -errno The
 * directory keeps its name. */
__attribute__((warn_unused_result)) int pp_dir_open_replace_older(struct pp_dir *dir, char *error);

/** Let the directory wait for its first frame even if no older session has its place: then pp_dir_discard()
 * can delete it, and pp_dir_open_replace_older() renames nothing. */
void pp_dir_discard_without_frames(struct pp_dir *dir);

/** The new session has no frame: delete its directory, the older session keeps its place. Only where
 * dir->parent_fd is not -1, which it is afterwards. @retval 0, -errno: it could not be deleted. */
int pp_dir_discard(struct pp_dir *dir);

/** Unlock and close. */
void pp_dir_close(struct pp_dir *dir);

/**
 * Used by commands: make an empty directory for a session and hold it, so that no other command takes it. If
 * an older session is there, the directory is called PATH.new; see pp_dir_replace_older(). Never waits for
 * another process.
 *
 * @param path     Of @p name, for messages.
 * @param ret_fd   The directory, open for reading; the claim lasts as long as it is open. Owned by the
 * caller.
 * @param ret_path PATH_MAX bytes: the directory's path; not @p path if an older session is there.
 * @param error    512 bytes for one line that names the place, written only on failure.
 * @retval 0       The directory is claimed.
 * @retval -EEXIST The path is not a session directory, or belongs to another user: it is not touched.
 * @retval -EBUSY  A living process writes into it, or another command has claimed it or will replace it.
 * @retval -errno  Not possible; also where PATH.old could not be replaced later.
 */
__attribute__((warn_unused_result)) int pp_dir_claim(int parent_fd, const char *name, const char *path,
                                                     int *ret_fd, char *ret_path, char *error);

/**
 * Move an older session from @p name to NAME.old, delete the one that was there, and rename @p staged to
 * @p name.
 *
 * @param path Of @p name, for messages.
 * @param ret_moved Is there a session at NAME.old now that was at @p name?
 * @param error 512 bytes, written only on failure.
 * @retval 0, -EBUSY (a living process writes into the older session), -errno. On failure @p staged keeps its
 * name.
 */
__attribute__((warn_unused_result)) int pp_dir_replace_older(int parent_fd, const char *staged,
                                                             const char *name, const char *path,
                                                             bool *ret_moved, char *error);

#endif
