/** @file
 * The applications of this user that are profiled now, by their control sockets. Prints nothing. */
#ifndef PP_CLI_CONTROL_APPLICATIONS_H
#define PP_CLI_CONTROL_APPLICATIONS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** An application. */
struct pp_application {
    pid_t pid;
    int64_t since_ns; /**< when its socket was made: CLOCK_REALTIME */
};

/** The applications, the newest first. */
struct pp_applications {
    int folder_fd; /**< of the sockets; -1: none */
    struct pp_application *application;
    size_t len;
};

/**
 * Find the applications that listen. Sockets that killed processes left behind are removed.
 *
 * @param runtime Value of XDG_RUNTIME_DIR; NULL: not set.
 * @retval 0 Found, maybe none. @p ret is to be finished.
 * @retval -ENOENT @p runtime is not set.
 * @retval -EINVAL, -EPERM As pp_control_folder_open(). -ENOMEM, -errno.
 */
__attribute__((warn_unused_result)) int pp_applications_find(const char *runtime,
                                                             struct pp_applications *ret);

/** Connect to an application. @return As pp_control_connect(). */
__attribute__((warn_unused_result)) int pp_applications_connect(const struct pp_applications *applications,
                                                                pid_t pid);

/** Connect to an application without a list. @param runtime As for pp_applications_find(). @return As
 * pp_control_connect(), or why there is no folder. */
__attribute__((warn_unused_result)) int pp_application_connect(const char *runtime, pid_t pid);

/** Free the list and close its folder. */
void pp_applications_finish(struct pp_applications *applications);

#endif
