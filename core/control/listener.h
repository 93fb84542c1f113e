/** @file
 * A Unix socket of the application's process to which programs of the same user connect. Makes and removes
 * the socket's file, and accepts connections; never waits. Does not know the commands. */
#ifndef PP_CORE_CONTROL_LISTENER_H
#define PP_CORE_CONTROL_LISTENER_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/** A socket that listens. pp_listener_init() first. */
struct pp_listener {
    atomic_int fd;           /**< -1: none. Atomic, because a forked child closes it */
    atomic_int folder_fd;    /**< folder of the socket's file; -1: none */
    char name[NAME_MAX + 1]; /**< of the socket's file in the folder */
    ino_t file_inode;        /**< of the socket's file: another process may have replaced it */
};

/** Prepare a listener; opens nothing. */
void pp_listener_init(struct pp_listener *listener);

/**
 * Make the socket's file, with mode 0600 whatever the umask, and listen. The file appears when the socket
 * listens already. A socket in its place whose process is gone is replaced.
 *
 * @param folder_fd The folder; taken over on success.
 * @param name      Name of the file.
 * @retval 0
 * @retval -EADDRINUSE A running process listens there.
 * @retval -EEXIST     There is something else than a socket, or a socket of another user.
 * @retval -ENAMETOOLONG, -errno.
 */
__attribute__((warn_unused_result)) int pp_listener_open(struct pp_listener *listener, int folder_fd,
                                                         const char *name);

/** Accept a connection, if a client waits. @param same_user Only of the process's user.
 * @return A descriptor that does not block, owned by the caller. -EAGAIN: no client waits. -EPERM: the client
 * is another user, and its connection was closed. -EBADF: the application has closed the descriptor. -errno:
 * the socket is useless now. */
__attribute__((warn_unused_result)) int pp_listener_accept(const struct pp_listener *listener,
                                                           bool same_user);

/** Stop listening, and remove the socket's file, unless another process has replaced it. */
void pp_listener_close(struct pp_listener *listener);

/** Stop listening; the socket's file stays. For a forked child, so that the parent's clients notice the
 * parent's end, and under a filter of system calls: see pp_fd_close(). Async-signal-safe. */
void pp_listener_drop(struct pp_listener *listener);

#endif
