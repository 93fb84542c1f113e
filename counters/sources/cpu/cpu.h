/** @file
 * Inside of sources.h: the source "cpu", what the calling thread did by perf_event_open(2), or by what the
 * kernel tells everybody where that is refused. */
#ifndef PP_COUNTERS_SOURCES_CPU_CPU_H
#define PP_COUNTERS_SOURCES_CPU_CPU_H

#include "counters/sources/kernel_paths.h"
#include "counters/sources/source.h"

/**
 * Open the source. Tries every event once, on the calling thread.
 *
 * @param paths proc; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 * @retval -EAGAIN The process has no thread-specific key left.
 */
__attribute__((warn_unused_result)) int pp_cpu_source_open(const struct pp_kernel_paths *paths,
                                                           struct pp_event_source *ret);

/** Free the source, once all threads that read it but this one have ended. */
void pp_cpu_source_close(const struct pp_event_source *source);

/** Read a hardware counter in user space; x86 only, elsewhere 0. Only with a counter's number out of a mapped
 * perf page that allows it: else the program dies. */
uint64_t pp_rdpmc(uint32_t counter);

/** Is there such an instruction here? */
#if defined(__x86_64__) || defined(__i386__)
#define PP_HAS_RDPMC 1
#else
#define PP_HAS_RDPMC 0
#endif

#endif
