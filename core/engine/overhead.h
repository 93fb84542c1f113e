/** @file
 * What our own calls cost the application: durations, as a sum and as what is usual. A thread that is put
 * aside in the midst of a call makes a sum of wall-clock times say little; the median does not see it. Next
 * room: report/session_json.h. */
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

/** As many durations as were added, each of their median, to a thirtieth; 0 if there was none. */
uint64_t pp_overhead_median(const struct pp_overhead *own);

#endif
