/** @file
 * The applications of this user that are profiled now, by their control sockets, and those that are asleep,
 * by their pages (core/config/sleep_page.h). Prints nothing. */
#ifndef PP_CLI_CONTROL_APPLICATIONS_H
#define PP_CLI_CONTROL_APPLICATIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/config/control_place.h"
#include "core/config/sleep_page.h"

/** An application. */
struct pp_application {
    pid_t pid;
    unsigned folder;  /**< index in pp_applications.folder_fd */
    int64_t since_ns; /**< when its socket or page was made: CLOCK_REALTIME */
    bool asleep;      /**< it has a page, and no socket */
};

/** The applications, the newest first. */
struct pp_applications {
    int folder_fd[PP_CONTROL_PLACES]; /**< of the sockets; -1: none */
    struct pp_application *application;
    size_t len;
    char refused[PATH_MAX]; /**< a folder that could not be looked into; "": none */
    int error;              /**< why: -errno */
};

/**
 * Find the applications that listen or are asleep, in all folders where they may be. Sockets and files of
 * pages of killed processes are removed.
 *
 * @param env NULL-terminated vector of "NAME=value".
 * @retval 0 Found, maybe none. @p ret is to be finished.
 * @retval -ENOMEM, -errno.
 */
__attribute__((warn_unused_result)) int pp_applications_find(char *const *env, struct pp_applications *ret);

/** Connect to an application. @return As pp_control_connect(). */
__attribute__((warn_unused_result)) int pp_applications_connect(const struct pp_applications *applications,
                                                                pid_t pid);

/** Open the page of an application that is asleep. @return As pp_sleep_open(). */
__attribute__((warn_unused_result)) int pp_applications_open_page(const struct pp_applications *applications,
                                                                  pid_t pid, struct pp_sleep_file *ret);

/** An application that is asleep: this one, or with @p pid 0 the newest. @return Its number; 0: none is. */
pid_t pp_application_asleep(char *const *env, pid_t pid);

/** Connect to an application without a list. @return As pp_control_connect(). */
__attribute__((warn_unused_result)) int pp_application_connect(char *const *env, pid_t pid);

/** Free the list and close its folders. */
void pp_applications_finish(struct pp_applications *applications);

#endif
