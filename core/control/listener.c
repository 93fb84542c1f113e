/** @file
 * See listener.h. */
#define _GNU_SOURCE 1
#include "core/control/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/control_place.h"
#include "counters/util/own_fd.h"

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
