/** @file
 * The clock that the command waits and measures by. core/engine/clock.h has that of an application's process.
 */
#ifndef PP_COUNTERS_UTIL_MONOTONIC_H
#define PP_COUNTERS_UTIL_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/** Nanoseconds of CLOCK_MONOTONIC. Any thread. */
static inline uint64_t
pp_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
