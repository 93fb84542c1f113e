/** @file
 * The source "load": how many threads of the machine can run. An example of docs/internals/howto.md. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_LOAD_H
#define PP_COUNTERS_SOURCES_KERNEL_LOAD_H

#include "counters/snapshot/source.h"
#include "counters/sources/kernel/small_file.h"

/**
 * Open the source. Keeps /proc/loadavg open, because the collector opens nothing later.
 *
 * @param paths proc; not kept.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_load_source_open(const struct pp_kernel_paths *paths,
                                                            struct pp_event_source *ret);

#endif
