/** @file
 * See stages.h. Stages of extensions that only read, such as conditional rendering's, are left out: no
 * barrier of the layer protects what they read. */
#include "layer/base/stages.h"

#include <stddef.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "layer/base/chain.h"
#include "layer/base/device.h"

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
