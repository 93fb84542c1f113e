/** @file
 * Pipeline stages at which commands of the application write memory, and draws read it. The layer's barriers
 * need them. The mask names each stage where that is known, since the validation layer's best practices warn
 * of ALL_COMMANDS. This file knows no command buffers. See also record.h. */
#ifndef PP_LAYER_BASE_STAGES_H
#define PP_LAYER_BASE_STAGES_H

#include <vulkan/vulkan.h>

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

#endif
