/** @file
 * The source "mali": Arm's counters and metrics. The counters count the whole GPU, and therefore need
 * --serialize. */
#ifndef PP_COUNTERS_SOURCES_MALI_MALI_SOURCE_H
#define PP_COUNTERS_SOURCES_MALI_MALI_SOURCE_H

#include "counters/snapshot/source.h"
#include "counters/sources/kernel/small_file.h"

/**
 * Open the source. Without a Mali GPU, the source has one event, which says why.
 *
 * @param paths sys and dev; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_mali_source_open(const struct pp_kernel_paths *paths,
                                                            struct pp_event_source *ret);

/** Free the source. */
void pp_mali_source_close(const struct pp_event_source *source);

#endif
