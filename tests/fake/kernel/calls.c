/** @file
 * The wrapped system calls (linked with --wrap); see calls.h. */
#include "tests/fake/kernel/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CLAIMS = 32, FILES = 1024 };

struct claim {
    char path[256];
    const struct fake_file_ops *ops;
    void *device;
    int refuse;
};

struct file {
    const struct fake_file_ops *ops; /* NULL: a real file */
    void *file;
    const char *path; /* NULL: none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct claim claim[CLAIMS];
static unsigned claims;
static struct file open_file[FILES]; /* by descriptor */
static int (*perf_open)(const void *, pid_t, int, int, unsigned long);
static struct fake_kernel_calls calls;

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

void
fake_kernel_violation(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("fake-kernel: VIOLATION: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    abort();
}

static void
add_claim(const char *path, const struct fake_file_ops *ops, void *device, int error)
{
    if (claims == CLAIMS || strlen(path) >= sizeof(claim[0].path))
        abort();
    struct claim *to = &claim[claims++];
    *to = (struct claim){.ops = ops, .device = device, .refuse = error};
    memcpy(to->path, path, strlen(path) + 1);
}

void
fake_kernel_claim(const char *path, const struct fake_file_ops *ops, void *device)
{
    add_claim(path, ops, device, 0);
}

void
fake_kernel_refuse(const char *path, int error)
{
    add_claim(path, NULL, NULL, error);
}

void
fake_kernel_perf(int (*open)(const void *attr, pid_t pid, int cpu, int group, unsigned long flags))
{
    perf_open = open;
}

int
fake_kernel_file(const struct fake_file_ops *ops, void *file, size_t bytes)
{
    int fd = memfd_create("fake-kernel", MFD_CLOEXEC);
    if (fd < 0 || fd >= FILES || (bytes && ftruncate(fd, (off_t)bytes)))
        abort();
    (void)pthread_mutex_lock(&lock);
    open_file[fd] = (struct file){ops, file, NULL};
    (void)pthread_mutex_unlock(&lock);
    return fd;
}

const char *
fake_kernel_path(int fd)
{
    return fd >= 0 && fd < FILES && open_file[fd].ops ? open_file[fd].path : NULL;
}

void *
fake_kernel_memory(int fd, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

void
fake_kernel_reset(void)
{
    claims = 0;
    perf_open = NULL;
    memset(open_file, 0, sizeof(open_file));
    calls = (struct fake_kernel_calls){.opens = 0};
}

unsigned
fake_kernel_open_files(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < FILES; fd++)
        count += open_file[fd].ops != NULL;
    return count;
}

struct fake_kernel_calls
fake_kernel_calls(void)
{
    return calls;
}

static struct file
file_of(int fd)
{
    struct file file = {.ops = NULL};
    (void)pthread_mutex_lock(&lock);
    if (fd >= 0 && fd < FILES)
        file = open_file[fd];
    (void)pthread_mutex_unlock(&lock);
    return file;
}

/* @return what a call returns for 0 or -errno. */
static int
answer(long rc)
{
    if (rc >= 0)
        return (int)rc;
    errno = (int)-rc;
    return -1;
}

static int
open_claim(const struct claim *from, int flags)
{
    void *file = from->device;
    int rc = from->refuse ? -from->refuse : from->ops->open ? from->ops->open(from->device, &file) : 0;
    calls.opens++;
    if (rc)
        return answer(rc);
    if (!(flags &
          O_CLOEXEC)) /* a rule of passprobe: a descriptor must not leak into the application's children */
        fake_kernel_violation("%s is opened without O_CLOEXEC", from->path);
    int fd = fake_kernel_file(from->ops, file, 0);
    open_file[fd].path = from->path;
    return fd;
}

int
__wrap_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    for (unsigned i = 0; i < claims; i++)
        if (strcmp(claim[i].path, path) == 0)
            return open_claim(&claim[i], flags);
    return __real_open(path, flags, mode);
}

int
__wrap_close(int fd)
{
    struct file file = file_of(fd);
    if (file.ops) {
        (void)pthread_mutex_lock(&lock);
        open_file[fd].ops = NULL;
        (void)pthread_mutex_unlock(&lock);
        if (file.ops->close)
            file.ops->close(file.file);
    }
    return __real_close(fd);
}

int
__wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    struct file file = file_of(fd);
    if (!file.ops)
        return __real_ioctl(fd, request, arg);
    calls.ioctls++;
    return answer(file.ops->ioctl ? file.ops->ioctl(file.file, request, arg) : -ENOTTY);
}

ssize_t
__wrap_read(int fd, void *buffer, size_t size)
{
    struct file file = file_of(fd);
    if (!file.ops || !file.ops->read)
        return __real_read(fd, buffer, size);
    calls.reads++;
    return answer(file.ops->read(file.file, buffer, size));
}

ssize_t
__wrap_pread(int fd, void *buffer, size_t size, off_t offset)
{
    struct file file = file_of(fd);
    if (!file.ops || !file.ops->pread)
        return __real_pread(fd, buffer, size, offset);
    calls.reads++;
    return answer(file.ops->pread(file.file, buffer, size, offset));
}

int
__wrap_poll(struct pollfd *fd, nfds_t fds, int timeout)
{
    struct file file = fds == 1 ? file_of(fd->fd) : (struct file){.ops = NULL};
    if (!file.ops || !file.ops->readable)
        return __real_poll(fd, fds, timeout);
    calls.polls++;
    fd->revents = file.ops->readable(file.file) ? POLLIN : 0;
    return fd->revents != 0;
}

long
__wrap_syscall(long number, ...)
{
    va_list list;
    long arg[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arg[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open && perf_open)
        return answer(
            perf_open((const void *)arg[0], (pid_t)arg[1], (int)arg[2], (int)arg[3], (unsigned long)arg[4]));
    return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
