/** @file
 * Hardware counters by VK_KHR_performance_query (source "khr") and VK_INTEL_performance_query (source
 * "oa"), behind the interface of counters/sources/source.h: which events there are, which fit together, what
 * a result's bytes mean. Records no command. See also perf.h. */
#ifndef PP_LAYER_COUNTERS_PERF_SOURCE_H
#define PP_LAYER_COUNTERS_PERF_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#include "counters/oa/oa_events.h"
#include "counters/oa/oa_gpu.h"
#include "counters/sources/i915/i915.h"
#include "counters/sources/source.h"
#include "layer/counters/perf_quirks.h"

/** Layout of the results of one choice of events, in their order; an element of a source's list. */
struct pp_perf_layout {
    struct pp_perf_layout *next;
    struct pp_layout layout;
    struct pp_field *field;
    uint32_t *event;
    uint32_t events;
};

/** A counter that the driver enumerates. */
struct pp_perf_counter {
    char name[2 * VK_MAX_DESCRIPTION_SIZE + 16];
    char category[VK_MAX_DESCRIPTION_SIZE];
    char description[VK_MAX_DESCRIPTION_SIZE];
    const char *reason; /**< why it cannot be measured; NULL: it can */
    uint8_t unit;       /**< enum pp_unit */
    uint8_t number;     /**< enum pp_number */
    uint8_t bits;       /**< of a value */
    uint8_t scope;      /**< VkPerformanceCounterScopeKHR: the real one, which a driver may not report */
    bool not_additive;
};

/** Self of pp_perf_source_khr. */
struct pp_perf_khr {
    VkPhysicalDevice physical;
    uint32_t family; /**< whose counters these are */
    PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes;
    struct pp_perf_counter *counter;
    uint32_t counters;
    struct pp_perf_layout *layouts;
    uint32_t *
        default_event; /**< the default set; NULL until asked for, or where the driver is better left alone */
    uint32_t default_events;
    bool has_default_events;
};

extern const struct pp_source_ops pp_perf_source_khr;

/**
 * Ask a driver for its counters.
 *
 * @param quirk What the driver is known for.
 * @retval 0       Filled; pp_perf_khr_close() frees it.
 * @retval -ENOENT The family has no counters.
 * @retval -EIO    The driver failed to say.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_perf_khr_open(struct pp_perf_khr *khr, VkPhysicalDevice physical, uint32_t family,
                 PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate,
                 PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes,
                 const struct pp_perf_quirk *quirk);

/** Free the memory of @p khr. */
void pp_perf_khr_close(struct pp_perf_khr *khr);

/** The narrowest scope that any of these counters demands: VkPerformanceCounterScopeKHR. */
VkPerformanceCounterScopeKHR pp_perf_khr_scope(const struct pp_perf_khr *khr, const uint32_t *event,
                                               uint32_t events);

/** Self of pp_perf_source_oa: events are the metrics of the GPU's sets, set by set. */
struct pp_perf_oa {
    struct pp_oa_gpu gpu;
    const struct pp_layout *result; /**< of a query: mdapi-gfx9, ... */
    struct pp_metric_variable variable[PP_I915_VARIABLES];
    size_t variables;
    struct pp_oa_events events;
    struct pp_perf_layout *layouts;
};

extern const struct pp_source_ops pp_perf_source_oa;

/**
 * Find a GPU's metric sets by the name that Mesa gives the device: "Intel(R) HD Graphics 620 (KBL GT2)".
 *
 * @param minor Of its render node, which says how this one is fused; without it the whole part is taken for
 * it.
 * @retval 0       Filled; pp_perf_oa_close() frees it.
 * @retval -ENOENT No metric sets are known for it.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_perf_oa_open(struct pp_perf_oa *oa, const char *device_name,
                                                        uint32_t minor);

/** Free the memory of @p oa. */
void pp_perf_oa_close(struct pp_perf_oa *oa);

/** Bytes of a query's result. */
uint32_t pp_perf_oa_result_bytes(const struct pp_perf_oa *oa);

/**
 * Register a metric set with the kernel under the id by which Mesa's driver looks for what MDAPI set up. The
 * driver reads it when a configuration is acquired; afterwards it can go.
 *
 * @param minor  Of the device's render node.
 * @param set    In the catalogue.
 * @param ret_fd The node, open; -1 on failure.
 * @return Its number with the kernel, for pp_perf_oa_unregister(); -errno of open or ioctl.
 */
int64_t pp_perf_oa_register(const struct pp_perf_oa *oa, uint32_t minor, uint32_t set, int *ret_fd);

/** Why pp_perf_oa_register() failed, and what the user can do, for its negative result. Static text. */
const char *pp_perf_oa_register_reason(int64_t rc);

/** Remove a metric set that pp_perf_oa_register() added, and close the node. */
void pp_perf_oa_unregister(int fd, int64_t id);

/** Free a source's layouts. */
void pp_perf_layouts_free(struct pp_perf_layout *list);

/** The layout of these events, if it was made already. */
const struct pp_layout *pp_perf_layout_find(const struct pp_perf_layout *list, const uint32_t *event,
                                            size_t events);

/** Add an empty layout for @p fields fields at the head of a list. @return NULL: no memory. */
struct pp_perf_layout *pp_perf_layout_add(struct pp_perf_layout **list, const uint32_t *event, size_t events,
                                          uint32_t fields);

/** Add one result to another, field by field, as their numbers are; states keep the first. Snapshots of one
 * layout whose fields are whole words. */
void pp_perf_add(const struct pp_layout *layout, uint8_t *sum, const uint8_t *more);

#endif
