/** @file
 * The source "oa" by i915-perf: Intel's metric sets over what the OA unit reports about the whole GPU. The
 * reports of a bracket's time and context are summed. */
#ifndef PP_COUNTERS_SOURCES_I915_OA_H
#define PP_COUNTERS_SOURCES_I915_OA_H

#include "counters/snapshot/source.h"
#include "counters/sources/i915/i915.h"
#include "counters/sources/kernel/small_file.h"

/**
 * Open the source. If i915 drives no GPU, the source has one event, which says why.
 *
 * @param paths All members; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_oa_source_open(const struct pp_kernel_paths *paths,
                                                          struct pp_event_source *ret);

/** Free the source. */
void pp_oa_source_close(const struct pp_event_source *source);

#endif
