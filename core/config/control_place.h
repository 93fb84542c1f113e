/** @file
 * Where the control sockets of profiled processes, and the pages of those that are asleep, are. A process
 * takes the first of a few folders that it can use; the command looks into all of them, because it may have
 * other variables (ssh, sudo, cron). Source of the rules for XDG_RUNTIME_DIR: XDG Base Directory
 * Specification 0.8. See docs/formats/control.md. */
#ifndef PP_CORE_CONFIG_CONTROL_PLACE_H
#define PP_CORE_CONFIG_CONTROL_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

/** Version of the protocol (docs/formats/control.md). */
#define PP_CONTROL_PROTOCOL 1U

/** Size of the name of a socket, or of a page's file, in its folder. */
#define PP_CONTROL_NAME_MAX 32

/** Number of folders, see pp_control_place(). */
#define PP_CONTROL_PLACES 3U

/**
 * Path of a folder: $XDG_RUNTIME_DIR/passprobe, /run/user/UID/passprobe, ${TMPDIR:-/tmp}/passprobe-UID.
 *
 * @param env  NULL-terminated vector of "NAME=value"; may be NULL.
 * @param i    Which one, below PP_CONTROL_PLACES.
 * @param path PATH_MAX bytes; "": the folder is one of those before, or its variable is not set.
 */
void pp_control_place(char *const *env, unsigned i, char *path);

/**
 * Open one of the folders.
 *
 * @param make Make it, with mode 0700, if it is missing.
 * @param path PATH_MAX bytes: its path, see pp_control_place(); set in any case.
 * @return A descriptor, owned by the caller. -ENOENT: there is none. -EINVAL: a variable is no absolute path.
 * -EPERM: the folder, or the one that it is in, belongs to another user, or other users may enter it. In /tmp
 * others may enter the one that it is in, but not rename what is ours. -ENOTDIR or -ELOOP: it is something
 * else than a folder. -errno.
 */
__attribute__((warn_unused_result)) int pp_control_place_open(char *const *env, unsigned i, bool make,
                                                              char *path);

/**
 * Open the first folder that can be used, and make it if it is missing.
 *
 * @param path PATH_MAX bytes: its path, or that of the first folder that cannot be used.
 * @return As pp_control_place_open(): of the first folder that cannot be used, if none can.
 */
__attribute__((warn_unused_result)) int pp_control_place_find(char *const *env, char *path);

/** Ends of the names in the folder: a process's socket, and the file of a process that is asleep. */
#define PP_CONTROL_SOCKET ".sock"
#define PP_CONTROL_ASLEEP ".asleep"

/** Write the name of a process's socket or file. @param name PP_CONTROL_NAME_MAX bytes. */
void pp_control_name(char *name, pid_t pid, const char *end);

/** The process of a socket or file with this name. @return 0: none with this end is called so. */
pid_t pp_control_name_pid(const char *name, const char *end);

/**
 * Write the address of a socket in a folder. The address leads through the descriptor of the folder: so it is
 * short, and does not depend on what the path of the folder leads to now. /proc must be mounted.
 *
 * @param name Without a slash.
 * @retval 0, -ENAMETOOLONG.
 */
__attribute__((warn_unused_result)) int pp_control_address(int folder_fd, const char *name,
                                                           struct sockaddr_un *ret);

/**
 * Connect to a socket in a folder.
 *
 * @return A blocking, connected descriptor, owned by the caller. -ECONNREFUSED: its process is gone. -ENOENT:
 * there is no such socket. -EAGAIN: too many clients wait to be accepted. -errno.
 */
__attribute__((warn_unused_result)) int pp_control_connect(int folder_fd, const char *name);

#endif
