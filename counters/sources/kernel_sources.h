/** @file
 * Room: counter sources that need only the kernel, all of them behind the seam of counters/sources/source.h.
 * Knows no graphics API, no core/. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_SOURCES_H
#define PP_COUNTERS_SOURCES_KERNEL_SOURCES_H

#include <stddef.h>

#include "counters/sources/source.h"

/** Where the kernel's files are; NULL members: where they always are. For tests. Strings are copied. */
struct pp_kernel_paths {
    const char *sys;  /**< "/sys" */
    const char *proc; /**< "/proc" */
    const char *dev;  /**< "/dev" */
};

/**
 * Open the sources of this machine and process. What the machine lacks is said event by event, with the
 * reason.
 *
 * Ownership: the sources are the process's, for good; calling again gives new ones. Threads: any. Allocates,
 * reads files; nothing counts yet.
 *
 * @param paths NULL: the machine's.
 * @param ret   Room for @p room sources.
 * @return How many were written.
 */
size_t pp_kernel_sources_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret, size_t room);

/**
 * Open the one that counts GPUs of this maker.
 *
 * Ownership, threads: as above.
 *
 * @param vendor PP_VENDOR_*.
 * @retval 0       *ret is set; where the machine does not let it count, its events say why.
 * @retval -ENOENT There is none for this maker.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_kernel_gpu_source_open(const struct pp_kernel_paths *paths, uint32_t vendor, struct pp_event_source *ret);

#endif
