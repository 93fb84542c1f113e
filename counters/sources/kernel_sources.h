/** @file
 * Opening the counter sources that need only the kernel: those of registry.h whose origin is
 * PP_SOURCE_KERNEL. Knows no graphics API, no core/. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_SOURCES_H
#define PP_COUNTERS_SOURCES_KERNEL_SOURCES_H

#include <stddef.h>

#include "counters/sources/registry.h"

/**
 * Open the sources of this machine and process. Events that the machine lacks have a reason.
 *
 * Ownership: the sources are the process's, for good; a further call gives new ones. Threads: any. Allocates,
 * reads files; nothing counts yet. errno is kept.
 *
 * @param paths NULL, or NULL members: "/sys", "/proc", "/dev". Strings are copied.
 * @param ret   Array of @p capacity elements.
 * @return How many were written.
 */
size_t pp_kernel_sources_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret,
                              size_t capacity);

/**
 * Open the source that counts GPUs of one vendor. Ownership, threads and paths as pp_kernel_sources_open().
 *
 * @param vendor PP_VENDOR_*.
 * @retval 0       *ret is set; where the machine does not let it count, its events have a reason.
 * @retval -ENOENT No source counts this vendor's GPUs.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_kernel_gpu_source_open(const struct pp_kernel_paths *paths, uint32_t vendor, struct pp_event_source *ret);

#endif
