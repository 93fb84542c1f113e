/** @file
 * The instruction that reads a hardware counter. The function has its own file, so that tests can replace it.
 */
#ifndef PP_COUNTERS_SOURCES_CPU_RDPMC_H
#define PP_COUNTERS_SOURCES_CPU_RDPMC_H

#include <stdint.h>

/** Read a hardware counter in user space; on other processors than x86: 0. @p counter must come from a mapped
 * perf page that allows reading: any other number kills the process. */
uint64_t pp_rdpmc(uint32_t counter);

/** Does the processor have the instruction? */
#if defined(__x86_64__) || defined(__i386__)
#define PP_HAS_RDPMC 1
#else
#define PP_HAS_RDPMC 0
#endif

#endif
