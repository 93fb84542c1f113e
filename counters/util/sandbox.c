/** @file
 * Seccomp filters of this process; see sandbox.h. Source: proc_pid_status(5) and the kernel's
 * kernel/seccomp.c: "Seccomp" is the thread's mode since Linux 3.8, "Seccomp_filters" their number since 5.9.
 */
#include "counters/util/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/util/fd.h"

enum { PROCESS, THREAD, WATCHED };

/* The process's one sandbox. Each descriptor is written once, before `watched` counts it. */
static struct {
    pthread_once_t process_once, thread_once;
    int fd[WATCHED];
    uint64_t filters[WATCHED]; /* when the watch began */
    atomic_bool watched[WATCHED];
    atomic_bool entered;
    atomic_bool lost; /* a descriptor is not ours any more */
} sandbox = {.process_once = PTHREAD_ONCE_INIT, .thread_once = PTHREAD_ONCE_INIT, .fd = {-1, -1}};

/* The number behind a key at the begin of a line. @return false: there is none. */
static bool
number_of(const char *text, const char *key, uint64_t *ret)
{
    const char *at = strstr(text, key);
    if (!at)
        return false;
    *ret = strtoull(at + strlen(key), NULL, 10);
    return true;
}

/* Is a descriptor that read nothing of use another file by now, or none? A filter's errors are others.
 * @param got What pread() returned. */
static bool
is_foreign(ssize_t got)
{
    return got >= 0 || errno == EBADF || errno == ESPIPE || errno == EISDIR || errno == EINVAL;
}

/* Mode and number of a thread's filters as one number. @return false: not known. */
static bool
read_filters(int fd, uint64_t *ret)
{
    char text[8192]; /* a process may have many groups */
    uint64_t mode = 0;
    uint64_t filters = 0;
    ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    if (!number_of(text, "\nSeccomp:", &mode)) {
        if (fd >= 0 && is_foreign(got))
            atomic_store(&sandbox.lost, true);
        return false;
    }
    (void)number_of(text, "\nSeccomp_filters:", &filters);
    *ret = filters * 4 + mode;
    return true;
}

/* The filters that the process was started with; written once, before main(). */
static struct {
    uint64_t filters;
    bool known;
} start;

/* @return false: not known. */
static bool
read_filters_of(const char *path, uint64_t *ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool known = read_filters(fd, ret);
    if (fd >= 0)
        close(fd);
    return known;
}

void
pp_sandbox_note_start(void)
{
    int saved = errno;
    start.known = read_filters_of("/proc/self/status", &start.filters);
    errno = saved;
}

bool
pp_sandbox_since_start(void)
{
    uint64_t filters = 0;
    int saved = errno;
    bool more =
        start.known && read_filters_of("/proc/thread-self/status", &filters) && filters != start.filters;
    errno = saved;
    return more;
}

static void
watch(unsigned which, const char *path)
{
    sandbox.fd[which] = pp_fd_move_high(open(path, O_RDONLY | O_CLOEXEC));
    if (!read_filters(sandbox.fd[which], &sandbox.filters[which]))
        atomic_store(&sandbox.entered, true);
    atomic_store(&sandbox.watched[which], true);
}

static void
watch_process(void)
{
    watch(PROCESS, "/proc/self/status");
}

static void
watch_thread(void)
{
    watch(THREAD, "/proc/thread-self/status");
}

void
pp_sandbox_watch(void)
{
    (void)pthread_once(&sandbox.process_once, watch_process);
}

void
pp_sandbox_watch_thread(void)
{
    (void)pthread_once(&sandbox.thread_once, watch_thread);
}

bool
pp_sandbox_entered(void)
{
    for (unsigned i = 0; i < WATCHED && !atomic_load(&sandbox.entered); i++) {
        uint64_t filters = 0;
        if (!atomic_load(&sandbox.watched[i]))
            continue;
        if (!read_filters(sandbox.fd[i], &filters) || filters != sandbox.filters[i])
            atomic_store(&sandbox.entered, true);
    }
    return atomic_load(&sandbox.entered);
}

bool
pp_sandbox_lost(void)
{
    return atomic_load(&sandbox.lost);
}
