/** @file
 * A graphics pipeline; see vk_graphics.h. */
#include "samples/vk_graphics.h"

VkResult
vk_shader_module(VkDevice device, const uint32_t *code, size_t size, VkShaderModule *ret)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    return vkCreateShaderModule(device, &info, NULL, ret);
}

/** The parts that are the same in all pipelines. */
static const VkPipelineVertexInputStateCreateInfo input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
static const VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
};
static const VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
static const VkPipelineColorBlendAttachmentState write_all = {.colorWriteMask = 0xf};

static VkResult
create(VkDevice device, const struct vk_graphics_want *want, const VkPipelineShaderStageCreateInfo stage[2],
       const VkPipelineViewportStateCreateInfo *view, VkPipeline *ret)
{
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = want->samples ? want->samples : VK_SAMPLE_COUNT_1_BIT,
    };
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = want->blend ? want->blend : &write_all,
    };
    const VkPipelineDynamicStateCreateInfo dynamics = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = want->dynamics,
        .pDynamicStates = want->dynamic,
    };
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = want->pass == VK_NULL_HANDLE ? want->rendering : NULL,
        .stageCount = 2,
        .pStages = stage,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pViewportState = view,
        .pRasterizationState = &raster,
        .pMultisampleState = &samples,
        .pDepthStencilState = want->depth,
        .pColorBlendState = &blend,
        .pDynamicState = want->dynamics ? &dynamics : NULL,
        .layout = want->layout,
        .renderPass = want->pass,
        .subpass = want->subpass,
    };
    return vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, ret);
}

VkResult
vk_graphics_pipeline(VkDevice device, const struct vk_graphics_want *want, VkPipeline *ret)
{
    const VkPipelineShaderStageCreateInfo stage[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = want->vertex,
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = want->fragment,
         .pName = "main"},
    };
    const VkViewport area = {0, 0, (float)want->size, (float)want->size, 0, 1};
    const VkRect2D scissor = {{0, 0}, {want->size, want->size}};
    const VkPipelineViewportStateCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = want->size ? &area : NULL,
        .scissorCount = 1,
        .pScissors = want->size ? &scissor : NULL,
    };
    return create(device, want, stage, &view, ret);
}
