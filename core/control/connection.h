/** @file
 * The sockets of the application's process to which programs of the same user connect, and their clients. A
 * listener makes and removes the socket's file, and accepts connections. A connection has what a client
 * wrote, and what waits to be sent to it. Never waits, and is never ended by SIGPIPE. Does not know the
 * commands. Collector thread only. */
#ifndef PP_CORE_CONTROL_CONNECTION_H
#define PP_CORE_CONTROL_CONNECTION_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/control/request.h"

/** A connection is closed after this time without a byte in either direction. */
#define PP_CONNECTION_IDLE_NS 60000000000ULL
/** What a round of the collector spends on what clients write; each client may finish what it has begun. */
#define PP_CONNECTION_ROUND_NS 2000000ULL

/** A connection. pp_connection_init() first. */
struct pp_connection {
    atomic_int fd; /**< -1: none. Atomic, because a forked child closes it */
    struct pp_line_reader lines;
    char *out; /**< what is not sent yet; NULL: nothing */
    size_t out_len, out_at;
    uint64_t active_ns;  /**< when a byte was last read or written */
    bool ended;          /**< the client writes no more */
    bool closing;        /**< to be closed when everything is sent */
    bool quits;          /**< its `quit` is not answered yet */
    uint64_t watch_ns;   /**< interval of `watch`; 0: none */
    uint64_t watched_ns; /**< when a line of `watch` was last sent */
    uint64_t seen;       /**< frames that lines of `watch` had (recent_frames.h) */
};

/** Prepare a connection; none is open. */
void pp_connection_init(struct pp_connection *connection);

/** Is it open? */
static inline bool
pp_connection_is_open(const struct pp_connection *connection)
{
    return atomic_load_explicit(&connection->fd, memory_order_relaxed) >= 0;
}

/** Begin with an accepted descriptor, which is taken over. */
void pp_connection_open(struct pp_connection *connection, int fd, uint64_t now_ns);

/** Read what the client wrote, as far as the line reader has space. @return true: there are new bytes. The
 * connection is closed if it failed. */
bool pp_connection_read(struct pp_connection *connection, uint64_t now_ns);

/** Let text be sent after what waits already. The text is taken over, and freed in any case. NULL: there was
 * no memory for it, and the connection is closed. */
void pp_connection_send(struct pp_connection *connection, char *text, size_t len, uint64_t now_ns);

/** Send as much of what waits as the client takes. @return true: nothing waits. The connection is closed if
 * it failed. */
bool pp_connection_write(struct pp_connection *connection, uint64_t now_ns);

/** Is the time over that a round of the collector has for what clients write? A client that writes without
 * end would keep the collector from its frames. @param round_ns When the round of the clients began. */
bool pp_connection_round_is_over(uint64_t round_ns);

/** Close a connection whose answers are sent and that gets no more, or over which nothing went for
 * PP_CONNECTION_IDLE_NS. @param watches Lines will be sent although the client writes no more. */
void pp_connection_close_if_done(struct pp_connection *connection, bool watches, uint64_t now_ns);

/** Close it, see pp_fd_close(). Nothing happens if it is closed. */
void pp_connection_close(struct pp_connection *connection);

/** Close the descriptor in a forked child. Async-signal-safe. */
void pp_connection_forked(struct pp_connection *connection);

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
