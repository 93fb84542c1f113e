/** @file
 * See fd.h. */
#include "counters/util/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int
pp_open_regular(int dir_fd, const char *path, int flags)
{
    struct stat about;
    int fd = openat(dir_fd, path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    /* ENXIO: a socket, or a FIFO without a reader */
    if (fd < 0)
        return errno == ENXIO ? -ENOTSUP : -errno;
    int rc = fstat(fd, &about) ? -errno : 0;
    if (rc == 0 && !S_ISREG(about.st_mode))
        rc = S_ISDIR(about.st_mode) ? -EISDIR : -ENOTSUP;
    if (rc == 0)
        return fd;
    (void)close(fd);
    return rc;
}

ssize_t
pp_read_at(int fd, void *ret, size_t size, uint64_t at)
{
    size_t len = 0;
    while (len < size) {
        ssize_t got = pread(fd, (char *)ret + len, size - len, (off_t)(at + len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    return (ssize_t)len;
}
