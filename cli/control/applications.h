/** @file
 * The applications of this user that are profiled now, by their control sockets, those that are asleep, by
 * their pages (core/config/sleep_page.h), and the session that a process writes now, wherever its directory
 * is. Prints nothing. */
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
