/** @file
 * Small files of the kernel; see small_file.h. */
#include "counters/sources/kernel/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
pp_file_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t length = 0;
    ssize_t got = 0;
    while (length + 1 < size && (got = read(fd, text + length, size - 1 - length)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        length += (size_t)got;
    }
    int rc = got < 0 ? -errno : (int)length;
    (void)close(fd);
    text[length] = '\0';
    return rc;
}

int
pp_file_number(const char *path, int64_t *ret)
{
    char text[64];
    char *end = text;
    int rc = pp_file_text(path, text, sizeof(text));
    if (rc < 0)
        return rc;
    errno = 0;
    long long number = strtoll(text, &end, 0);
    if (end == text || errno || (*end != '\0' && *end != '\n'))
        return -EBADMSG;
    *ret = number;
    return 0;
}

int
pp_path_join(char *ret, const char *folder, const char *name)
{
    int length = snprintf(ret, PP_PATH_BYTES, "%s/%s", folder, name);
    return length < 0 || length >= PP_PATH_BYTES ? -ENAMETOOLONG : 0;
}
