/** @file
 * The source "drm": what the kernel's graphics drivers account to this process in /proc/self/fdinfo: the time
 * that engines worked for it, and its memory. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_DRM_H
#define PP_COUNTERS_SOURCES_KERNEL_DRM_H

#include "counters/snapshot/source.h"
#include "counters/sources/kernel/kernel_paths.h"

/**
 * Open the source. Finds the process's open graphics devices, and what their drivers report. For a process
 * without a device (`passprobe list`), the events are those that the machine's devices would have.
 *
 * @param paths All members; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_drm_source_open(const struct pp_kernel_paths *paths,
                                                           struct pp_event_source *ret);

/** Free the source. */
void pp_drm_source_close(const struct pp_event_source *source);

#endif
