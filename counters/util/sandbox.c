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

#include "counters/util/own_fd.h"

enum { PROCESS, THREAD, WATCHED };

/* What one table of descriptors watches: that of the application's threads, or that of the collector. Each
 * descriptor is written once, before `watched` counts it. */
struct sandbox {
    int fd[WATCHED];
    uint64_t filters[WATCHED]; /* when the watch began */
    atomic_bool watched[WATCHED];
    atomic_bool entered;
    atomic_bool lost; /* a descriptor is not ours any more */
};

static struct sandbox application = {.fd = {-1, -1}}, collector = {.fd = {-1, -1}};
static pthread_once_t application_once = PTHREAD_ONCE_INIT, collector_once = PTHREAD_ONCE_INIT;
static atomic_bool collector_watches;
static pthread_t collector_thread; /* written before collector_watches */

/* The sandbox of the calling thread. */
static struct sandbox *
sandbox_here(void)
{
    bool other = atomic_load(&collector_watches) && pthread_equal(pthread_self(), collector_thread);
    return other ? &collector : &application;
}

/* The number after a key at the begin of a line. @return false: there is none. */
static bool
number_of(const char *text, const char *key, uint64_t *ret)
{
    const char *at = strstr(text, key);
    if (!at)
        return false;
    *ret = strtoull(at + strlen(key), NULL, 10);
    return true;
}

/* Bytes of a status file that are read at once: mostly all of it. It is read on the application's stacks,
 * which may be small. */
#define PIECE_BYTES 1535
/* No line with a number is longer. */
#define OVERLAP_BYTES 64

/* Mode and number of a thread's filters as one number. @return false: not known. */
static bool
read_filters(int fd, uint64_t *ret)
{
    char text[PIECE_BYTES + 1];
    uint64_t mode = 0;
    uint64_t filters = 0;
    off_t at = 0;
    ssize_t got;
    bool found = false, counted;
    do { /* a process may have many groups */
        got = fd < 0 ? -1 : pread(fd, text, PIECE_BYTES, at);
        text[got > 0 ? got : 0] = '\0';
        found = number_of(text, "\nSeccomp:", &mode) || found;
        counted = number_of(text, "\nSeccomp_filters:", &filters);
        at += PIECE_BYTES - OVERLAP_BYTES;
    } while (!(found && counted) && got == PIECE_BYTES);
    if (!found)
        return false;
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
watch(struct sandbox *sandbox, unsigned which, const char *path)
{
    sandbox->fd[which] = pp_fd_keep_file(open(path, O_RDONLY | O_CLOEXEC));
    if (!read_filters(sandbox->fd[which], &sandbox->filters[which]))
        atomic_store(&sandbox->entered, true);
    atomic_store(&sandbox->watched[which], true);
}

static void
watch_application(void)
{
    watch(&application, PROCESS, "/proc/self/status");
}

static void
watch_collector(void)
{
    watch(&collector, PROCESS, "/proc/self/status");
    watch(&collector, THREAD, "/proc/thread-self/status");
    collector_thread = pthread_self();
    atomic_store(&collector_watches, true);
}

void
pp_sandbox_leave_collector(void)
{
    if (sandbox_here() == &collector)
        atomic_store(&collector_watches, false);
}

void
pp_sandbox_watch(void)
{
    (void)pthread_once(&application_once, watch_application);
}

void
pp_sandbox_watch_collector(void)
{
    (void)pthread_once(&collector_once, watch_collector);
}

bool
pp_sandbox_entered(void)
{
    struct sandbox *sandbox = sandbox_here();
    for (unsigned i = 0; i < WATCHED && !atomic_load(&sandbox->entered); i++) {
        uint64_t filters = 0;
        if (!atomic_load(&sandbox->watched[i]))
            continue;
        if (sandbox->fd[i] >= 0 && !pp_fd_is_own_file(sandbox->fd[i]))
            atomic_store(&sandbox->lost, true);
        if (atomic_load(&sandbox->lost) || !read_filters(sandbox->fd[i], &filters) ||
            filters != sandbox->filters[i])
            atomic_store(&sandbox->entered, true);
    }
    return atomic_load(&sandbox->entered);
}

bool
pp_sandbox_lost(void)
{
    return atomic_load(&sandbox_here()->lost);
}
