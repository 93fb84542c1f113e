/** @file
 * Where the control sockets of profiled processes are: $XDG_RUNTIME_DIR/passprobe/PID.sock. Used by the
 * engine, which makes the sockets, and by the command, which connects to them. Source of the rules for
 * XDG_RUNTIME_DIR: XDG Base Directory Specification 0.8. See docs/formats/control.md. */
#ifndef PP_CORE_CONFIG_CONTROL_PLACE_H
#define PP_CORE_CONFIG_CONTROL_PLACE_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

/** Size of the name of a socket in its folder. */
#define PP_CONTROL_NAME_MAX 32

/**
 * Open the folder of the control sockets.
 *
 * @param runtime Value of XDG_RUNTIME_DIR; NULL: not set.
 * @param make    Make the folder, with mode 0700, if it is missing.
 * @return A descriptor, owned by the caller. -ENOENT: no folder, or @p runtime is NULL or empty. -EINVAL: @p
 * runtime is no absolute path. -EPERM: @p runtime or the folder belongs to another user, or other users may
 * enter it. -ENOTDIR or -ELOOP: the folder is something else. -errno.
 */
__attribute__((warn_unused_result)) int pp_control_folder_open(const char *runtime, bool make);

/** Write the name of a process's socket. @param name PP_CONTROL_NAME_MAX bytes. */
void pp_control_name(char *name, pid_t pid);

/** The process of a socket with this name. @return 0: a control socket is not called so. */
pid_t pp_control_name_pid(const char *name);

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
