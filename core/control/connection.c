/** @file
 * See connection.h. */
#include "core/control/connection.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/engine/clock.h"
#include "counters/util/own_fd.h"

void
pp_connection_init(struct pp_connection *connection)
{
    memset(connection, 0, sizeof(*connection));
    atomic_init(&connection->fd, -1);
}

void
pp_connection_open(struct pp_connection *connection, int fd, uint64_t now_ns)
{
    pp_connection_init(connection);
    connection->active_ns = now_ns;
    atomic_store(&connection->fd, pp_fd_keep(fd));
}

static bool
is_temporary(int error)
{
    return error == EAGAIN || error == EINTR; /* EWOULDBLOCK is EAGAIN on Linux */
}

bool
pp_connection_read(struct pp_connection *connection, uint64_t now_ns)
{
    size_t size = 0;
    int fd = atomic_load(&connection->fd);
    char *space = pp_line_reader_space(&connection->lines, &size);
    if (size == 0 || connection->ended)
        return false;
    if (!pp_fd_is_own(fd)) {
        pp_connection_close(connection);
        return false;
    }
    ssize_t got = recv(fd, space, size, MSG_DONTWAIT);
    if (got > 0) {
        pp_line_reader_add(&connection->lines, (size_t)got);
        connection->active_ns = now_ns;
        return true;
    }
    connection->ended = got == 0;
    if (got < 0 && !is_temporary(errno))
        pp_connection_close(connection);
    return false;
}

void
pp_connection_send(struct pp_connection *connection, char *text, size_t len, uint64_t now_ns)
{
    size_t waits = connection->out_len - connection->out_at;
    char *both = text && connection->out ? malloc(waits + len) : NULL;
    if (both) {
        memcpy(both, connection->out + connection->out_at, waits);
        memcpy(both + waits, text, len);
        free(text);
        text = both;
        len += waits;
    } else if (connection->out) {
        free(text);
        text = NULL;
    }
    free(connection->out);
    connection->out = text;
    connection->out_at = 0;
    connection->out_len = len;
    if (!text)
        pp_connection_close(connection);
    else
        (void)pp_connection_write(connection, now_ns);
}

bool
pp_connection_write(struct pp_connection *connection, uint64_t now_ns)
{
    int fd = atomic_load(&connection->fd);
    bool owned = !connection->out || pp_fd_is_own(fd);
    while (owned && connection->out && connection->out_at < connection->out_len) {
        ssize_t sent = send(fd, connection->out + connection->out_at,
                            connection->out_len - connection->out_at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && is_temporary(errno))
            return false;
        if (sent <= 0) {
            pp_connection_close(connection);
            return true;
        }
        connection->out_at += (size_t)sent;
        connection->active_ns = now_ns;
    }
    if (!owned)
        pp_connection_close(connection);
    free(connection->out);
    connection->out = NULL;
    connection->out_at = connection->out_len = 0;
    return true;
}

void
pp_connection_close(struct pp_connection *connection)
{
    pp_connection_forked(connection);
    free(connection->out);
    connection->out = NULL;
    connection->out_at = connection->out_len = 0;
}

void
pp_connection_forked(struct pp_connection *connection)
{
    pp_fd_close(atomic_exchange(&connection->fd, -1));
}

bool
pp_connection_round_is_over(uint64_t round_ns)
{
    return pp_now_ns() - round_ns > PP_CONNECTION_ROUND_NS;
}

void
pp_connection_close_if_done(struct pp_connection *connection, bool watches, uint64_t now_ns)
{
    if (!pp_connection_is_open(connection))
        return;
    bool done = !connection->out && (connection->closing || (connection->ended && !watches &&
                                                             !pp_line_reader_has_line(&connection->lines)));
    bool idle = now_ns > connection->active_ns && now_ns - connection->active_ns > PP_CONNECTION_IDLE_NS;
    if (done || idle)
        pp_connection_close(connection);
}
