/** @file
 * One instruction; see perf_group.h. */
#include "counters/sources/cpu/perf_group.h"

uint64_t
pp_rdpmc(uint32_t counter)
{
#if PP_HAS_RDPMC
    uint32_t low = 0, high = 0;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return (uint64_t)high << 32 | low;
#else
    (void)counter;
    return 0;
#endif
}
