/** @file
 * Room: the session directory: found or made, moved aside, locked. Never touches what is not a session's. */
#ifndef PP_CORE_DIR_H
#define PP_CORE_DIR_H

#include <limits.h>
#include <stdbool.h>

/** An open session directory. */
struct pp_dir {
    int fd;              /**< locked with flock() as long as it is open */
    char path[PATH_MAX]; /**< as opened; may differ from what was asked for */
    bool beside;         /**< the one asked for is in use: this one stands beside it */
};

/**
 * Open the directory for a new session.
 *
 * Made if it is missing; an empty one is used; one that holds an older session is renamed to PATH.old (an
 * older PATH.old session is removed), unless @p keep or a living process writes into it: then PATH.PID is
 * used.
 *
 * @param keep True under a launcher, which has made room already: an older session is another process of this
 * run.
 * @param error 512 bytes for one line that names the place, written only on failure.
 * @retval 0       Open and locked.
 * @retval -EEXIST Something that is no session directory stands there: left alone.
 * @retval -errno  Not possible.
 */
__attribute__((warn_unused_result)) int pp_dir_open(const char *path, bool keep, struct pp_dir *ret_dir,
                                                    char *error);

/** Unlock and close. */
void pp_dir_close(struct pp_dir *dir);

/** Move a finished session out of the way: PATH becomes PATH.old. Used by launchers too. @retval 0, -EEXIST,
 * -EBUSY (a living process writes into it), -errno. */
__attribute__((warn_unused_result, visibility("default"))) int pp_dir_make_room(const char *path,
                                                                                char *error);

#endif
