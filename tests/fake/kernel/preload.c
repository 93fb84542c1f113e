/** @file
 * The fakes in an application, by LD_PRELOAD: calls go to calls.c, paths to the files of the test. machines.h
 * lists the machines. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/machines.h"

#define PUBLIC __attribute__((visibility("default")))

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long request, ...);
ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __real_pread(int fd, void *buffer, size_t size, off_t offset);
int __real_poll(struct pollfd *fd, nfds_t fds, int timeout);
long __real_syscall(long number, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);
int __wrap_poll(struct pollfd *fd, nfds_t fds, int timeout);
long __wrap_syscall(long number, ...);

/* dlsym() gives void *, which ISO C does not turn into a function. */
#define NEXT(function)                                                                                       \
    static void *_Atomic known;                                                                              \
    __typeof__(&function) next;                                                                              \
    void *found = atomic_load(&known);                                                                       \
    if (!found)                                                                                              \
        atomic_store(&known, found = dlsym(RTLD_NEXT, #function));                                           \
    memcpy(&next, &found, sizeof(next));

/* Paths. */

/* The file for a path of the kernel: in the test's folder, if it exists there. */
static const char *
place(const char *path, char *room)
{
    const char *root = getenv("FAKE_KERNEL_ROOT");
    int saved = errno;
    bool kernel =
        root && path &&
        (strncmp(path, "/sys/", 5) == 0 || strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/", 5) == 0);
    if (!kernel || snprintf(room, PATH_MAX, "%s%s", root, path) >= PATH_MAX)
        return path;
    NEXT(access)
    bool there = next(room, F_OK) == 0;
    errno = saved;
    return there ? room : path;
}

PUBLIC int
access(const char *path, int mode)
{
    char room[PATH_MAX];
    NEXT(access)
    return next(place(path, room), mode);
}

PUBLIC char *
realpath(const char *restrict path, char *restrict resolved)
{
    char room[PATH_MAX];
    NEXT(realpath)
    return next(place(path, room), resolved);
}

PUBLIC DIR *
opendir(const char *path)
{
    char room[PATH_MAX];
    NEXT(opendir)
    return next(place(path, room));
}

/* The links of /proc/self/fd. */
PUBLIC ssize_t
readlinkat(int folder, const char *restrict path, char *restrict buffer, size_t size)
{
    char *end = NULL;
    long fd = strtol(path, &end, 10);
    const char *of = end != path && !*end && fd <= INT_MAX ? fake_kernel_path((int)fd) : NULL;
    NEXT(readlinkat)
    if (!of)
        return next(folder, path, buffer, size);
    size_t length = strlen(of) < size ? strlen(of) : size;
    memcpy(buffer, of, length);
    return (ssize_t)length;
}

/* Calls that are not claimed. */

int
__real_open(const char *path, int flags, ...)
{
    char room[PATH_MAX];
    NEXT(open)
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    return next(place(path, room), flags, mode);
}

int
__real_close(int fd)
{
    NEXT(close)
    return next(fd);
}

int
__real_ioctl(int fd, unsigned long request, ...)
{
    NEXT(ioctl)
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    return next(fd, request, arg);
}

ssize_t
__real_read(int fd, void *buffer, size_t size)
{
    NEXT(read)
    return next(fd, buffer, size);
}

ssize_t
__real_pread(int fd, void *buffer, size_t size, off_t offset)
{
    NEXT(pread)
    return next(fd, buffer, size, offset);
}

int
__real_poll(struct pollfd *fd, nfds_t fds, int timeout)
{
    NEXT(poll)
    return next(fd, fds, timeout);
}

long
__real_syscall(long number, ...)
{
    NEXT(syscall)
    va_list list;
    long arg[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arg[i] = va_arg(list, long);
    va_end(list);
    return next(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

/* The application's calls. */

PUBLIC int
open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return __wrap_open(path, flags, mode);
}

PUBLIC int
close(int fd)
{
    return __wrap_close(fd);
}

PUBLIC int
ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    return __wrap_ioctl(fd, request, arg);
}

PUBLIC ssize_t
read(int fd, void *buffer, size_t size)
{
    return __wrap_read(fd, buffer, size);
}

PUBLIC ssize_t
pread(int fd, void *buffer, size_t size, off_t offset)
{
    return __wrap_pread(fd, buffer, size, offset);
}

PUBLIC int
poll(struct pollfd *fd, nfds_t fds, int timeout)
{
    return __wrap_poll(fd, fds, timeout);
}

PUBLIC long
syscall(long number, ...)
{
    va_list list;
    long arg[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arg[i] = va_arg(list, long);
    va_end(list);
    return __wrap_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

__attribute__((constructor)) static void
begin(void)
{
    fake_machines_begin();
}
