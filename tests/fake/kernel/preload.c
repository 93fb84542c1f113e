/** @file
 * The stand-ins in somebody else's program, by LD_PRELOAD: a Mali-G76 at /dev/mali0 (kbase), whose front end
 * counts FAKE_MALI_ACTIVE clocks of GPU_ACTIVE between any two samples. */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "counters/mali.h"
#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/mali.h"

#define PUBLIC __attribute__((visibility("default")))

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long request, ...);
ssize_t __real_read(int fd, void *buffer, size_t size);
int __real_poll(struct pollfd *fd, nfds_t fds, int timeout);
long __real_syscall(long number, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_poll(struct pollfd *fd, nfds_t fds, int timeout);

/* dlsym() gives void *, which ISO C does not turn into a function. */
#define NEXT(function)                                                                                       \
    static __typeof__(&function) next;                                                                       \
    if (!next) {                                                                                             \
        void *found = dlsym(RTLD_NEXT, #function);                                                           \
        memcpy(&next, &found, sizeof(next));                                                                 \
    }

int
__real_open(const char *path, int flags, ...)
{
    NEXT(open)
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    return next(path, flags, mode);
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
    return read(fd, buffer, size);
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
    (void)number;
    abort(); /* not stood in for here */
}

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

PUBLIC int
poll(struct pollfd *fd, nfds_t fds, int timeout)
{
    return __wrap_poll(fd, fds, timeout);
}

__attribute__((constructor)) static void
begin(void)
{
    static const struct fake_mali g76 = {
        .node = "/dev/mali0", .product = 0x7211, .cores = 0x37, .slices = 2, .bus_log2 = 7, .version = 38};
    const char *active = getenv("FAKE_MALI_ACTIVE");
    const struct pp_mali_gpu *gpu = pp_mali_gpu_find("mali-g76");
    fake_mali_kbase(&g76);
    for (uint32_t i = 0; active && gpu && i < gpu->counters; i++)
        if (strcmp(gpu->counter[i].symbol, "MaliGPUCyclesGPUActive") == 0)
            fake_mali_before_samples(gpu->counter[i].block, 0, gpu->counter[i].word,
                                     strtoull(active, NULL, 10));
}
