/** @file
 * Inside of sources.h: the source "drm", what the kernel's graphics drivers say about this process in
 * /proc/self/fdinfo: time that engines worked for it, memory it has. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_DRM_H
#define PP_COUNTERS_SOURCES_KERNEL_DRM_H

#include "counters/sources/kernel_sources.h"

/**
 * Make the source: finds the process's open graphics devices, and what their drivers tell. A process without
 * one (passprobe list) is told what the machine's devices would tell.
 *
 * @param proc,dev,sys "/proc", "/dev", "/sys" or what stands for them; copied.
 * @retval 0       *ret is the caller's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_drm_source_open(const char *proc, const char *dev, const char *sys,
                                                           struct pp_event_source *ret);

/** Free the source. */
void pp_drm_source_close(const struct pp_event_source *source);

#endif
