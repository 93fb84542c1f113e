/** @file
 * Device, resources and pipelines of the walk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vulkan/walk/walk.h"
#include "walk_comp.h"
#include "walk_frag.h"
#include "walk_vert.h"

void
walk_check(VkResult result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "walk: %s: VkResult %d\n", what, (int)result);
    exit(1);
}

static bool
has_extension(VkPhysicalDevice physical, const char *name)
{
    VkExtensionProperties list[512];
    uint32_t count = 512;
    vkEnumerateDeviceExtensionProperties(physical, NULL, &count, list);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].extensionName, name) == 0)
            return true;
    return false;
}

static void
open_instance(struct walk *walk)
{
    const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .pApplicationName = "walk",
                                   .pEngineName = getenv("WALK_ENGINE"),
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = &extension,
    };
    uint32_t one = 1;
    WALK_CHECK(vkCreateInstance(&info, NULL, &walk->instance));
    WALK_CHECK(vkEnumeratePhysicalDevices(walk->instance, &one, &walk->physical));
}

static void
open_device(struct walk *walk)
{
    const char *name[1] = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
    const float priority[2] = {1, 1};
    VkDeviceQueueCreateInfo queue[WALK_FAMILIES + 1];
    VkQueueFamilyProperties family[WALK_FAMILIES];
    walk->families = WALK_FAMILIES;
    vkGetPhysicalDeviceQueueFamilyProperties(walk->physical, &walk->families, family);
    for (uint32_t i = 0; i < walk->families; i++) {
        walk->queues[i] = family[i].queueCount < 2 ? 1 : 2;
        queue[i] = (VkDeviceQueueCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = i,
            .queueCount = walk->queues[i],
            .pQueuePriorities = priority,
        };
    }
    VkPhysicalDeviceProtectedMemoryFeatures guarded = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = &guarded};
    vkGetPhysicalDeviceFeatures2(walk->physical, &all);
    walk->protects = guarded.protectedMemory && (family[0].queueFlags & VK_QUEUE_PROTECTED_BIT);
    walk->sparse = (family[0].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) != 0;
    if (walk->protects) {
        queue[walk->families] = queue[0];
        queue[walk->families].flags = VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT;
        queue[walk->families].queueCount = 1;
    }
    walk->conditional = has_extension(walk->physical, name[0]);
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
        .conditionalRendering = VK_TRUE};
    VkPhysicalDeviceVulkan13Features v13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = walk->conditional ? &conditional : NULL,
        .dynamicRendering = VK_TRUE,
        .synchronization2 = VK_TRUE,
    };
    const char *only = getenv("WALK_CASES");
    bool indirect =
        only && (strcmp(only, "indirect") == 0 || strcmp(only, "nested") == 0 || strcmp(only, "limits") == 0);
    bool instances = only && strcmp(only, "instances") == 0;
    VkPhysicalDeviceVulkan12Features v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            .pNext = &v13,
                                            .drawIndirectCount = indirect,
                                            .imagelessFramebuffer = instances,
                                            .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceVulkan11Features v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                            .pNext = &v12,
                                            .multiview = VK_TRUE,
                                            .protectedMemory = walk->protects};
    /* Not the first in the chain, so that a layer that changes it must copy the structs before it. */
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkBaseOutStructure *last = (VkBaseOutStructure *)&v11;
    while (last->pNext)
        last = last->pNext;
    last->pNext = (VkBaseOutStructure *)&features;
    features.features.multiDrawIndirect = indirect;
    features.features.occlusionQueryPrecise = instances;
    features.features.pipelineStatisticsQuery = only && strcmp(only, "app queries") == 0;
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &v11,
        .queueCreateInfoCount = walk->families + walk->protects,
        .pQueueCreateInfos = queue,
        .enabledExtensionCount = walk->conditional ? 1 : 0,
        .ppEnabledExtensionNames = name,
    };
    WALK_CHECK(vkCreateDevice(walk->physical, &info, NULL, &walk->device));
    vkGetDeviceQueue(walk->device, 0, 0, &walk->queue);
#define LOAD(field, function) walk->field = (PFN_##function)vkGetDeviceProcAddr(walk->device, #function)
    LOAD(begin_label, vkCmdBeginDebugUtilsLabelEXT);
    LOAD(end_label, vkCmdEndDebugUtilsLabelEXT);
    LOAD(insert_label, vkCmdInsertDebugUtilsLabelEXT);
    LOAD(begin_queue_label, vkQueueBeginDebugUtilsLabelEXT);
    LOAD(end_queue_label, vkQueueEndDebugUtilsLabelEXT);
    LOAD(insert_queue_label, vkQueueInsertDebugUtilsLabelEXT);
    LOAD(begin_conditional, vkCmdBeginConditionalRenderingEXT);
    LOAD(end_conditional, vkCmdEndConditionalRenderingEXT);
}

static VkDeviceMemory
allocate(struct walk *walk, const VkMemoryRequirements *need, VkMemoryPropertyFlags flags)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = need->size};
    VkDeviceMemory memory;
    bool there = vk_memory_type(walk->physical, need->memoryTypeBits, flags, &info.memoryTypeIndex);
    WALK_CHECK(there ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY);
    WALK_CHECK(vkAllocateMemory(walk->device, &info, NULL, &memory));
    walk->memory[walk->memories++] = memory;
    return memory;
}

static VkImage
make_image(struct walk *walk)
{
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {WALK_SIZE, WALK_SIZE, 1},
        .mipLevels = 1,
        .arrayLayers = 2,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    VkImage image;
    VkMemoryRequirements need;
    WALK_CHECK(vkCreateImage(walk->device, &info, NULL, &image));
    vkGetImageMemoryRequirements(walk->device, image, &need);
    WALK_CHECK(vkBindImageMemory(walk->device, image, allocate(walk, &need, 0), 0));
    return image;
}

static VkImageView
make_view(struct walk *walk, uint32_t layers)
{
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = walk->image,
        .viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers},
    };
    VkImageView view;
    WALK_CHECK(vkCreateImageView(walk->device, &info, NULL, &view));
    return view;
}

static VkBuffer
make_buffer(struct walk *walk)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = 65536,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (walk->conditional ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT : 0),
    };
    VkBuffer buffer;
    VkMemoryRequirements need;
    void *mapped;
    WALK_CHECK(vkCreateBuffer(walk->device, &info, NULL, &buffer));
    vkGetBufferMemoryRequirements(walk->device, buffer, &need);
    VkDeviceMemory memory =
        allocate(walk, &need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    WALK_CHECK(vkBindBufferMemory(walk->device, buffer, memory, 0));
    WALK_CHECK(vkMapMemory(walk->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    const uint32_t indirect[8] = {3, 1, 0, 0, 2, 1, 1, 0}; /* a draw, a dispatch, a predicate of 0 */
    memset(mapped, 0, 65536);
    memcpy(mapped, indirect, sizeof(indirect));
    return buffer;
}

static VkRenderPass
make_pass(struct walk *walk, uint32_t subpasses)
{
    const VkAttachmentDescription color = {
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
    };
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass[2] = {
        {.colorAttachmentCount = 1, .pColorAttachments = &reference},
        {.colorAttachmentCount = 1, .pColorAttachments = &reference},
    };
    const VkSubpassDependency dependency = {
        .srcSubpass = 0,
        .dstSubpass = 1,
        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT,
    };
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &color,
        .subpassCount = subpasses,
        .pSubpasses = subpass,
        .dependencyCount = subpasses - 1,
        .pDependencies = &dependency,
    };
    VkRenderPass pass;
    WALK_CHECK(vkCreateRenderPass(walk->device, &info, NULL, &pass));
    return pass;
}

static VkFramebuffer
make_frame(struct walk *walk, VkRenderPass pass)
{
    const VkFramebufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = pass,
        .attachmentCount = 1,
        .pAttachments = &walk->view,
        .width = WALK_SIZE,
        .height = WALK_SIZE,
        .layers = 1,
    };
    VkFramebuffer frame;
    WALK_CHECK(vkCreateFramebuffer(walk->device, &info, NULL, &frame));
    return frame;
}

static VkShaderModule
make_module(struct walk *walk, const uint32_t *code, size_t size)
{
    VkShaderModule module;
    WALK_CHECK(vk_shader_module(walk->device, code, size, &module));
    return module;
}

/** @param pass VK_NULL_HANDLE for dynamic rendering with @p view_mask. */
static VkPipeline
make_draw(struct walk *walk, VkRenderPass pass, uint32_t subpass, uint32_t view_mask)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .viewMask = view_mask,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
    };
    const struct vk_graphics_want want = {
        .vertex = make_module(walk, walk_vert, sizeof(walk_vert)),
        .fragment = make_module(walk, walk_frag, sizeof(walk_frag)),
        .layout = walk->layout,
        .pass = pass,
        .subpass = subpass,
        .rendering = &rendering,
        .size = WALK_SIZE,
    };
    VkPipeline pipeline;
    WALK_CHECK(vk_graphics_pipeline(walk->device, &want, &pipeline));
    vkDestroyShaderModule(walk->device, want.vertex, NULL);
    vkDestroyShaderModule(walk->device, want.fragment, NULL);
    return pipeline;
}

static void
open_compute(struct walk *walk)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                  VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    const VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 1,
        .pBindings = &binding};
    WALK_CHECK(vkCreateDescriptorSetLayout(walk->device, &set_layout, NULL, &walk->set_layout));
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    WALK_CHECK(vkCreateDescriptorPool(walk->device, &pool, NULL, &walk->set_pool));
    const VkDescriptorSetAllocateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = walk->set_pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &walk->set_layout,
    };
    WALK_CHECK(vkAllocateDescriptorSets(walk->device, &set, &walk->set));
    const VkDescriptorBufferInfo data = {walk->target, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = walk->set,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &data,
    };
    vkUpdateDescriptorSets(walk->device, 1, &write, 0, NULL);
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &walk->set_layout};
    WALK_CHECK(vkCreatePipelineLayout(walk->device, &layout, NULL, &walk->compute_layout));
    const VkComputePipelineCreateInfo compute = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = make_module(walk, walk_comp, sizeof(walk_comp)),
                  .pName = "main"},
        .layout = walk->compute_layout,
    };
    WALK_CHECK(vkCreateComputePipelines(walk->device, VK_NULL_HANDLE, 1, &compute, NULL, &walk->compute));
    vkDestroyShaderModule(walk->device, compute.stage.module, NULL);
}

void
walk_open(struct walk *walk)
{
    memset(walk, 0, sizeof(*walk));
    open_instance(walk);
    open_device(walk);
    WALK_CHECK(
        vk_command_pool(walk->device, 0, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &walk->pool));
    walk->image = make_image(walk);
    walk->other = make_image(walk);
    walk->view = make_view(walk, 1);
    walk->views = make_view(walk, 2);
    walk->buffer = make_buffer(walk);
    walk->target = make_buffer(walk);
    walk->pass = make_pass(walk, 1);
    walk->two_passes = make_pass(walk, 2);
    walk->frame = make_frame(walk, walk->pass);
    walk->two_frame = make_frame(walk, walk->two_passes);
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    WALK_CHECK(vkCreatePipelineLayout(walk->device, &layout, NULL, &walk->layout));
    walk->draw = make_draw(walk, walk->pass, 0, 0);
    for (uint32_t i = 0; i < 2; i++)
        walk->draw_two[i] = make_draw(walk, walk->two_passes, i, 0);
    walk->draw_dynamic = make_draw(walk, VK_NULL_HANDLE, 0, 0);
    walk->draw_views = make_draw(walk, VK_NULL_HANDLE, 0, 3);
    open_compute(walk);
}

void
walk_close(struct walk *walk)
{
    VkDevice device = walk->device;
    VkResult result = vkDeviceWaitIdle(device);
    if (result != VK_ERROR_DEVICE_LOST)
        WALK_CHECK(result);
    const VkPipeline pipelines[] = {walk->draw,         walk->draw_two[0], walk->draw_two[1],
                                    walk->draw_dynamic, walk->draw_views,  walk->compute};
    for (size_t i = 0; i < sizeof(pipelines) / sizeof(pipelines[0]); i++)
        vkDestroyPipeline(device, pipelines[i], NULL);
    vkDestroyPipelineLayout(device, walk->layout, NULL);
    vkDestroyPipelineLayout(device, walk->compute_layout, NULL);
    vkDestroyDescriptorPool(device, walk->set_pool, NULL);
    vkDestroyDescriptorSetLayout(device, walk->set_layout, NULL);
    vkDestroyFramebuffer(device, walk->frame, NULL);
    vkDestroyFramebuffer(device, walk->two_frame, NULL);
    vkDestroyRenderPass(device, walk->pass, NULL);
    vkDestroyRenderPass(device, walk->two_passes, NULL);
    vkDestroyImageView(device, walk->view, NULL);
    vkDestroyImageView(device, walk->views, NULL);
    vkDestroyImage(device, walk->image, NULL);
    vkDestroyImage(device, walk->other, NULL);
    vkDestroyBuffer(device, walk->buffer, NULL);
    vkDestroyBuffer(device, walk->target, NULL);
    vkDestroyCommandPool(device, walk->pool, NULL);
    for (uint32_t i = 0; i < walk->memories; i++)
        vkFreeMemory(device, walk->memory[i], NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(walk->instance, NULL);
}
