/** @file
 * A table of drivers whose performance queries differ from what the extensions promise. Each row names the
 * driver and the versions, the reason, and where it was seen. Delete a row when its driver is fixed. */
#ifndef PP_LAYER_COUNTERS_PERF_QUIRKS_H
#define PP_LAYER_COUNTERS_PERF_QUIRKS_H

#include <stdbool.h>
#include <vulkan/vulkan_core.h>

/** Quirks of a driver. All zero: none. */
struct pp_perf_quirk {
    bool ratios_are_bytes; /**< hit ratios have the unit bytes, but are percents */
    bool jobs;             /**< a bracket inside a render pass splits it: measure around passes only */
    bool zeros_if_lost;    /**< results that never came are given as zeros, with VK_SUCCESS */
    bool on_request;       /**< measuring disturbs, or can lose the device: only if the user names `khr` */
    const char *note;      /**< note for the user of the measurement; NULL: none */
    const char *refusal;   /**< advice for the user if the driver refuses the profiling lock; NULL: none */
    const char *no_khr;    /**< fault because of which `khr` must not be measured; NULL: none */
    const char *no_oa;     /**< fault because of which the driver must not be asked for `oa`; NULL: none */
};

/** Rows of this driver and version together, for the GPU of @p device. @p driver 0: unknown. */
struct pp_perf_quirk pp_perf_quirk_find(VkDriverId driver, const VkPhysicalDeviceProperties *device);

#endif
