/** @file
 * The source "cpu": what the calling thread did, by perf_event_open(2). Where the kernel refuses perf, some
 * events come from getrusage(2) and other sources that need no right; the texts of other events say why, and
 * what the user can do. */
#ifndef PP_COUNTERS_SOURCES_CPU_CPU_H
#define PP_COUNTERS_SOURCES_CPU_CPU_H

#include "counters/snapshot/source.h"
#include "counters/sources/kernel/small_file.h"

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

/** Free the source. All other threads that read it must have ended. */
void pp_cpu_source_close(const struct pp_event_source *source);

#endif
