/** @file
 * Makes a graphics pipeline that reads no vertex buffers: triangles, one color attachment. The applications
 * of tests/ and bench/ use this file; vk_pipelines.c makes the pipelines of the sample. Must not know
 * passprobe. */
#ifndef SAMPLES_VK_GRAPHICS_H
#define SAMPLES_VK_GRAPHICS_H

#include <stddef.h>
#include <vulkan/vulkan.h>

/** What to make. All members after the layout may be 0. */
struct vk_graphics_want {
    VkShaderModule vertex, fragment;
    VkPipelineLayout layout;
    VkRenderPass pass; /**< VK_NULL_HANDLE: dynamic rendering, with @p rendering */
    uint32_t subpass;
    const VkPipelineRenderingCreateInfo *rendering;
    uint32_t size; /**< width and height of viewport and scissor; 0: both are dynamic states */
    VkSampleCountFlagBits samples; /**< 0: one */
    const VkPipelineDepthStencilStateCreateInfo *depth;
    const VkPipelineColorBlendAttachmentState *blend; /**< NULL: all channels are written, without blending */
    const VkDynamicState *dynamic;
    uint32_t dynamics; /**< elements of @p dynamic */
};

/** Create a shader module from @p size bytes of SPIR-V. @return Vulkan's result. */
VkResult vk_shader_module(VkDevice device, const uint32_t *code, size_t size, VkShaderModule *ret);

/** Create the pipeline. @return Vulkan's result. */
VkResult vk_graphics_pipeline(VkDevice device, const struct vk_graphics_want *want, VkPipeline *ret);

#endif
