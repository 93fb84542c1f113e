/** @file
 * See connection.h. */
#define _GNU_SOURCE 1
#include "core/control/connection.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/control_place.h"
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

/* Most clients that wait to be accepted. */
#define WAITING_MAX 16

void
pp_listener_init(struct pp_listener *listener)
{
    memset(listener, 0, sizeof(*listener));
    atomic_init(&listener->fd, -1);
    atomic_init(&listener->folder_fd, -1);
}

/* May a socket get this name? */
static int
check_place(int folder_fd, const char *name)
{
    struct stat about;
    if (fstatat(folder_fd, name, &about, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(about.st_mode) || about.st_uid != geteuid())
        return -EEXIST;
    int client = pp_control_connect(folder_fd, name);
    if (client >= 0)
        (void)close(client);
    return client == -ECONNREFUSED || client == -ENOENT ? 0 : -EADDRINUSE;
}

/* Listen under a name that clients do not know, then give the socket its name. */
static int
listen_as(int fd, int folder_fd, const char *name, ino_t *ret_inode)
{
    char hidden[64];
    struct sockaddr_un address;
    struct stat about;
    snprintf(hidden, sizeof(hidden), ".passprobe-%ld", (long)getpid());
    int rc = pp_control_address(folder_fd, hidden, &address);
    if (rc)
        return rc;
    (void)unlinkat(folder_fd, hidden, 0);
    /* bind() takes the mode of the file from the socket, and the umask away from it: so the mode is right
     * from the begin. Source: unix_bind_bsd() of Linux 6.1, and unix(7). */
    if (fchmod(fd, 0600) || bind(fd, (const struct sockaddr *)&address, sizeof(address)))
        return -errno;
    if (listen(fd, WAITING_MAX) || fstatat(folder_fd, hidden, &about, AT_SYMLINK_NOFOLLOW) ||
        renameat(folder_fd, hidden, folder_fd, name)) {
        rc = -errno;
        (void)unlinkat(folder_fd, hidden, 0);
        return rc;
    }
    *ret_inode = about.st_ino;
    return 0;
}

int
pp_listener_open(struct pp_listener *listener, int folder_fd, const char *name)
{
    if (strlen(name) >= sizeof(listener->name))
        return -ENAMETOOLONG;
    int rc = check_place(folder_fd, name);
    if (rc)
        return rc;
    int fd = pp_fd_keep(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd < 0)
        return -errno;
    rc = listen_as(fd, folder_fd, name, &listener->file_inode);
    if (rc) {
        (void)close(fd);
        return rc;
    }
    snprintf(listener->name, sizeof(listener->name), "%s", name);
    pp_fd_mark(folder_fd);
    atomic_store(&listener->folder_fd, folder_fd);
    atomic_store(&listener->fd, fd);
    return 0;
}

int
pp_listener_accept(const struct pp_listener *listener, bool same_user)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);
    int listens = atomic_load(&listener->fd);
    if (!pp_fd_is_own(listens))
        return -EBADF;
    int fd = accept4(listens, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED || errno == EMFILE ||
                   errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
        return -EAGAIN;
    if (fd < 0)
        return -errno;
    if (!same_user || (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid()))
        return fd;
    (void)close(fd);
    return -EPERM;
}

void
pp_listener_close(struct pp_listener *listener)
{
    struct stat about;
    int folder_fd = atomic_load(&listener->folder_fd);
    if (pp_fd_is_own(folder_fd) && fstatat(folder_fd, listener->name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
        about.st_ino == listener->file_inode && S_ISSOCK(about.st_mode))
        (void)unlinkat(folder_fd, listener->name, 0);
    pp_listener_drop(listener);
}

void
pp_listener_drop(struct pp_listener *listener)
{
    pp_fd_close(atomic_exchange(&listener->fd, -1));
    pp_fd_close(atomic_exchange(&listener->folder_fd, -1));
}
