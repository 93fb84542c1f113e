/** @file
 * Pipelines of the Vulkan scene; see vk_scene.h. */
#include <stddef.h>

#include "sample_spirv.h"
#include "samples/vk_graphics.h"
#include "samples/vk_scene.h"

/* What differs from pipeline to pipeline. */
struct recipe {
    const char *name;
    const uint32_t *vertex, *fragment; /* fragment NULL: depth only */
    size_t vertex_size, fragment_size; /* bytes */
    enum scene_pass pass;
    VkPrimitiveTopology topology;
    bool geometry; /* reads the vertex buffers, tests depth */
};

static VkShaderModule
create_module(const struct vk_scene *it, const uint32_t *code, size_t size)
{
    VkShaderModule module = VK_NULL_HANDLE;
    (void)vk_failed(vk_shader_module(it->device.device, code, size, &module), "vkCreateShaderModule");
    return module;
}

static const VkVertexInputBindingDescription vertex_binding[] = {
    {0, sizeof(scene_corner[0]), VK_VERTEX_INPUT_RATE_VERTEX},
    {1, sizeof(struct scene_instance), VK_VERTEX_INPUT_RATE_INSTANCE},
};
static const VkVertexInputAttributeDescription vertex_attribute[] = {
    {0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
    {1, 1, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct scene_instance, rect)},
    {2, 1, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct scene_instance, look)},
};

static VkResult
create_with(const struct vk_scene *it, const struct recipe *recipe, VkGraphicsPipelineCreateInfo *info,
            VkPipeline *ret)
{
    const struct vk_target *target = &it->target[recipe->pass];
    const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    const VkPipelineDynamicStateCreateInfo dynamics = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = 2,
        .pDynamicStates = dynamic};
    const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .scissorCount = 1};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = recipe->geometry,
        .depthWriteEnable = recipe->geometry,
        .depthCompareOp = VK_COMPARE_OP_LESS};
    const VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = target->colour >= 0 ? 1 : 0,
        .pAttachments = &attachment};
    const VkFormat colour_format =
        target->colour >= 0 ? it->image[target->colour].format : VK_FORMAT_UNDEFINED;
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = target->colour >= 0 ? 1 : 0,
        .pColorAttachmentFormats = &colour_format,
        .depthAttachmentFormat = target->depth >= 0 ? it->image[target->depth].format : VK_FORMAT_UNDEFINED};
    info->pNext = it->device.dynamic ? &rendering : NULL;
    info->pDynamicState = &dynamics;
    info->pViewportState = &viewport;
    info->pRasterizationState = &raster;
    info->pMultisampleState = &samples;
    info->pDepthStencilState = &depth;
    info->pColorBlendState = &blend;
    info->renderPass = target->pass;
    return vkCreateGraphicsPipelines(it->device.device, VK_NULL_HANDLE, 1, info, NULL, ret);
}

static int
create_graphics(const struct vk_scene *it, const struct recipe *recipe, VkPipeline *ret)
{
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = recipe->topology};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = recipe->geometry ? 2 : 0,
        .pVertexBindingDescriptions = vertex_binding,
        .vertexAttributeDescriptionCount = recipe->geometry ? 3 : 0,
        .pVertexAttributeDescriptions = vertex_attribute};
    VkPipelineShaderStageCreateInfo stage[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .pName = "main"},
    };
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = recipe->fragment ? 2 : 1,
        .pStages = stage,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .layout = it->layout,
    };
    bool failed = true;
    stage[0].module = create_module(it, recipe->vertex, recipe->vertex_size);
    if (recipe->fragment)
        stage[1].module = create_module(it, recipe->fragment, recipe->fragment_size);
    if (stage[0].module && (stage[1].module || !recipe->fragment))
        failed = vk_failed(create_with(it, recipe, &info, ret), "vkCreateGraphicsPipelines");
    vkDestroyShaderModule(it->device.device, stage[0].module, NULL);
    vkDestroyShaderModule(it->device.device, stage[1].module, NULL);
    if (!failed)
        vk_name(&it->device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)*ret, recipe->name);
    return failed ? -1 : 0;
}

static int
create_compute(const struct vk_scene *it, VkPipeline *ret)
{
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = it->layout,
    };
    VkResult result;
    info.stage.module = create_module(it, spirv_tone_comp, sizeof(spirv_tone_comp));
    if (!info.stage.module)
        return -1;
    result = vkCreateComputePipelines(it->device.device, VK_NULL_HANDLE, 1, &info, NULL, ret);
    vkDestroyShaderModule(it->device.device, info.stage.module, NULL);
    if (vk_failed(result, "vkCreateComputePipelines"))
        return -1;
    vk_name(&it->device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)*ret, "tone pipeline");
    return 0;
}

int
vk_pipelines_init(struct vk_scene *it)
{
    const struct {
        int pipeline;
        struct recipe recipe;
    } table[] = {
        {VK_PIPELINE_SHADOW,
         {.name = "shadow pipeline",
          .pass = SCENE_SHADOW,
          .geometry = true,
          .vertex = spirv_shadow_vert,
          .vertex_size = sizeof(spirv_shadow_vert),
          .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST}},
        {VK_PIPELINE_FLOOR,
         {.name = "floor pipeline",
          .pass = SCENE_MAIN,
          .geometry = true,
          .vertex = spirv_scene_vert,
          .vertex_size = sizeof(spirv_scene_vert),
          .fragment = spirv_scene_frag,
          .fragment_size = sizeof(spirv_scene_frag),
          .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP}},
        {VK_PIPELINE_SCENE,
         {.name = "scene pipeline",
          .pass = SCENE_MAIN,
          .geometry = true,
          .vertex = spirv_scene_vert,
          .vertex_size = sizeof(spirv_scene_vert),
          .fragment = spirv_scene_frag,
          .fragment_size = sizeof(spirv_scene_frag),
          .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST}},
        {VK_PIPELINE_POST,
         {.name = "post pipeline",
          .pass = SCENE_POST,
          .vertex = spirv_post_vert,
          .vertex_size = sizeof(spirv_post_vert),
          .fragment = spirv_post_frag,
          .fragment_size = sizeof(spirv_post_frag),
          .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST}},
    };
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &it->set_layout};
    if (vk_failed(vkCreatePipelineLayout(it->device.device, &layout, NULL, &it->layout),
                  "vkCreatePipelineLayout"))
        return -1;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (create_graphics(it, &table[i].recipe, &it->pipeline[table[i].pipeline]) < 0)
            return -1;
    return create_compute(it, &it->pipeline[VK_PIPELINE_TONE]);
}

void
vk_pipelines_finish(struct vk_scene *it)
{
    for (int i = 0; i < VK_PIPELINES; i++)
        vkDestroyPipeline(it->device.device, it->pipeline[i], NULL);
    vkDestroyPipelineLayout(it->device.device, it->layout, NULL);
}
