/** @file
 * Durations of passprobe's calls in the application, as a sum and as a median. If the kernel interrupts a
 * thread during a call, the sum of wall-clock times becomes too large; the median does not. See also
 * core/collect/output/session_json.h. */
#ifndef PP_CORE_ENGINE_OVERHEAD_H
#define PP_CORE_ENGINE_OVERHEAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define PP_OVERHEAD_FINE 4U /* a bin is a sixteenth of its value wide at most */
#define PP_OVERHEAD_BINS ((size_t)(65 - PP_OVERHEAD_FINE) << PP_OVERHEAD_FINE)

/** Durations of one kind. All zero: none yet. */
struct pp_overhead {
    _Atomic uint64_t sum_ns;
    _Atomic uint32_t bin[PP_OVERHEAD_BINS];
};

/** Add a duration. Any thread; never waits. */
void pp_overhead_add(struct pp_overhead *own, uint64_t ns);

/** Number of durations times their median, in nanoseconds, exact to 1/30. 0 if there are no durations. */
uint64_t pp_overhead_median(const struct pp_overhead *own);

/** @return The processor time of the calling thread, in nanoseconds. */
uint64_t pp_overhead_thread_ns(void);

#endif
