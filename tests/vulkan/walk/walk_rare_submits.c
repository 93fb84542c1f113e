/** @file
 * The cases of the walk for rarer ways to submit: protected buffers, sparse binding, frame boundaries, nested
 * labels, groups of devices; and a load of many submissions on two families. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vulkan/walk/walk.h"

static VkCommandBuffer
make(struct walk *walk, VkCommandBufferUsageFlags usage, const char *label, uint32_t draws)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, usage, NULL, label);
    walk_pass(walk, commands, draws);
    walk_end(walk, commands);
    return commands;
}

static void
submit_chained(struct walk *walk, const void *chain, uint32_t count, const VkCommandBuffer *commands)
{
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = chain,
                               .commandBufferCount = count,
                               .pCommandBuffers = commands};
    VkFence fence = walk_fence(walk);
    WALK_CHECK(vkQueueSubmit(walk->queue, 1, &info, fence));
    walk_wait(walk, fence);
}

/** Calls of an application after its device was lost: submit existing command buffers, record more and submit
 * these. */
void
walk_cases_lost(struct walk *walk)
{
    VkCommandBuffer kept = make(walk, 0, "kept", 1);
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &kept};
    while (vkQueueSubmit(walk->queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS)
        ;
    for (int i = 0; i < 5; i++) {
        VkCommandBuffer commands = i < 2 ? kept : make(walk, 0, "lost", 1);
        const VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                                  .commandBuffer = commands};
        const VkSubmitInfo2 info2 = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                     .commandBufferInfoCount = 1,
                                     .pCommandBufferInfos = &buffer};
        info.pCommandBuffers = &commands;
        if (vkQueueSubmit(walk->queue, 1, &info, VK_NULL_HANDLE) != VK_ERROR_DEVICE_LOST ||
            vkQueueSubmit2(walk->queue, 1, &info2, VK_NULL_HANDLE) != VK_ERROR_DEVICE_LOST)
            exit(1);
    }
}

/** Labels of the queue in one another, around a buffer with a label of its own; and inserted ones. */
static void
case_nested_labels(struct walk *walk)
{
    VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "outer"};
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, NULL);
    walk->insert_label(commands, &(VkDebugUtilsLabelEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                                         .pLabelName = "mark of commands"});
    walk_pass(walk, commands, 1);
    walk_end(NULL, commands);
    walk->begin_queue_label(walk->queue, &text);
    walk_submit(walk, 1, &commands);
    text.pLabelName = "inner";
    walk->begin_queue_label(walk->queue, &text);
    text.pLabelName = "mark of queue";
    walk->insert_queue_label(walk->queue, &text);
    walk_submit(walk, 1, &commands);
    walk->end_queue_label(walk->queue);
    walk_submit(walk, 1, &commands);
    walk->end_queue_label(walk->queue);
}

/** A secondary with a label, in a buffer with one, under a queue's: outside of passes, and inside of two, in
 * the first of which the buffer draws, too. */
static void
case_joined_labels(struct walk *walk)
{
    const VkCommandBufferInheritanceInfo outside = {.sType =
                                                        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                       .pLabelName = "joined"};
    VkCommandBuffer computed = walk_begin(walk, walk->pool, 0, &outside, "leaf");
    vkCmdBindPipeline(computed, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
    vkCmdBindDescriptorSets(computed, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1, &walk->set,
                            0, NULL);
    vkCmdDispatch(computed, 1, 1, 4);
    walk_end(walk, computed);
    VkCommandBuffer first = walk_inherited(walk, walk->two_passes, 0, walk->draw_two[0], "leaf", 1);
    VkCommandBuffer drawn = walk_inherited(walk, walk->pass, 0, walk->draw, "leaf", 2);
    VkCommandBuffer primary = walk_begin(walk, walk->pool, 0, NULL, "buffer");
    vkCmdExecuteCommands(primary, 1, &computed);
    walk_begin_pass(walk, primary, walk->two_passes, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(primary, 1, &first);
    vkCmdNextSubpass(primary, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(primary, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_two[1]);
    vkCmdDraw(primary, 3, 1, 0, 0);
    vkCmdEndRenderPass(primary);
    walk_begin_pass(walk, primary, walk->pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(primary, 1, &drawn);
    vkCmdEndRenderPass(primary);
    walk_end(walk, primary);
    walk->begin_queue_label(walk->queue, &text);
    walk_submit(walk, 1, &primary);
    walk->end_queue_label(walk->queue);
}

static void
label(struct walk *walk, VkCommandBuffer commands, const char *name)
{
    walk->begin_label(commands, &(VkDebugUtilsLabelEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                                        .pLabelName = name});
}

/** A region that one buffer opens and the next closes, in one submission and in two. */
static void
case_labels_across(struct walk *walk)
{
    VkCommandBuffer part[3] = {walk_begin(walk, walk->pool, 0, NULL, "across"),
                               walk_begin(walk, walk->pool, 0, NULL, "more"),
                               walk_begin(walk, walk->pool, 0, NULL, "behind")};
    label(walk, part[0], "open");
    walk_pass(walk, part[0], 1);
    walk_end(walk, part[0]); /* of "open" alone */
    walk_pass(walk, part[1], 2);
    walk->end_label(part[1]);
    walk_pass(walk, part[1], 3);
    walk_end(walk, part[1]); /* of "across"; Mesa 22.3.6 dies of a label after that */
    walk_pass(walk, part[2], 4);
    walk_end(walk, part[2]);
    walk_submit(walk, 3, part);
    for (int i = 0; i < 3; i++)
        walk_submit(walk, 1, &part[i]);
}

/** A secondary for outside of passes: a dispatch, and if @p fill something of another kind. */
static VkCommandBuffer
make_computing(struct walk *walk, VkCommandBufferUsageFlags usage, const char *label, bool fill)
{
    const VkCommandBufferInheritanceInfo outside = {.sType =
                                                        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBuffer commands = walk_begin(walk, walk->pool, usage, &outside, label);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1, &walk->set,
                            0, NULL);
    walk_barrier(commands);
    vkCmdDispatch(commands, 1, 1, 4);
    if (fill) {
        walk_barrier(commands);
        vkCmdFillBuffer(commands, walk->target, 0, 256, 0);
    }
    walk_end(walk, commands);
    return commands;
}

/** Secondaries for simultaneous use outside of passes, one of them twice, and one secondary that is not for
 * simultaneous use. */
static void
case_shared(struct walk *walk)
{
    const VkCommandBufferUsageFlags shared = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    const VkCommandBuffer plain = make_computing(walk, 0, "plain", false),
                          one = make_computing(walk, shared, "one", false),
                          both = make_computing(walk, shared, "both", true);
    const VkCommandBuffer list[4] = {plain, one, both, one};
    VkCommandBuffer primary = walk_begin(walk, walk->pool, 0, NULL, "shared");
    walk_pass(walk, primary, 1);
    vkCmdExecuteCommands(primary, 4, list);
    walk_end(walk, primary);
    walk_submit(walk, 1, &primary);
    walk_submit(walk, 1, &primary);
}

/** A pass that may clear, and then may draw. */
static void
clearing_pass(struct walk *walk, VkCommandBuffer commands, bool clears, bool draws)
{
    const VkClearAttachment what = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    const VkClearRect where = {.rect.extent = {WALK_SIZE / 2, WALK_SIZE}, .layerCount = 1};
    walk_begin_pass(walk, commands, walk->pass, VK_SUBPASS_CONTENTS_INLINE);
    if (clears)
        vkCmdClearAttachments(commands, 1, &what, 1, &where);
    if (draws) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw);
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(commands);
    walk_barrier(commands);
}

/** Constants pushed before any pipeline is bound, passes without a pipeline, and a pass that binds one. A
 * statistics query that begins between the first and the last crashes lavapipe 22.3.6, with and without
 * passprobe; so does one that counts dispatches, if the constants are for compute shaders, too, and no
 * compute pipeline is ever bound. */
static void
case_pushed(struct walk *walk, const char *label, VkShaderStageFlags stages)
{
    const VkPushConstantRange range = {stages, 0, sizeof(uint32_t)};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    const VkBufferCopy half = {.srcOffset = 0, .dstOffset = 32768, .size = 4096};
    const uint32_t value = 7;
    VkPipelineLayout layout;
    WALK_CHECK(vkCreatePipelineLayout(walk->device, &info, NULL, &layout));
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, label);
    vkCmdPushConstants(commands, layout, stages, 0, sizeof(value), &value);
    vkCmdCopyBuffer(commands, walk->target, walk->target, 1, &half);
    walk_barrier(commands);
    clearing_pass(walk, commands, false, false);
    clearing_pass(walk, commands, true, false);
    walk_pass(walk, commands, 2);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
    vkDestroyPipelineLayout(walk->device, layout, NULL);
}

/** Descriptors of a uniform buffer bound before any pipeline, in front of a copy and of passes. */
static void
case_described(struct walk *walk)
{
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_VERTEX_BIT};
    const VkDescriptorSetLayoutCreateInfo set_info = {.sType =
                                                          VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                      .bindingCount = 1,
                                                      .pBindings = &binding};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = 1,
                                                  .poolSizeCount = 1,
                                                  .pPoolSizes = &size};
    const VkBufferCopy half = {.srcOffset = 0, .dstOffset = 32768, .size = 4096};
    struct walk_args args = walk_args_open(walk, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    WALK_CHECK(vkCreateDescriptorSetLayout(walk->device, &set_info, NULL, &set_layout));
    const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                    .setLayoutCount = 1,
                                                    .pSetLayouts = &set_layout};
    WALK_CHECK(vkCreatePipelineLayout(walk->device, &layout_info, NULL, &layout));
    WALK_CHECK(vkCreateDescriptorPool(walk->device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &set_layout};
    WALK_CHECK(vkAllocateDescriptorSets(walk->device, &allocate, &set));
    const VkDescriptorBufferInfo buffer = {args.buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                        .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(walk->device, 1, &write, 0, NULL);
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "described");
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
    vkCmdCopyBuffer(commands, walk->target, walk->target, 1, &half);
    walk_barrier(commands);
    clearing_pass(walk, commands, true, false);
    clearing_pass(walk, commands, true, true);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
    vkDestroyDescriptorPool(walk->device, pool, NULL);
    vkDestroyPipelineLayout(walk->device, layout, NULL);
    vkDestroyDescriptorSetLayout(walk->device, set_layout, NULL);
    walk_args_close(walk, &args);
}

/** A pass that does nothing but clear. */
static void
case_cleared(struct walk *walk)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "cleared");
    clearing_pass(walk, commands, true, false);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
}

static void
case_protected(struct walk *walk)
{
    const VkDeviceQueueInfo2 which = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2,
                                      .flags = VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT};
    VkCommandPool pool;
    VkQueue queue;
    if (!walk->protects)
        return;
    WALK_CHECK(vk_command_pool(walk->device, 0, VK_COMMAND_POOL_CREATE_PROTECTED_BIT, &pool));
    vkGetDeviceQueue2(walk->device, &which, &queue);
    VkCommandBuffer commands = walk_begin(walk, pool, 0, NULL, "protected");
    walk_pass(walk, commands, 5);
    walk_end(walk, commands);
    const VkProtectedSubmitInfo guarded = {.sType = VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO,
                                           .protectedSubmit = VK_TRUE};
    const VkSubmitInfo batch = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .pNext = &guarded,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands};
    const VkCommandBufferSubmitInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                           .commandBuffer = commands};
    const VkSubmitInfo2 batch2 = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                  .flags = VK_SUBMIT_PROTECTED_BIT,
                                  .commandBufferInfoCount = 1,
                                  .pCommandBufferInfos = &one};
    WALK_CHECK(vkQueueSubmit(queue, 1, &batch, VK_NULL_HANDLE));
    WALK_CHECK(vkQueueWaitIdle(queue));
    WALK_CHECK(vkQueueSubmit2(queue, 1, &batch2, VK_NULL_HANDLE));
    WALK_CHECK(vkQueueWaitIdle(queue));
    vkDestroyCommandPool(walk->device, pool, NULL);
}

static void
case_sparse(struct walk *walk)
{
    const VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    if (!walk->sparse)
        return;
    VkCommandBuffer commands = make(walk, 0, "bound", 1);
    VkFence fence = walk_fence(walk);
    WALK_CHECK(vkQueueBindSparse(walk->queue, 1, &info, fence));
    walk_submit(walk, 1, &commands);
    walk_wait(walk, fence);
}

void
walk_cases_more(struct walk *walk)
{
    case_nested_labels(walk);
    case_joined_labels(walk);
    case_labels_across(walk);
    case_shared(walk);
    case_pushed(walk, "pushed", VK_SHADER_STAGE_ALL_GRAPHICS);
    case_pushed(walk, "pushed to all", VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT);
    case_described(walk);
    case_cleared(walk);
    case_protected(walk);
    case_sparse(walk);
}

/** Submissions that no caller waits for until the end, on one queue or on one of each of two families. */
void
walk_cases_unwaited(struct walk *walk, uint32_t count)
{
    VkCommandPool pool = VK_NULL_HANDLE;
    VkQueue queue[2] = {walk->queue, VK_NULL_HANDLE};
    uint32_t queues = walk->families > 1 ? 2 : 1;
    if (queues == 2) {
        vkGetDeviceQueue(walk->device, 1, 0, &queue[1]);
        WALK_CHECK(vk_command_pool(walk->device, 1, 0, &pool));
    }
    for (uint32_t i = 0; i < count; i++) {
        VkCommandBuffer commands[2] = {make(walk, 0, "many", 1), VK_NULL_HANDLE};
        if (queues == 2) {
            commands[1] = walk_begin(walk, pool, 0, NULL, "second family");
            vkCmdBindPipeline(commands[1], VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
            vkCmdBindDescriptorSets(commands[1], VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1,
                                    &walk->set, 0, NULL);
            vkCmdDispatch(commands[1], 1, 1, 1);
            walk_end(walk, commands[1]);
        }
        for (uint32_t q = 0; q < queues; q++) {
            const VkSubmitInfo batch = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                        .commandBufferCount = 1,
                                        .pCommandBuffers = &commands[q]};
            WALK_CHECK(vkQueueSubmit(queue[q], 1, &batch, VK_NULL_HANDLE));
        }
    }
    WALK_CHECK(vkDeviceWaitIdle(walk->device));
    if (pool != VK_NULL_HANDLE)
        vkDestroyCommandPool(walk->device, pool, NULL);
}

/** VkFrameBoundaryEXT, which Vulkan 1.3.239 lacks; drivers skip structs that they do not know. */
struct boundary {
    VkStructureType type;
    const void *next;
    uint32_t flags;
    uint64_t frame;
    uint32_t images;
    const VkImage *image;
    uint32_t buffers;
    const VkBuffer *buffer;
    uint64_t tag;
    size_t tag_size;
    const void *tag_data;
};

#define FRAME_END "vr-marker,frame_end,type,application"

/** A command buffer with a label that ends frames, of the kind that WALK_CASES names. */
static VkCommandBuffer
make_last(struct walk *walk, const char *how)
{
    const VkCommandBufferInheritanceInfo inherit = {.sType =
                                                        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                       .pLabelName = "an engine: " FRAME_END};
    const VkDebugMarkerMarkerInfoEXT marker = {.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_MARKER_INFO_EXT,
                                               .pMarkerName = FRAME_END};
    PFN_vkCmdDebugMarkerInsertEXT insert_marker =
        (PFN_vkCmdDebugMarkerInsertEXT)vkGetDeviceProcAddr(walk->device, "vkCmdDebugMarkerInsertEXT");
    VkCommandBuffer secondary = VK_NULL_HANDLE;
    if (strcmp(how, "secondary") == 0) {
        secondary = walk_begin(walk, walk->pool, 0, &inherit, "inner");
        walk->insert_label(secondary, &text);
        walk_end(walk, secondary);
    }
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "last");
    walk_pass(walk, commands, 2);
    if (strcmp(how, "label") == 0)
        walk->insert_label(commands, &text);
    if (strcmp(how, "marker") == 0)
        insert_marker(commands, &marker);
    if (secondary != VK_NULL_HANDLE)
        vkCmdExecuteCommands(commands, 1, &secondary);
    walk_end(walk, commands);
    return commands;
}

/** VK_ANDROID_frame_boundary, which the registry lacks. */
typedef void(VKAPI_PTR *boundary_android)(VkDevice, VkSemaphore, VkImage);

/** Frames of two submissions each, whose ends @p how marks: "" is VK_EXT_frame_boundary. */
void
walk_cases_boundaries(struct walk *walk, const char *how, uint32_t frames)
{
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                       .pLabelName = FRAME_END};
    boundary_android android = (boundary_android)vkGetDeviceProcAddr(walk->device, "vkFrameBoundaryANDROID");
    for (uint32_t i = 0; i < frames; i++) {
        const struct boundary end = {.type = (VkStructureType)1000375001, .flags = 1, .frame = i};
        VkCommandBuffer commands[2] = {make(walk, 0, "first", 1), make_last(walk, how)};
        walk_submit(walk, 1, &commands[0]);
        submit_chained(walk, how[0] == '\0' ? &end : NULL, 1, &commands[1]);
        if (strcmp(how, "queue") == 0)
            walk->insert_queue_label(walk->queue, &text);
        if (strcmp(how, "android") == 0)
            android(walk->device, VK_NULL_HANDLE, walk->image);
    }
}

/** A group of two physical devices, which is not measured. */
void
walk_device_group(void)
{
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    const float priority = 1;
    VkPhysicalDevice physical[2];
    VkInstance instance;
    VkDevice device;
    uint32_t one = 1;
    WALK_CHECK(vkCreateInstance(&info, NULL, &instance));
    WALK_CHECK(vkEnumeratePhysicalDevices(instance, &one, physical));
    physical[1] = physical[0];
    const VkDeviceGroupDeviceCreateInfo group = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
                                                 .physicalDeviceCount = 2,
                                                 .pPhysicalDevices = physical};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo both = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &group,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    WALK_CHECK(vkCreateDevice(physical[0], &both, NULL, &device));
    VkQueue first;
    VkCommandPool pool;
    VkCommandBuffer commands;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vkGetDeviceQueue(device, 0, 0, &first);
    WALK_CHECK(vk_command_pool(device, 0, 0, &pool));
    WALK_CHECK(vk_command_buffers(device, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &commands));
    WALK_CHECK(vkBeginCommandBuffer(commands, &begin));
    vkCmdDispatch(commands, 1, 1, 1);
    WALK_CHECK(vkEndCommandBuffer(commands));
    const VkSubmitInfo batch = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    WALK_CHECK(vkQueueSubmit(first, 1, &batch, VK_NULL_HANDLE));
    WALK_CHECK(vkDeviceWaitIdle(device));
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
}
