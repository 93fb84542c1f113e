/** @file
 * Changed copies of the application's VkDeviceCreateInfo and VkSubmitInfo. The application's structs may lie
 * in read-only memory and are never edited: the copy holds its own nodes as far down the chain as a change
 * needs. */
#ifndef PP_LAYER_DISPATCH_CHAIN_H
#define PP_LAYER_DISPATCH_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

/** Size of a struct that may extend VkDeviceCreateInfo; 0: unknown to the registry that passprobe was built
 * with. Generated. */
size_t pp_vk_device_node_size(VkStructureType type);

/** Size of a struct that may extend VkSubmitInfo; 0: unknown to the registry that passprobe was built with.
 * Generated. */
size_t pp_vk_submit_node_size(VkStructureType type);

/** Extensions that the layer may add to a device's, by bit. */
enum pp_vk_added {
    PP_VK_ADDED_CALIBRATED = 1U << 0, /**< VK_EXT_calibrated_timestamps */
    PP_VK_ADDED_RESET = 1U << 1,      /**< VK_EXT_host_query_reset */
    PP_VK_ADDED_KHR = 1U << 2,        /**< VK_KHR_performance_query */
    PP_VK_ADDED_OA = 1U << 3,         /**< VK_INTEL_performance_query */
};

/** Is a command available only because the layer added its extension? Then the layer hides it from the
 * application. @param added enum pp_vk_added. */
bool pp_vk_is_added(uint32_t added, const char *command);

/** What the layer would like of a device. */
struct pp_vk_wish {
    bool statistics; /**< feature pipelineStatisticsQuery */
    bool calibrated; /**< extension VK_EXT_calibrated_timestamps */
    /* counters: perf.h */
    bool khr;             /**< VK_KHR_performance_query with performanceCounterQueryPools */
    bool multiple_pools;  /**< and with performanceCounterMultipleQueryPools */
    bool oa;              /**< VK_INTEL_performance_query */
    bool host_reset;      /**< feature hostQueryReset */
    bool reset_extension; /**< which is VK_EXT_host_query_reset's on this version */
    const char *no_khr;   /**< why not; NULL: wished */
    const char *no_oa;
    bool program_measures; /**< the application does so itself, with one of the two */
};

/** Does the application itself turn the feature pipelineStatisticsQuery on? */
bool pp_vk_asks_statistics(const VkDeviceCreateInfo *info);

/** A copy; hand `info` down, then pp_vk_chain_finish(). */
struct pp_vk_chain {
    VkDeviceCreateInfo info;
    VkPhysicalDeviceFeatures features;
    const char **names;
    void *nodes;                                       /**< copied chain nodes, linked by their own pNext */
    void *last;                                        /**< of them */
    const void *stop;                                  /**< the application's first node behind them */
    VkPhysicalDevicePerformanceQueryFeaturesKHR perf;  /**< ours, in front, if wished */
    VkPhysicalDeviceHostQueryResetFeatures host_reset; /**< ours, in front, if the application has none */
    uint32_t added;  /**< enum pp_vk_added: extensions in `info` that the application did not ask for */
    bool statistics; /**< the feature is on in `info`, by the application's wish or ours */
    bool calibrated; /**< so is the extension */
    bool counters;   /**< so is what counters need */
};

/** Copy what must change for @p wish. The rest is shared with @p info, which must outlive the copy. An
 * extension or feature that cannot be added lawfully is left out (see the flags). */
void pp_vk_chain_init(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info,
                      const struct pp_vk_wish *wish);

/** Free the copies. */
void pp_vk_chain_finish(struct pp_vk_chain *chain);

/**
 * Bytes that a copy of a submission's chain takes, up to its VkDeviceGroupSubmitInfo; 0: it has none, or
 * something unknown stands in front of it.
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

#endif
