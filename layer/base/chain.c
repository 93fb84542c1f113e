/** @file
 * See chain.h. Stages of extensions that only read, such as conditional rendering's, are left out: no
 * barrier of the layer protects what they read. */
#include "layer/base/chain.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "layer/base/device.h"

static size_t
node_size(const VkBaseInStructure *node)
{
    if (node->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
        return sizeof(VkLayerDeviceCreateInfo);
    return pp_vk_device_node_size(node->sType);
}

/* Free nodes that copy_until() made. They end where the application's nodes begin. */
static void
free_nodes(void *nodes, const VkBaseInStructure *stop)
{
    VkBaseOutStructure *node = nodes;
    while (node && (const void *)node != (const void *)stop) {
        VkBaseOutStructure *next = node->pNext;
        free(node);
        node = next;
    }
}

/*
 * Copy the chain from its head to @p last inclusive; the copy of @p last points to last->pNext.
 *
 * @return The copy's head; NULL if a node's size is unknown or memory is short. *ret_last is the copy of @p
 * last.
 */
static void *
copy_until(const void *head, const VkBaseInStructure *last, VkBaseOutStructure **ret_last)
{
    VkBaseOutStructure *first = NULL, **link = &first;
    for (const VkBaseInStructure *node = head;; node = node->pNext) {
        size_t size = node_size(node);
        VkBaseOutStructure *copy = size == 0 ? NULL : malloc(size);
        if (!copy) {
            *link = NULL;
            free_nodes(first, NULL);
            return NULL;
        }
        memcpy(copy, node, size);
        copy->pNext = NULL;
        *link = copy;
        link = &copy->pNext;
        if (node == last) {
            copy->pNext = (VkBaseOutStructure *)(uintptr_t)last->pNext;
            *ret_last = copy;
            return first;
        }
    }
}

static const VkBaseInStructure *
find(const void *head, VkStructureType type)
{
    for (const VkBaseInStructure *node = head; node; node = node->pNext)
        if (node->sType == type)
            return node;
    return NULL;
}

/* Find or make the copy of an application's chain node. All nodes before it are copied, too. @return NULL: a
 * node's size is unknown, or there is no memory. */
static VkBaseOutStructure *
find_or_copy_node(struct pp_vk_chain *chain, const VkBaseInStructure *node)
{
    VkBaseOutStructure *copy = NULL;
    for (VkBaseOutStructure *s = chain->nodes; s && (const void *)s != chain->stop; s = s->pNext)
        if (s->sType == node->sType)
            return s;
    const void *head = chain->nodes ? chain->stop : chain->info.pNext;
    void *first = copy_until(head, node, &copy);
    if (!first)
        return NULL;
    if (chain->nodes)
        ((VkBaseOutStructure *)chain->last)->pNext = first;
    else
        chain->info.pNext = chain->nodes = first;
    chain->last = copy;
    chain->stop = node->pNext;
    return copy;
}

bool
pp_vk_asks_statistics(const VkDeviceCreateInfo *info)
{
    const VkBaseInStructure *node = find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    const VkPhysicalDeviceFeatures *features =
        node ? &((const VkPhysicalDeviceFeatures2 *)(const void *)node)->features : info->pEnabledFeatures;
    return features && features->pipelineStatisticsQuery;
}

/* Enable pipelineStatisticsQuery: in the application's VkPhysicalDeviceFeatures2, else in its
 * pEnabledFeatures. */
static void
request_statistics(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info)
{
    const VkBaseInStructure *node = find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    if (node) {
        const VkPhysicalDeviceFeatures2 *features = (const void *)node;
        if (!features->features.pipelineStatisticsQuery) {
            VkBaseOutStructure *copy = find_or_copy_node(chain, node);
            if (!copy)
                return;
            ((VkPhysicalDeviceFeatures2 *)(void *)copy)->features.pipelineStatisticsQuery = VK_TRUE;
        }
        chain->statistics = true;
        return;
    }
    if (info->pEnabledFeatures)
        chain->features = *info->pEnabledFeatures;
    chain->features.pipelineStatisticsQuery = VK_TRUE;
    chain->info.pEnabledFeatures = &chain->features;
    chain->statistics = true;
}

/* Most extensions that a request adds. */
#define NAMES_MORE 4U

bool
pp_vk_is_added(uint32_t added, const char *command)
{
    static const struct {
        enum pp_vk_added by;
        const char *name;
    } known[] = {
        {PP_VK_ADDED_CALIBRATED, "vkGetCalibratedTimestampsEXT"},
        {PP_VK_ADDED_RESET, "vkResetQueryPoolEXT"},
        {PP_VK_ADDED_KHR, "vkAcquireProfilingLockKHR"},
        {PP_VK_ADDED_KHR, "vkReleaseProfilingLockKHR"},
        {PP_VK_ADDED_OA, "vkInitializePerformanceApiINTEL"},
        {PP_VK_ADDED_OA, "vkUninitializePerformanceApiINTEL"},
        {PP_VK_ADDED_OA, "vkCmdSetPerformanceMarkerINTEL"},
        {PP_VK_ADDED_OA, "vkCmdSetPerformanceStreamMarkerINTEL"},
        {PP_VK_ADDED_OA, "vkCmdSetPerformanceOverrideINTEL"},
        {PP_VK_ADDED_OA, "vkAcquirePerformanceConfigurationINTEL"},
        {PP_VK_ADDED_OA, "vkReleasePerformanceConfigurationINTEL"},
        {PP_VK_ADDED_OA, "vkQueueSetPerformanceConfigurationINTEL"},
        {PP_VK_ADDED_OA, "vkGetPerformanceParameterINTEL"},
    };
    for (size_t i = 0; added != 0 && i < PP_ARRAY_SIZE(known); i++)
        if ((added & known[i].by) && strcmp(command, known[i].name) == 0)
            return true;
    return false;
}

/* Request an extension, if the application does not. @return false: no memory. */
static bool
add_extension(struct pp_vk_chain *chain, const char *name, enum pp_vk_added as)
{
    uint32_t count = chain->info.enabledExtensionCount;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(chain->info.ppEnabledExtensionNames[i], name) == 0)
            return true;
    if (!chain->names) {
        chain->names = calloc((size_t)count + NAMES_MORE, sizeof(*chain->names));
        if (!chain->names)
            return false;
        if (count > 0)
            memcpy(chain->names, chain->info.ppEnabledExtensionNames, count * sizeof(*chain->names));
        chain->info.ppEnabledExtensionNames = chain->names;
    }
    chain->names[chain->info.enabledExtensionCount++] = name;
    chain->added |= as;
    return true;
}

/* Enable hostQueryReset: in the application's struct that has the feature, else in one of passprobe's.
 * @return false: no memory. */
static bool
request_reset(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info)
{
    const VkBaseInStructure *all = find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const VkBaseInStructure *one =
        find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES);
    if (all && ((const VkPhysicalDeviceVulkan12Features *)(const void *)all)->hostQueryReset)
        return true;
    if (one && ((const VkPhysicalDeviceHostQueryResetFeatures *)(const void *)one)->hostQueryReset)
        return true;
    if (all || one) {
        VkBaseOutStructure *copy = find_or_copy_node(chain, all ? all : one);
        if (!copy)
            return false;
        if (all)
            ((VkPhysicalDeviceVulkan12Features *)(void *)copy)->hostQueryReset = VK_TRUE;
        else
            ((VkPhysicalDeviceHostQueryResetFeatures *)(void *)copy)->hostQueryReset = VK_TRUE;
        return true;
    }
    chain->host_reset = (VkPhysicalDeviceHostQueryResetFeatures){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, .hostQueryReset = VK_TRUE};
    return true;
}

/* Enable query pools for counters: in the application's struct that has the features, else in one of
 * passprobe's. A chain may have only one struct of a type. @return false: no memory. */
static bool
request_pools(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info,
              const struct pp_vk_device_request *request)
{
    const VkBaseInStructure *node =
        find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR);
    VkPhysicalDevicePerformanceQueryFeaturesKHR *features = &chain->perf;
    if (node)
        features = (VkPhysicalDevicePerformanceQueryFeaturesKHR *)(void *)find_or_copy_node(chain, node);
    else
        features->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR;
    if (!features)
        return false;
    features->performanceCounterQueryPools = VK_TRUE;
    features->performanceCounterMultipleQueryPools = request->multiple_pools;
    return true;
}

/* Request what counters need. Call it last: its nodes go before the copied ones. */
static void
request_counters(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info,
                 const struct pp_vk_device_request *request)
{
    if (!request_reset(chain, info) || (request->khr && !request_pools(chain, info, request)) ||
        (request->reset_extension &&
         !add_extension(chain, VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME, PP_VK_ADDED_RESET)) ||
        (request->khr && !add_extension(chain, VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, PP_VK_ADDED_KHR)) ||
        (request->oa && !add_extension(chain, VK_INTEL_PERFORMANCE_QUERY_EXTENSION_NAME, PP_VK_ADDED_OA)))
        return;
    if (chain->host_reset.sType != 0) {
        chain->host_reset.pNext = (void *)(uintptr_t)chain->info.pNext;
        chain->info.pNext = &chain->host_reset;
    }
    if (chain->perf.sType != 0) {
        chain->perf.pNext = (void *)(uintptr_t)chain->info.pNext;
        chain->info.pNext = &chain->perf;
    }
    chain->counters = true;
}

void
pp_vk_chain_init(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info,
                 const struct pp_vk_device_request *request)
{
    memset(chain, 0, sizeof(*chain));
    chain->info = *info;
    if (request->statistics)
        request_statistics(chain, info);
    if (request->calibrated)
        chain->calibrated =
            add_extension(chain, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, PP_VK_ADDED_CALIBRATED);
    if (request->host_reset)
        request_counters(chain, info, request);
}

void
pp_vk_chain_finish(struct pp_vk_chain *chain)
{
    free_nodes(chain->nodes, chain->stop);
    free(chain->names);
    memset(chain, 0, sizeof(*chain));
}

/* Submissions */

/* Bytes of a node's copy, rounded up so that the next copy is aligned. */
static size_t
row_size(const VkBaseInStructure *node)
{
    return (pp_vk_submit_node_size(node->sType) + 15) & ~(size_t)15;
}

size_t
pp_vk_group_bytes(const void *chain)
{
    size_t bytes = 0;
    for (const VkBaseInStructure *node = chain; node; node = node->pNext) {
        size_t size = row_size(node);
        bytes += size;
        if (size == 0)
            return 0;
        if (node->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO)
            return bytes;
    }
    return 0;
}

const void *
pp_vk_group_copy(const void *chain, void *memory, uint32_t count, const uint32_t *mask,
                 const VkDeviceGroupSubmitInfo **ret_group)
{
    const VkBaseInStructure *node = chain;
    char *at = memory;
    for (;; node = node->pNext, at = (char *)((VkBaseOutStructure *)(void *)at)->pNext) {
        memcpy(at, node, pp_vk_submit_node_size(node->sType));
        if (node->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO)
            break;
        ((VkBaseOutStructure *)(void *)at)->pNext = (VkBaseOutStructure *)(void *)(at + row_size(node));
    }
    VkDeviceGroupSubmitInfo *copy = (VkDeviceGroupSubmitInfo *)(void *)at;
    copy->commandBufferCount = count;
    copy->pCommandBufferDeviceMasks = mask;
    *ret_group = (const VkDeviceGroupSubmitInfo *)(const void *)node;
    return memory;
}

const void *
pp_vk_find(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == type)
            return s;
    return NULL;
}

#define ALL       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
#define COMPUTE   (VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT)
#define TRANSFERS VK_PIPELINE_STAGE_TRANSFER_BIT
#define GRAPHICS                                                                                             \
    (VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT |                              \
     VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |                           \
     VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |                \
     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT)
#define TESSELLATION                                                                                         \
    (VK_PIPELINE_STAGE_TESSELLATION_CONTROL_SHADER_BIT | VK_PIPELINE_STAGE_TESSELLATION_EVALUATION_SHADER_BIT)

/* Prefixes of extensions whose stages write memory (vk.xml: enums that extend VkPipelineStageFlagBits and
 * VkPipelineStageFlagBits2). */
static const char *const more_stages[] = {
    "VK_KHR_acceleration_structure",
    "VK_KHR_ray_tracing",
    "VK_NV_ray_tracing",
    "VK_EXT_mesh_shader",
    "VK_NV_mesh_shader",
    "VK_NV_device_generated_commands",
    "VK_EXT_device_generated_commands",
    "VK_EXT_opacity_micromap",
    "VK_NV_displacement_micromap",
    "VK_NV_optical_flow",
    "VK_NV_cluster_acceleration_structure",
    "VK_HUAWEI_",
    "VK_KHR_video_",
    "VK_ARM_",
    "VK_QCOM_",
};

static bool
has_more_stages(const VkDeviceCreateInfo *info)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        for (size_t k = 0; k < PP_ARRAY_SIZE(more_stages); k++)
            if (strncmp(info->ppEnabledExtensionNames[i], more_stages[k], strlen(more_stages[k])) == 0)
                return true;
    return false;
}

VkPipelineStageFlags
pp_vk_stages(const VkDeviceCreateInfo *info)
{
    const VkPhysicalDeviceFeatures2 *two =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    const VkPhysicalDeviceFeatures *features = two ? &two->features : info->pEnabledFeatures;
    const VkPhysicalDeviceTransformFeedbackFeaturesEXT *feedback =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT);
    VkPipelineStageFlags stages = GRAPHICS | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | TRANSFERS;
    if (has_more_stages(info))
        return ALL;
    if (features && features->tessellationShader)
        stages |= TESSELLATION;
    if (features && features->geometryShader)
        stages |= VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT;
    if (feedback && feedback->transformFeedback)
        stages |= VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT;
    return stages;
}

VkPipelineStageFlags
pp_vk_stages_of(VkPipelineStageFlags stages, VkQueueFlags flags)
{
    VkPipelineStageFlags mask = TRANSFERS;
    if (stages == ALL)
        return ALL;
    if (flags & VK_QUEUE_GRAPHICS_BIT)
        mask |= GRAPHICS | TESSELLATION | VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT |
                VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT;
    if (flags & VK_QUEUE_COMPUTE_BIT)
        mask |= COMPUTE;
    return stages & mask;
}
