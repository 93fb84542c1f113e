/** @file
 * Hardware counters by VK_INTEL_performance_query: source "oa", with the interface of
 * counters/snapshot/source.h. Events are the metrics of the GPU's sets. This file records no commands. See
 * also perf.h.
 */
#ifndef PP_LAYER_COUNTERS_INTEL_QUERY_H
#define PP_LAYER_COUNTERS_INTEL_QUERY_H

#include <stdint.h>
#include <vulkan/vulkan_core.h>

#include "counters/oa/oa_events.h"
#include "counters/oa/oa_gpu.h"
#include "counters/snapshot/source.h"
#include "counters/sources/i915/i915.h"
#include "layer/counters/perf_layout.h"

/** Self of pp_perf_source_oa: events are the metrics of the GPU's sets, set by set. */
struct pp_perf_oa {
    struct pp_oa_gpu gpu;
    const struct pp_layout *result; /**< layout of a query's result: mdapi-gfx9, ... */
    struct pp_metric_variable variable[PP_I915_VARIABLES];
    size_t variables;
    struct pp_oa_events events;
    struct pp_perf_layout *layouts;
};

extern const struct pp_source_ops pp_perf_source_oa;

/**
 * Find a GPU's metric sets by its PCI ids, and learn from the kernel which units it has and its clocks.
 *
 * @param minor Minor number of its render node, which has the units that this GPU has. Without it, the GPU is
 * assumed to have all units of its kind.
 * @retval 0       Opened; pp_perf_oa_close() frees the memory.
 * @retval -ENOENT No metric sets are known for this GPU.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_perf_oa_open(struct pp_perf_oa *oa, const VkPhysicalDeviceProperties *device, uint32_t minor);

/** Free the memory of @p oa. */
void pp_perf_oa_close(struct pp_perf_oa *oa);

/** Bytes of a query's result. */
uint32_t pp_perf_oa_result_bytes(const struct pp_perf_oa *oa);

/**
 * Register a metric set with the kernel, under the id with which Mesa's driver looks for the metric set of
 * MDAPI. The driver reads the set when a configuration is acquired. Afterwards the set can be removed.
 *
 * @param minor Minor number of the device's render node.
 * @param set   Number of the set in the catalogue.
 * @return The kernel's number of the set, for pp_perf_oa_unregister(); -errno of open or ioctl.
 */
int64_t pp_perf_oa_register(const struct pp_perf_oa *oa, uint32_t minor, uint32_t set);

/** Find the reason why pp_perf_oa_register() failed, and what the user can do, from its negative result.
 * Static text. */
const char *pp_perf_oa_register_reason(int64_t rc);

/** Remove a metric set that pp_perf_oa_register() added. */
void pp_perf_oa_unregister(uint32_t minor, int64_t id);

/** Find a metric set in the kernel, or add it, for pp_i915_unit_change(). @retval 0 *ret is the caller's, for
 * pp_perf_oa_drop(). @retval -errno For pp_perf_oa_register_reason(). */
__attribute__((warn_unused_result)) int pp_perf_oa_use(const struct pp_perf_oa *oa, uint32_t minor,
                                                       uint32_t set, struct pp_i915_config *ret);

/** Remove a metric set if pp_perf_oa_use() added it. */
void pp_perf_oa_drop(uint32_t minor, struct pp_i915_config *config);

#endif
