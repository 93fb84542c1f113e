/** @file
 * An application that makes pipelines of the same shaders in every possible way, and draws once with each,
 * under a label with the way. Ways that the driver lacks are left out. For test_pipelines.py. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "samples/vk_open.h"
#include "walk_comp.h"
#include "walk_frag.h"
#include "walk_vert.h"

#define DO(call)                                                                                             \
    do {                                                                                                     \
        VkResult result = (call);                                                                            \
        if (result != VK_SUCCESS) {                                                                          \
            fprintf(stderr, "%s: %d\n", #call, (int)result);                                                 \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

enum { LIBRARIES, IDENTIFIERS, RAYS, HELD, DEFERRED, EXTENSIONS };

static struct {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    bool has[EXTENSIONS];
    VkPipelineLayout layout;
    VkShaderModule module[3]; /* vertex, fragment, compute */
    VkCommandPool pool;
    VkCommandBuffer commands;
    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
    PFN_vkCmdEndDebugUtilsLabelEXT end_label;
    PFN_vkGetShaderModuleIdentifierEXT identify;
    PFN_vkGetShaderModuleCreateInfoIdentifierEXT identify_code;
    PFN_vkCreateRayTracingPipelinesKHR make_rays;
    PFN_vkCmdTraceRaysKHR trace_rays;
} it;

static const VkShaderModuleCreateInfo code[3] = {
    {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(walk_vert), .pCode = walk_vert},
    {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(walk_frag), .pCode = walk_frag},
    {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(walk_comp), .pCode = walk_comp},
};

static void
open_device(void)
{
    static const char *const wanted[EXTENSIONS] = {
        VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME,
        VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
        VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME};
    static VkExtensionProperties list[1024];
    const char *names[EXTENSIONS + 1], *labels = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    struct vk_open_want want = {
        .version = VK_API_VERSION_1_3, .instance_extension = &labels, .instance_extensions = 1};
    struct vk_open gpu;
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR};
    VkPhysicalDeviceShaderModuleIdentifierFeaturesEXT identifiers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT};
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT};
    VkPhysicalDeviceVulkan13Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
    uint32_t count = 1024, names_count = 0;
    DO(vk_open_instance(&gpu, &want));
    it.instance = gpu.instance;
    it.physical = gpu.physical;
    DO(vkEnumerateDeviceExtensionProperties(it.physical, NULL, &count, list));
    for (int e = 0; e < EXTENSIONS; e++)
        for (uint32_t i = 0; i < count && !it.has[e]; i++)
            it.has[e] = strcmp(list[i].extensionName, wanted[e]) == 0;
    for (int e = 0; e < EXTENSIONS; e++)
        if (it.has[e])
            names[names_count++] = wanted[e];
    if (it.has[LIBRARIES])
        names[names_count++] = VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME;
    rays.rayTracingPipeline = it.has[RAYS];
    identifiers.shaderModuleIdentifier = it.has[IDENTIFIERS];
    libraries.graphicsPipelineLibrary = it.has[LIBRARIES];
    void *chain = &features;
    if (it.has[RAYS])
        rays.pNext = chain, chain = &rays;
    if (it.has[IDENTIFIERS])
        identifiers.pNext = chain, chain = &identifiers;
    if (it.has[LIBRARIES])
        libraries.pNext = chain, chain = &libraries;
    want.device_extension = names;
    want.device_extensions = names_count;
    want.features = chain;
    DO(vk_open_device(&gpu, &want));
    it.device = gpu.device;
    it.queue = gpu.queue;
}

static PFN_vkVoidFunction
find(const char *name)
{
    return vkGetDeviceProcAddr(it.device, name);
}

static void
make_objects(void)
{
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    it.begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)find("vkCmdBeginDebugUtilsLabelEXT");
    it.end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)find("vkCmdEndDebugUtilsLabelEXT");
    it.identify = (PFN_vkGetShaderModuleIdentifierEXT)find("vkGetShaderModuleIdentifierEXT");
    it.identify_code =
        (PFN_vkGetShaderModuleCreateInfoIdentifierEXT)find("vkGetShaderModuleCreateInfoIdentifierEXT");
    it.make_rays = (PFN_vkCreateRayTracingPipelinesKHR)find("vkCreateRayTracingPipelinesKHR");
    it.trace_rays = (PFN_vkCmdTraceRaysKHR)find("vkCmdTraceRaysKHR");
    DO(vkCreatePipelineLayout(it.device, &layout, NULL, &it.layout));
    for (int i = 0; i < 3; i++)
        DO(vkCreateShaderModule(it.device, &code[i], NULL, &it.module[i]));
    DO(vk_command_pool(it.device, 0, 0, &it.pool));
    DO(vk_command_buffers(it.device, it.pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &it.commands));
}

/* Graphics */

enum { VERTEX = 1, FRAGMENT = 2 };

/** How a stage's code is given. */
enum how { BY_MODULE, BY_CODE, BY_IDENTIFIER, BY_CODES_IDENTIFIER };

struct stages {
    VkPipelineShaderStageCreateInfo stage[2];
    uint32_t count;
    VkShaderModuleIdentifierEXT identifier[2];
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT by[2];
};

static void
describe_stages(struct stages *ret, unsigned which, enum how how, const char *entry)
{
    ret->count = 0;
    for (unsigned i = 0; i < 2; i++) {
        VkPipelineShaderStageCreateInfo *stage = &ret->stage[ret->count];
        if (!(which & (1U << i)))
            continue;
        *stage = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT,
            .module = how == BY_MODULE ? it.module[i] : VK_NULL_HANDLE,
            .pName = entry};
        VkShaderModuleIdentifierEXT *identifier = &ret->identifier[i];
        identifier->sType = VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT;
        identifier->pNext = NULL;
        if (how == BY_IDENTIFIER)
            it.identify(it.device, it.module[i], identifier);
        else if (how == BY_CODES_IDENTIFIER)
            it.identify_code(it.device, &code[i], identifier);
        ret->by[i] = (VkPipelineShaderStageModuleIdentifierCreateInfoEXT){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT,
            .identifierSize = identifier->identifierSize,
            .pIdentifier = identifier->identifier};
        if (how == BY_CODE)
            stage->pNext = &code[i];
        else if (how != BY_MODULE)
            stage->pNext = &ret->by[i];
        ret->count++;
    }
}

static VkPipeline
make(const void *chain, VkPipelineCreateFlags flags, uint32_t count,
     const VkPipelineShaderStageCreateInfo *stage)
{
    static const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    static const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    static const VkViewport area = {0, 0, 16, 16, 0, 1};
    static const VkRect2D scissor = {{0, 0}, {16, 16}};
    static const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &area,
        .scissorCount = 1,
        .pScissors = &scissor};
    static const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    static const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = chain,
                                               .flags = flags,
                                               .stageCount = count,
                                               .pStages = stage,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &viewport,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .layout = it.layout};
    VkPipeline pipeline;
    DO(vkCreateGraphicsPipelines(it.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

/** Draw once with the pipeline; all objects live to the end of the process, as in many applications. */
static void
draw(const char *how, VkPipeline pipeline)
{
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = how};
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {.extent = {16, 16}}, .layerCount = 1};
    it.begin_label(it.commands, &label);
    vkCmdBeginRendering(it.commands, &info);
    vkCmdBindPipeline(it.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(it.commands, 3, 1, 0, 0);
    vkCmdEndRendering(it.commands);
    it.end_label(it.commands);
    printf("%s\n", how);
}

static void
draw_whole(const char *how, unsigned which, enum how given, const char *entry)
{
    struct stages stages;
    describe_stages(&stages, which, given, entry);
    draw(how, make(NULL, 0, stages.count, stages.stage));
}

/** A shader whose debug name is much longer than a name that is meant to be read. */
static void
draw_named(void)
{
    static char name[3001];
    struct stages stages;
    for (size_t i = 0; i + 1 < sizeof(name); i++)
        name[i] = (char)(i % 2 == 0 ? 0xc3 : 0xa4);
    describe_stages(&stages, VERTEX | FRAGMENT, BY_MODULE, "main");
    VkPipeline pipeline = make(NULL, 0, stages.count, stages.stage);
    const VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                .objectType = VK_OBJECT_TYPE_PIPELINE,
                                                .objectHandle = (uint64_t)pipeline,
                                                .pObjectName = name};
    DO(((PFN_vkSetDebugUtilsObjectNameEXT)find("vkSetDebugUtilsObjectNameEXT"))(it.device, &info));
    draw("named", pipeline);
}

static VkPipeline
make_library(VkGraphicsPipelineLibraryFlagsEXT parts, unsigned which)
{
    struct stages stages;
    const VkGraphicsPipelineLibraryCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, .flags = parts};
    describe_stages(&stages, which, BY_MODULE, "main");
    return make(&info, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, stages.count, stages.stage);
}

/** Linked from libraries; @p flags: which the link has of its own, with stages for them. */
static void
draw_linked(const char *how, uint32_t count, const VkPipeline *libraries,
            VkGraphicsPipelineLibraryFlagsEXT flags, const struct stages *stages)
{
    const VkGraphicsPipelineLibraryCreateInfoEXT own = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, .flags = flags};
    const VkPipelineLibraryCreateInfoKHR link = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                 .pNext = flags != 0 ? &own : NULL,
                                                 .libraryCount = count,
                                                 .pLibraries = libraries};
    draw(how, make(&link, 0, stages ? stages->count : 0, stages ? stages->stage : NULL));
}

static void
draw_libraries(void)
{
    const VkGraphicsPipelineLibraryFlagsEXT input =
        VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT;
    const VkGraphicsPipelineLibraryFlagsEXT before =
        VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
    const VkGraphicsPipelineLibraryFlagsEXT fragment = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
    const VkGraphicsPipelineLibraryFlagsEXT output =
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
    const VkPipeline four[] = {make_library(input, 0), make_library(before, VERTEX),
                               make_library(fragment, FRAGMENT), make_library(output, 0)};
    const VkPipeline two[] = {make_library(fragment | output, FRAGMENT),
                              make_library(input | before, VERTEX)};
    const VkPipeline three[] = {four[0], four[1], four[3]};
    struct stages stages;
    draw_linked("linked from four", 4, four, 0, NULL);
    draw_linked("linked from two", 2, two, 0, NULL);
    describe_stages(&stages, FRAGMENT, BY_CODE, "main");
    draw_linked("linked with one here", 3, three, fragment, &stages);
}

/* Rays */

static VkPipeline
make_pipeline_of_rays(VkPipelineCreateFlags flags, uint32_t count, const VkPipeline *library, bool own)
{
    const VkPipelineShaderStageCreateInfo stage = {.sType =
                                                       VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   .stage = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
                                                   .module = it.module[2],
                                                   .pName = "main"};
    const VkPipelineLibraryCreateInfoKHR link = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                 .libraryCount = count,
                                                 .pLibraries = library};
    const VkRayTracingPipelineCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
        .flags = flags,
        .stageCount = own ? 1 : 0,
        .pStages = &stage,
        .pLibraryInfo = count > 0 ? &link : NULL,
        .layout = it.layout};
    VkPipeline pipeline;
    DO(it.make_rays(it.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

static void
trace(const char *how, VkPipeline pipeline)
{
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = how};
    const VkStridedDeviceAddressRegionKHR none = {0};
    it.begin_label(it.commands, &label);
    vkCmdBindPipeline(it.commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
    it.trace_rays(it.commands, &none, &none, &none, &none, 1, 1, 1);
    it.end_label(it.commands);
    printf("%s\n", how);
}

static void
trace_all(void)
{
    const VkPipeline library = make_pipeline_of_rays(VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, 0, NULL, true);
    const VkPipeline twice[] = {library, library};
    trace("rays at once", make_pipeline_of_rays(0, 0, NULL, true));
    trace("rays linked", make_pipeline_of_rays(0, 1, &library, false));
    trace("rays linked twice", make_pipeline_of_rays(0, 2, twice, false));
}

int
main(void)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    open_device();
    make_objects();
    DO(vkBeginCommandBuffer(it.commands, &begin));
    draw_whole("at once", VERTEX | FRAGMENT, BY_MODULE, "main");
    draw_whole("vertices alone", VERTEX, BY_MODULE, "main");
    draw_named();
    if (it.has[IDENTIFIERS]) { /* another entry point, never run: the fake driver has no shaders */
        draw_whole("another entry", VERTEX | FRAGMENT, BY_MODULE, "other");
        draw_whole("by identifiers", VERTEX | FRAGMENT, BY_IDENTIFIER, "main");
        draw_whole("by identifiers of code", VERTEX | FRAGMENT, BY_CODES_IDENTIFIER, "main");
    }
    if (it.has[LIBRARIES]) {
        draw_whole("from code", VERTEX | FRAGMENT, BY_CODE, "main");
        draw_libraries();
    }
    if (it.has[RAYS])
        trace_all();
    DO(vkEndCommandBuffer(it.commands));
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &it.commands};
    DO(vkQueueSubmit(it.queue, 1, &submit, VK_NULL_HANDLE));
    DO(vkDeviceWaitIdle(it.device));
    return 0;
}
