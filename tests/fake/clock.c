/** @file
 * See clock.h. */
#include "tests/fake/clock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The collector waits at most once in a round; without a wait it continues at once. */
#define ROUNDS      2U
#define PATIENCE_MS 20000U
#define WAIT_NS     1000000

/* Times below this number of seconds are CLOCK_MONOTONIC's: condition variables of other code wait by
 * CLOCK_REALTIME. */
#define REALTIME_S 1000000000

static _Atomic int64_t offset_ns;
static atomic_uint waits;

static struct timespec
moved(const struct timespec *time, int64_t by_ns)
{
    int64_t ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + by_ns;
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* Overrides the C library's. */
__attribute__((visibility("default"))) int
clock_gettime(clockid_t clock, struct timespec *ret_time)
{
    int rc = (int)syscall(SYS_clock_gettime, clock, ret_time);
    if (rc == 0 && clock == CLOCK_MONOTONIC)
        *ret_time = moved(ret_time, atomic_load(&offset_ns));
    return rc;
}

/* Replaces the C library's function: the kernel does not know the offset. The collector's sleeps may be short
 * here. */
__attribute__((visibility("default"))) int
pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    static int (*_Atomic next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) = atomic_load(&next);
    if (!wait) {
        void *found = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
        memcpy(&wait, &found, sizeof(wait));
        atomic_store(&next, wait);
    }
    struct timespec now;
    if (until->tv_sec >= REALTIME_S)
        return wait(cond, mutex, until);
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    const struct timespec real = moved(until, -atomic_load(&offset_ns)), soon = moved(&now, WAIT_NS);
    if (real.tv_sec >
        now.tv_sec +
            1) /* this is no sleep of the collector: the end of the process waits for the collector */
        return wait(cond, mutex, &real);
    atomic_fetch_add(&waits, 1);
    const char *seconds = getenv("FAKE_CLOCK_NAP_S");
    if (seconds)
        fake_clock_forward(strtoull(seconds, NULL, 10) * 1000000000U);
    return wait(cond, mutex, &soon);
}

void
fake_clock_forward(uint64_t ns)
{
    atomic_fetch_add(&offset_ns, (int64_t)ns);
}

void
fake_clock_rounds(void)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    unsigned from = atomic_load(&waits);
    /* the current wait, and those that end two rounds */
    for (unsigned i = 0; i < PATIENCE_MS && atomic_load(&waits) - from <= ROUNDS; i++)
        nanosleep(&nap, NULL);
    if (atomic_load(&waits) - from <= ROUNDS)
        _exit(9);
}

void
fake_clock_pause(uint64_t ns)
{
    fake_clock_forward(ns);
    fake_clock_rounds();
}
