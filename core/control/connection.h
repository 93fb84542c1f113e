/** @file
 * A client of a listener (listener.h): what it wrote, and what waits to be sent to it. Never waits, and is
 * never ended by SIGPIPE. Does not know the commands. Collector thread only. */
#ifndef PP_CORE_CONTROL_CONNECTION_H
#define PP_CORE_CONTROL_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/control/line_reader.h"

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

#endif
