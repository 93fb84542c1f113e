/** @file
 * See fd.h. */
#include "counters/util/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/random.h"

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

int
pp_write_all(int fd, const void *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t put = write(fd, (const char *)bytes + done, len - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put ? -errno : -ENOSPC;
        done += (size_t)put;
    }
    return 0;
}

int
pp_write_file(int dir_fd, const char *name, int work_fd, const char *text, size_t len)
{
    char random[PP_RANDOM_ID_MAX];
    int rc = pp_random_id(random);
    int fd = rc ? -1 : openat(work_fd, random, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return rc ? rc : -errno;
    rc = pp_write_all(fd, text, len);
    if (rc == 0 && fsync(fd))
        rc = -errno;
    if (close(fd) && rc == 0)
        rc = -errno;
    if (rc == 0 && renameat(work_fd, random, dir_fd, name))
        rc = -errno;
    if (rc)
        (void)unlinkat(work_fd, random, 0);
    return rc;
}
