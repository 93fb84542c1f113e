/** @file
 * A clock that a test sets forward, so that a pause of any length takes no time. It replaces
 * clock_gettime(CLOCK_MONOTONIC) and pthread_cond_timedwait() of the whole process: link clock.c into the
 * test. Preloaded into an application (libfake-clock.so), it makes each sleep of the collector take
 * FAKE_CLOCK_NAP_S seconds of that clock. */
#ifndef PP_TESTS_FAKE_CLOCK_H
#define PP_TESTS_FAKE_CLOCK_H

#include <stdint.h>

/** Set CLOCK_MONOTONIC forward by @p ns nanoseconds. Any thread. */
void fake_clock_forward(uint64_t ns);

/** Set CLOCK_MONOTONIC forward by @p ns nanoseconds, and return when the collector thread has had two whole
 * rounds since then; it reads the clock in each round. The calling thread must not be the collector's. */
void fake_clock_pause(uint64_t ns);

/** Return when the collector thread has had two whole rounds. */
void fake_clock_rounds(void);

#endif
