/** @file
 * Module: finds the session that a running process writes now, wherever its directory is. */
#ifndef PP_CLI_TOP_RUNNING_H
#define PP_CLI_TOP_RUNNING_H

#include <limits.h>
#include <stdbool.h>

/** A session that is written now. */
struct pp_running {
    int dir_fd;            /**< its directory; owned by the caller */
    char path[PATH_MAX];   /**< of the directory */
    char application[256]; /**< name of its executable; foreign text */
    long pid;              /**< of the process that writes it */
};

/**
 * Find the newest session of this user's processes that is written now.
 *
 * @param pid That of this process; 0: of any.
 * @retval 0       @p ret is filled in.
 * @retval -ESRCH  There is no such process.
 * @retval -ENOENT No session is written, or none by this process.
 * @retval -errno  /proc cannot be read.
 */
__attribute__((warn_unused_result)) int pp_running_find(long pid, struct pp_running *ret);

/** Does a process still write the session? @param dir_fd Its directory. */
bool pp_running_goes_on(int dir_fd);

#endif
