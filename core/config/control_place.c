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

static const char *
variable(char *const *env, const char *name)
{
    size_t len = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return "";
}

void
pp_control_place(char *const *env, unsigned i, char *path)
{
    const char *runtime = variable(env, "XDG_RUNTIME_DIR"), *tmp = variable(env, "TMPDIR");
    unsigned long user = geteuid();
    char usual[64];
    int len = 0;
    path[0] = '\0';
    snprintf(usual, sizeof(usual), "/run/user/%lu", user);
    if (i == 0 && *runtime)
        len = snprintf(path, PATH_MAX, "%s/passprobe", runtime);
    else if (i == 1 && strcmp(runtime, usual) != 0)
        len = snprintf(path, PATH_MAX, "%s/passprobe", usual);
    else if (i == 2)
        len = snprintf(path, PATH_MAX, "%s/passprobe-%lu", *tmp ? tmp : "/tmp", user);
    if (len >= PATH_MAX)
        path[0] = '\0';
}

/* May only the caller enter this folder? @param shared Others may enter it, but not rename what is ours. */
static int
check(int fd, bool shared)
{
    struct stat about;
    if (fstat(fd, &about))
        return -errno;
    bool own = about.st_uid == geteuid();
    if (own && (about.st_mode & 0777) == 0700)
        return 0;
    if (!shared || (!own && about.st_uid != 0))
        return -EPERM;
    return (about.st_mode & (S_IWGRP | S_IWOTH)) && !(about.st_mode & S_ISVTX) ? -EPERM : 0;
}

static int
open_checked(int dir_fd, const char *path, int flags, bool shared)
{
    int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (fd < 0)
        return -errno;
    int rc = check(fd, shared);
    if (rc == 0)
        return fd;
    (void)close(fd);
    return rc;
}

int
pp_control_place_open(char *const *env, unsigned i, bool make, char *path)
{
    char parent[PATH_MAX];
    pp_control_place(env, i, path);
    if (!*path)
        return -ENOENT;
    if (*path != '/')
        return -EINVAL;
    snprintf(parent, sizeof(parent), "%s", path);
    char *name = strrchr(parent, '/');
    *name++ = '\0';
    int parent_fd = open_checked(AT_FDCWD, *parent ? parent : "/", 0, i == PP_CONTROL_PLACES - 1);
    if (parent_fd < 0)
        return parent_fd;
    int rc = make && mkdirat(parent_fd, name, 0700) && errno != EEXIST ? -errno : 0;
    int fd = rc ? rc : open_checked(parent_fd, name, O_NOFOLLOW, false);
    (void)close(parent_fd);
    return fd;
}

int
pp_control_place_find(char *const *env, char *path)
{
    int first = -ENOENT;
    for (unsigned i = 0; i < PP_CONTROL_PLACES; i++) {
        char place[PATH_MAX];
        int fd = pp_control_place_open(env, i, true, place);
        bool none =
            fd == -ENOENT && i + 1 < PP_CONTROL_PLACES; /* its variable is not set, or it is missing */
        if (fd >= 0 || (first == -ENOENT && !none)) {
            memcpy(path, place, PATH_MAX);
            first = fd;
        }
        if (fd >= 0)
            return fd;
    }
    return first;
}

void
pp_control_name(char *name, pid_t pid, const char *end)
{
    snprintf(name, PP_CONTROL_NAME_MAX, "%ld%s", (long)pid, end);
}

pid_t
pp_control_name_pid(const char *name, const char *end)
{
    char *rest = NULL;
    if (*name < '1' || *name > '9')
        return 0;
    errno = 0;
    long pid = strtol(name, &rest, 10);
    return errno || pid > INT32_MAX || strcmp(rest, end) != 0 ? 0 : (pid_t)pid;
}

int
pp_control_address(int folder_fd, const char *name, struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    int len = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/thread-self/fd/%d/%s", folder_fd, name);
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
