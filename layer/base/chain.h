/** @file
 * Changed copies of the application's VkDeviceCreateInfo and VkSubmitInfo. The application's structs may be
 * in read-only memory and are never edited. A copy has copied nodes down to the last node that changes; the
 * rest of the chain is the application's.
 *
 * Pipeline stages at which commands of the application write memory, and draws read it. The layer's barriers
 * need them. The mask names each stage where that is known, since the validation layer's best practices warn
 * of ALL_COMMANDS. This file knows no command buffers. See also record.h.
 *
 * Names of formats, generated from the registry. */
#ifndef PP_LAYER_BASE_CHAIN_H
#define PP_LAYER_BASE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>
#include <vulkan/vulkan_core.h>

#include "layer/counters/perf_quirks.h"

/** Size of a struct that may extend VkDeviceCreateInfo; 0: unknown to the registry that passprobe was built
 * with. Generated. */
size_t pp_vk_device_node_size(VkStructureType type);

/** Size of a struct that may extend VkSubmitInfo; 0: unknown to the registry that passprobe was built with.
 * Generated. */
size_t pp_vk_submit_node_size(VkStructureType type);

/** Extensions that the layer may add to the application's, as bits. */
enum pp_vk_added {
    PP_VK_ADDED_CALIBRATED = 1U << 0, /**< VK_EXT_calibrated_timestamps */
    PP_VK_ADDED_RESET = 1U << 1,      /**< VK_EXT_host_query_reset */
    PP_VK_ADDED_KHR = 1U << 2,        /**< VK_KHR_performance_query */
    PP_VK_ADDED_OA = 1U << 3,         /**< VK_INTEL_performance_query */
};

/** Is a command available only because the layer added its extension? Then the layer hides the command from
 * the application. @param added enum pp_vk_added. */
bool pp_vk_is_added(uint32_t added, const char *command);

/** Features and extensions that the layer requests of a device, in addition to the application's requests. */
struct pp_vk_device_request {
    bool statistics; /**< feature pipelineStatisticsQuery */
    bool calibrated; /**< extension VK_EXT_calibrated_timestamps */
    /* counters: perf.h */
    bool khr;             /**< VK_KHR_performance_query with performanceCounterQueryPools */
    bool multiple_pools;  /**< performanceCounterMultipleQueryPools, too */
    bool oa;              /**< VK_INTEL_performance_query */
    bool host_reset;      /**< feature hostQueryReset */
    bool reset_extension; /**< hostQueryReset needs VK_EXT_host_query_reset on this version */
    const char *no_khr;   /**< reason why `khr` is not requested; NULL: it is */
    bool khr_unnamed;     /**< the reason is that the user did not name it */
    const char *no_oa;
    bool app_measures;          /**< the application uses one of the two extensions itself */
    struct pp_perf_quirk quirk; /**< known faults of the driver's counters */
    uint32_t minor;             /**< minor number of the GPU's render node; UINT32_MAX: not known */
};

/** Does the application itself enable the feature pipelineStatisticsQuery? */
bool pp_vk_asks_statistics(const VkDeviceCreateInfo *info);

/** A changed copy of a VkDeviceCreateInfo. Pass `info` to the next layer, then call pp_vk_chain_finish(). */
struct pp_vk_chain {
    VkDeviceCreateInfo info;
    VkPhysicalDeviceFeatures features;
    const char **names;
    void *nodes;      /**< copied chain nodes, linked by pNext */
    void *last;       /**< last copied node */
    const void *stop; /**< first node of the application after the copied ones */
    VkPhysicalDevicePerformanceQueryFeaturesKHR perf;  /**< node before the application's, if requested */
    VkPhysicalDeviceHostQueryResetFeatures host_reset; /**< node before the application's, if it has none */
    uint32_t added;  /**< enum pp_vk_added: extensions in `info` that the application did not ask for */
    bool statistics; /**< pipelineStatisticsQuery is enabled in `info`, by the application or by the layer */
    bool calibrated; /**< VK_EXT_calibrated_timestamps is on */
    bool counters;   /**< the features and extensions for counters are on */
};

/** Copy what must change for @p request. The rest is shared with @p info, which must outlive the copy. An
 * extension or feature that may not be added is left out (see the flags). */
void pp_vk_chain_init(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info,
                      const struct pp_vk_device_request *request);

/** Free the copies. */
void pp_vk_chain_finish(struct pp_vk_chain *chain);

/**
 * Bytes that a copy of a submission's chain takes, up to its VkDeviceGroupSubmitInfo; 0: it has none, or an
 * unknown struct is before it.
 */
size_t pp_vk_group_bytes(const void *chain);

/**
 * Copy a submission's chain. Its masks become @p count masks at @p mask, which the caller fills in.
 *
 * @param memory pp_vk_group_bytes() bytes.
 * @return The new chain; *ret_group is the application's struct.
 */
const void *pp_vk_group_copy(const void *chain, void *memory, uint32_t count, const uint32_t *mask,
                             const VkDeviceGroupSubmitInfo **ret_group);

/** Find a struct in a pNext chain. @return NULL if absent. */
const void *pp_vk_find(const void *chain, VkStructureType type);

/**
 * Stages at which commands of the application may write memory, and those at which draws and dispatches read
 * it, on queues that can do all: ALL_COMMANDS if the application enabled an extension whose stages write
 * memory.
 *
 * @param info What the application created its device with.
 */
VkPipelineStageFlags pp_vk_stages(const VkDeviceCreateInfo *info);

/** The part of @p stages that a queue family with @p flags has. */
VkPipelineStageFlags pp_vk_stages_of(VkPipelineStageFlags stages, VkQueueFlags flags);

/** "R8G8B8A8_UNORM"; "unknown" for formats newer than the registry built with. Static. */
const char *pp_vk_format_name(VkFormat format);

#endif
