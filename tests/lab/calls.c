/** @file
 * The C library's functions on descriptors, replaced: what is the lab's goes to its operations
 * (descriptors.h), all else to the function of the C library. Functions on paths: paths.c. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/lab/descriptors.h"
#include "tests/lab/drm.h"
#include "tests/lab/next.h"
#include "tests/lab/report.h"

#define POLL_NAP_NS 200000

static int
give(int status)
{
    if (status >= 0)
        return status;
    errno = -status;
    return -1;
}

/* Does the thread use the table of descriptors of the process, so that the numbers are the application's? */
static bool
uses_table_of_process(void)
{
    return syscall(SYS_kcmp, getpid(), gettid(), KCMP_FILES, 0, 0) == 0;
}

/* No code in the process of a driver closes a standard descriptor or takes it for a device: a driver that
 * does so took a refusal for a descriptor (Mesa 25.0, i915_perf_stream_open()). */
static void
look_at_standard(int fd, const char *call)
{
    if (fd >= STDIN_FILENO && fd <= STDERR_FILENO && lab_drm_is_used() && uses_table_of_process())
        LAB_FAULT("%s of descriptor %d", call, fd);
}

LAB_PUBLIC int
ioctl(int fd, unsigned long request, ...)
{
    struct lab_object *object = lab_object_of(fd);
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    if (object)
        return give(object->operations->ioctl(object, request, arg));
    if (_IOC_TYPE(request) == 'i' || _IOC_TYPE(request) == 'd')
        look_at_standard(fd, "ioctl() for a device");
    LAB_NEXT(ioctl)
    return next(fd, request, arg);
}

/* What to map in place of a descriptor of the lab's. @return 0 or -errno */
static int
find_map(int *fd, size_t length, int flags, off_t *offset)
{
    struct lab_object *object = flags & MAP_ANONYMOUS ? NULL : lab_object_of(*fd);
    return object && object->operations->map ? object->operations->map(object, length, offset, fd) : 0;
}

LAB_PUBLIC void *
mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    int status = find_map(&fd, length, flags, &offset);
    LAB_NEXT(mmap)
    if (status == 0)
        return next(address, length, protection, flags, fd, offset);
    errno = -status;
    return MAP_FAILED;
}

LAB_PUBLIC void *
mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
    return mmap(address, length, protection, flags, fd, offset);
}

LAB_PUBLIC ssize_t
read(int fd, void *buffer, size_t size)
{
    struct lab_object *object = lab_object_of(fd);
    LAB_NEXT(read)
    if (!object || !object->operations->read)
        return next(fd, buffer, size);
    int flags = fcntl(fd, F_GETFL);
    ssize_t got = object->operations->read(object, buffer, size, !(flags & O_NONBLOCK));
    if (got >= 0)
        return got;
    errno = (int)-got;
    return -1;
}

LAB_PUBLIC ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
LAB_PUBLIC ssize_t
__read_chk(int fd, void *buffer, size_t size, size_t room)
{
    if (size > room)
        abort();
    return read(fd, buffer, size);
}

LAB_PUBLIC off_t
lseek(int fd, off_t offset, int whence)
{
    struct lab_object *object = lab_object_of(fd);
    LAB_NEXT(lseek)
    if (object && object->operations->size && (whence == SEEK_END || whence == SEEK_SET) && offset == 0)
        return whence == SEEK_END ? object->operations->size(object) : 0;
    return next(fd, offset, whence);
}

LAB_PUBLIC off64_t
lseek64(int fd, off64_t offset, int whence)
{
    return lseek(fd, offset, whence);
}

LAB_PUBLIC int
close(int fd)
{
    look_at_standard(fd, "close()");
    lab_descriptor_remove(fd);
    LAB_NEXT(close)
    return next(fd);
}

/* A copy of a descriptor leads to the same object. */
static int
copied(int from, int to)
{
    struct lab_object *object = lab_object_of(from);
    if (to >= 0 && to != from) {
        lab_descriptor_remove(to);
        if (object)
            return give(lab_descriptor_add(to, object));
    }
    return to;
}

LAB_PUBLIC int
dup(int fd)
{
    LAB_NEXT(dup)
    return copied(fd, next(fd));
}

LAB_PUBLIC int
dup2(int fd, int to)
{
    LAB_NEXT(dup2)
    return copied(fd, next(fd, to));
}

LAB_PUBLIC int
dup3(int fd, int to, int flags)
{
    LAB_NEXT(dup3)
    return copied(fd, next(fd, to, flags));
}

static int
after_fcntl(int fd, int command, int result)
{
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, result) : result;
}

LAB_PUBLIC int
fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *arg = va_arg(list, void *);
    va_end(list);
    LAB_NEXT(fcntl)
    return after_fcntl(fd, command, next(fd, command, arg));
}

LAB_PUBLIC int
fcntl64(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *arg = va_arg(list, void *);
    va_end(list);
    LAB_NEXT(fcntl64)
    return after_fcntl(fd, command, next(fd, command, arg));
}

/* Waiting. */

/* True if one of the descriptors needs the lab's answer. */
static bool
has_polled(const struct pollfd *fd, nfds_t count)
{
    for (nfds_t i = 0; i < count; i++) {
        const struct lab_object *object = lab_object_of(fd[i].fd);
        if (object && object->operations->poll)
            return true;
    }
    return false;
}

/* One look at all descriptors. @return how many have events, or -1. */
static int
look(struct pollfd *fd, nfds_t count)
{
    LAB_NEXT(poll)
    int ready = next(fd, count, 0);
    if (ready < 0)
        return ready;
    ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        struct lab_object *object = lab_object_of(fd[i].fd);
        if (object && object->operations->poll)
            fd[i].revents = (short)(object->operations->poll(object) & (fd[i].events | POLLERR | POLLHUP));
        ready += fd[i].revents != 0;
    }
    return ready;
}

static int
poll_until(struct pollfd *fd, nfds_t count, uint64_t deadline_ns)
{
    for (;;) {
        int ready = look(fd, count);
        if (ready != 0 || lab_now_ns() >= deadline_ns)
            return ready;
        if (nanosleep(&(struct timespec){.tv_nsec = POLL_NAP_NS}, NULL) != 0)
            return -1;
    }
}

LAB_PUBLIC int
poll(struct pollfd *fd, nfds_t count, int timeout_ms)
{
    LAB_NEXT(poll)
    if (!has_polled(fd, count))
        return next(fd, count, timeout_ms);
    return poll_until(fd, count, timeout_ms < 0 ? UINT64_MAX : lab_now_ns() + (uint64_t)timeout_ms * 1000000);
}

LAB_PUBLIC int
ppoll(struct pollfd *fd, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    LAB_NEXT(ppoll)
    if (!has_polled(fd, count))
        return next(fd, count, timeout, mask);
    return poll_until(fd, count,
                      timeout ? lab_now_ns() + (uint64_t)timeout->tv_sec * 1000000000u +
                                    (uint64_t)timeout->tv_nsec
                              : UINT64_MAX);
}

/* State. */

static int
after_stat(int fd, int status, struct stat *st)
{
    struct lab_object *object = lab_object_of(fd);
    if (status == 0 && object && object->operations->stat)
        object->operations->stat(object, st);
    return status;
}

LAB_PUBLIC int
fstat(int fd, struct stat *st)
{
    LAB_NEXT(fstat)
    return after_stat(fd, next(fd, st), st);
}

LAB_PUBLIC int
fstat64(int fd, struct stat64 *st)
{
    return fstat(fd, (struct stat *)st);
}
