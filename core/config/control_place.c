/** @file
 * See control_place.h. */
#include "core/config/control_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "passprobe"
#define SUFFIX ".sock"

/* Open a folder that only the caller may enter. */
static int
open_private(int dir_fd, const char *path, int flags)
{
    struct stat about;
    int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &about) ? -errno : 0;
    if (rc == 0 && (about.st_uid != geteuid() || (about.st_mode & 0777) != 0700))
        rc = -EPERM;
    if (rc == 0)
        return fd;
    (void)close(fd);
    return rc;
}

int
pp_control_folder_open(const char *runtime, bool make)
{
    if (!runtime || !*runtime)
        return -ENOENT;
    if (*runtime != '/')
        return -EINVAL;
    int runtime_fd = open_private(AT_FDCWD, runtime, 0);
    if (runtime_fd < 0)
        return runtime_fd;
    int rc = make && mkdirat(runtime_fd, FOLDER, 0700) && errno != EEXIST ? -errno : 0;
    int fd = rc ? rc : open_private(runtime_fd, FOLDER, O_NOFOLLOW);
    (void)close(runtime_fd);
    return fd;
}

void
pp_control_name(char *name, pid_t pid)
{
    snprintf(name, PP_CONTROL_NAME_MAX, "%ld" SUFFIX, (long)pid);
}

pid_t
pp_control_name_pid(const char *name)
{
    char *end = NULL;
    if (*name < '1' || *name > '9')
        return 0;
    errno = 0;
    long pid = strtol(name, &end, 10);
    return errno || pid > INT32_MAX || strcmp(end, SUFFIX) != 0 ? 0 : (pid_t)pid;
}

int
pp_control_address(int folder_fd, const char *name, struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    int len = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", folder_fd, name);
    return len < 0 || (size_t)len >= sizeof(ret->sun_path) ? -ENAMETOOLONG : 0;
}

int
pp_control_connect(int folder_fd, const char *name)
{
    struct sockaddr_un address;
    int rc = pp_control_address(folder_fd, name, &address);
    if (rc)
        return rc;
    /* Without waiting: connect() would wait as long as too many clients wait to be accepted. */
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    rc = connect(fd, (const struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
    if (rc == 0 && fcntl(fd, F_SETFL, 0))
        rc = -errno;
    if (rc == 0)
        return fd;
    (void)close(fd);
    return rc;
}
