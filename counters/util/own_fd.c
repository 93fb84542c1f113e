/** @file
 * See own_fd.h. Source: close_range(2), unshare(2), pidfd_getfd(2). */
#include "counters/util/own_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters/util/sandbox.h"

/* Source: linux/close_range.h of Linux 5.9. */
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2U
#endif

/* Half of the usual limit of 1,024: far from the numbers that applications get, without a larger table in the
 * kernel. */
#define HIGH 512
/* Where the limit is lower than HIGH: above the standard descriptors, at least. */
#define NOT_STANDARD 3

/* The position of a file of passprobe's is this plus its number, so that two files are not mistaken for each
 * other. All file systems allow it, and no file of an application has it by chance. */
#define POSITION 0x70617373
#define FLAGS    (O_APPEND | O_NONBLOCK)

/* The collector's table. Written once, before `taken`. */
static struct {
    atomic_bool taken;
    atomic_bool left; /* its thread ends, and a thread of the application may get the same pthread_t */
    pthread_t thread;
    int process; /* a pidfd in that table; -1: nothing can be borrowed */
} table = {.process = -1};

bool
pp_fd_table_taken(void)
{
    return atomic_load_explicit(&table.taken, memory_order_acquire);
}

/* Is the calling thread the collector, with a table of its own? */
static bool
has_own_table(void)
{
    return pp_fd_table_taken() && !atomic_load_explicit(&table.left, memory_order_relaxed) &&
           pthread_equal(pthread_self(), table.thread);
}

static int
move_high(int fd)
{
    if (fd < 0 || fd >= HIGH)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
    if (high < 0 && fd < NOT_STANDARD)
        high = fcntl(fd, F_DUPFD_CLOEXEC, NOT_STANDARD);
    if (high < 0)
        return fd;
    (void)close(fd);
    return high;
}

void
pp_fd_mark_file(int fd)
{
    int error = errno;
    if (fd >= 0)
        (void)lseek(fd, POSITION + fd, SEEK_SET);
    errno = error;
}

int
pp_fd_keep_file(int fd)
{
    int error = errno;
    fd = move_high(fd);
    pp_fd_mark_file(fd);
    errno = error;
    return fd;
}

void
pp_fd_mark(int fd)
{
    int error = errno;
    int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    if (flags >= 0)
        (void)fcntl(fd, F_SETFL, flags | FLAGS);
    errno = error;
}

int
pp_fd_keep(int fd)
{
    int error = errno;
    fd = move_high(fd);
    pp_fd_mark(fd);
    errno = error;
    return fd;
}

/* @return `own`, with errno. */
static bool
tell(bool own, int error)
{
    errno = own ? error : EBADF;
    return own;
}

bool
pp_fd_is_own_file(int fd)
{
    int error = errno;
    return tell(fd >= 0 && (has_own_table() || lseek(fd, 0, SEEK_CUR) == POSITION + fd), error);
}

static bool
has_flags(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & FLAGS) == FLAGS;
}

bool
pp_fd_is_own(int fd)
{
    int error = errno;
    return tell(fd >= 0 && (has_own_table() || has_flags(fd)), error);
}

void
pp_fd_close_file(int fd)
{
    if (pp_fd_is_own_file(fd))
        (void)close(fd);
}

void
pp_fd_close(int fd)
{
    if (fd >= 0 && (has_own_table() || (!pp_sandbox_entered() && pp_fd_is_own(fd))))
        (void)close(fd);
}

/* Wrappers by number: the C library of Debian 11 has none. close() is called by number, too, where a copy of
 * the application's descriptor is closed: tools that follow descriptors by number would think that it is the
 * application's. */
static int
close_range_of(unsigned first, unsigned last, unsigned flags)
{
#ifdef SYS_close_range
    return (int)syscall(SYS_close_range, first, last, flags);
#else
    (void)first, (void)last, (void)flags;
    errno = ENOSYS;
    return -1;
#endif
}

static int
open_process(void)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, getpid(), 0);
#else
    return -1;
#endif
}

static int
copy_of(int process, int fd)
{
#ifdef SYS_pidfd_getfd
    int copy = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
    return process < 0 ? -EOPNOTSUPP : copy < 0 ? -errno : copy;
#else
    (void)process, (void)fd;
    return -EOPNOTSUPP;
#endif
}

static bool
can_borrow(void)
{
    int process = open_process();
    int copy = copy_of(process, process);
    if (copy >= 0)
        (void)syscall(SYS_close, copy);
    if (process >= 0)
        (void)syscall(SYS_close, process);
    return copy >= 0;
}

/* An entry of a directory. Source: getdents64(2). */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t len;
    uint8_t type;
    char name[];
};

/* Close what a piece of the list of descriptors names, but standard error and the list. */
static void
close_listed(const char *piece, ssize_t len, int list)
{
    for (const char *at = piece; at < piece + len;) {
        struct entry entry;
        memcpy(&entry, at, offsetof(struct entry, name));
        const char *digit = at + offsetof(struct entry, name);
        int fd = 0;
        at += entry.len;
        if (*digit == '.')
            continue;
        for (; *digit; digit++)
            fd = 10 * fd + (*digit - '0');
        if (fd != STDERR_FILENO && fd != list)
            (void)syscall(SYS_close, fd);
    }
}

/* Close the descriptors that the thread's list in /proc has. The place in the list is a number of a
 * descriptor, so closing one skips none. @return false: not all of them. */
static bool
close_open_ones(void)
{
    _Alignas(struct entry) char piece[2048];
    int list = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t len = list < 0 ? -1 : 1;
    while (len > 0) {
        len = (ssize_t)syscall(SYS_getdents64, list, piece, sizeof(piece));
        if (len > 0)
            close_listed(piece, len, list);
    }
    if (list >= 0)
        (void)syscall(SYS_close, list);
    return len == 0;
}

/* Close all of the table but standard error, one by one, where the kernel has no close_range(). */
static void
close_each(void)
{
    const long most = 1 << 20;
    long end = close_open_ones() ? 0 : sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < (end >= 0 && end < most ? end : most); fd++)
        if (fd != STDERR_FILENO)
            (void)syscall(SYS_close, fd);
}

/* close_range() makes a new table without copying what it closes, and filters of containers that refuse
 * unshare() mostly allow it. */
static bool
unshare_table(void)
{
    if (close_range_of(NOT_STANDARD, ~0U, CLOSE_RANGE_UNSHARE) == 0) {
        (void)syscall(SYS_close, STDIN_FILENO);
        (void)syscall(SYS_close, STDOUT_FILENO);
        return true;
    }
    if (unshare(CLONE_FILES))
        return false;
    close_each();
    return true;
}

bool
pp_fd_take_table(bool borrows)
{
    if (pp_fd_table_taken() || (borrows && !can_borrow()) || !unshare_table())
        return false;
    table.thread = pthread_self();
    table.process = move_high(open_process());
    atomic_store_explicit(&table.taken, true, memory_order_release);
    return true;
}

void
pp_fd_leave_table(void)
{
    if (has_own_table())
        atomic_store_explicit(&table.left, true, memory_order_relaxed);
}

/* Are these the same file? Where one is not known, they are. */
static bool
is_same_file(int one, int other)
{
    struct stat a, b;
    return fstat(one, &a) || fstat(other, &b) || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* The number must not be free: the next file would get it, and messages would go there. A pidfd takes none.
 */
void
pp_fd_follow_stderr(void)
{
    static bool gone; /* collector thread only */
    if (gone || !has_own_table() || table.process < 0)
        return;
    int theirs = pp_fd_borrow_foreign(STDERR_FILENO);
    if (theirs == -EBADF || (theirs >= 0 && !is_same_file(theirs, STDERR_FILENO))) {
        (void)syscall(SYS_dup3, table.process, STDERR_FILENO, O_CLOEXEC);
        gone = true;
    }
    if (theirs >= 0)
        (void)syscall(SYS_close, theirs);
}

/* The copy gets the number that it has in the application's table, if that is free. */
int
pp_fd_borrow_foreign(int fd)
{
    if (!has_own_table())
        return fd;
    int copy = pp_sandbox_entered() ? -ECONNREFUSED : copy_of(table.process, fd);
    if (copy < 0 || copy == fd || fcntl(fd, F_GETFD) >= 0)
        return copy;
    int same = (int)syscall(SYS_dup3, copy, fd, O_CLOEXEC);
    if (same >= 0)
        (void)syscall(SYS_close, copy);
    return same < 0 ? copy : same;
}

int
pp_fd_borrow(int fd)
{
    if (fd < 0)
        return -EBADF;
    int borrowed = pp_fd_borrow_foreign(fd);
    if (borrowed < 0 || has_flags(borrowed))
        return borrowed;
    pp_fd_give_back(borrowed);
    return -EBADF;
}

void
pp_fd_give_back(int borrowed)
{
    if (borrowed >= 0 && has_own_table())
        (void)syscall(SYS_close, borrowed);
}
