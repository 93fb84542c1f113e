/** @file
 * Hardware counters by VK_KHR_performance_query: source "khr", with the interface of
 * counters/snapshot/source.h. This file has the events, which of them fit together, and what the bytes of a
 * result mean. It records no commands. See also perf.h. */
#ifndef PP_LAYER_COUNTERS_KHR_QUERY_H
#define PP_LAYER_COUNTERS_KHR_QUERY_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#include "counters/snapshot/source.h"
#include "layer/counters/perf_layout.h"
#include "layer/counters/perf_quirks.h"

/** A counter that the driver enumerates. */
struct pp_perf_counter {
    char name[2 * VK_MAX_DESCRIPTION_SIZE + 16];
    char category[VK_MAX_DESCRIPTION_SIZE];
    char description[VK_MAX_DESCRIPTION_SIZE];
    const char *reason; /**< reason why the counter cannot be measured; NULL: it can */
    uint8_t unit;       /**< enum pp_unit */
    uint8_t number;     /**< enum pp_number */
    uint8_t bits;       /**< bits of a value */
    uint8_t scope; /**< VkPerformanceCounterScopeKHR: the real one, although a driver may report another */
    bool not_additive;
};

/** Self of pp_perf_source_khr. */
struct pp_perf_khr {
    VkPhysicalDevice physical;
    uint32_t family; /**< queue family of the counters */
    PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes;
    struct pp_perf_counter *counter;
    uint32_t counters;
    struct pp_perf_layout *layouts;
    uint32_t *default_event; /**< default events; NULL until needed, and where has_default_events is false */
    uint32_t default_events;
    bool has_default_events;
};

extern const struct pp_source_ops pp_perf_source_khr;

/**
 * Ask a driver for its counters.
 *
 * @param quirk Known faults of the driver.
 * @retval 0       Opened; pp_perf_khr_close() frees the memory.
 * @retval -ENOENT The family has no counters.
 * @retval -EIO    The driver reported an error.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_perf_khr_open(struct pp_perf_khr *khr, VkPhysicalDevice physical, uint32_t family,
                 PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate,
                 PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes,
                 const struct pp_perf_quirk *quirk);

/** Free the memory of @p khr. */
void pp_perf_khr_close(struct pp_perf_khr *khr);

/** The widest scope of these counters, as VkPerformanceCounterScopeKHR: a query of all of them must have
 * it. */
VkPerformanceCounterScopeKHR pp_perf_khr_scope(const struct pp_perf_khr *khr, const uint32_t *event,
                                               uint32_t events);

#endif
