/** @file
 * See write_file.h. */
#include "counters/util/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "counters/util/random_id.h"

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
