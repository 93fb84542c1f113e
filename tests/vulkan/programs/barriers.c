/** @file
 * An application whose barriers discard colour images, in every way to record barriers. Each way is
 * under a label. A submission that contains only a barrier comes before each frame. For
 * tests/lab/test_barriers.py.
 *
 * layer-barriers FRAMES [rerecord] [secondary] [simultaneous] */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "samples/vk_open.h"

enum { IMAGES = 2, SECONDARIES = 2 };

static struct vk_open gpu;
static VkCommandPool pool;
static VkCommandBuffer first, frame, secondary[SECONDARIES];
static VkImage image[IMAGES];
static VkBuffer buffer;
static VkEvent event;
static bool executes;                   /* with secondaries */
static VkCommandBufferUsageFlags usage; /* of primaries */
static PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
static PFN_vkCmdEndDebugUtilsLabelEXT end_label;

static VkResult
give_memory(VkMemoryRequirements needed, VkImage to_image)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needed.size};
    VkDeviceMemory memory;
    if (!vk_memory_type(gpu.physical, needed.memoryTypeBits, 0, &info.memoryTypeIndex))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    VkResult result = vkAllocateMemory(gpu.device, &info, NULL, &memory);
    if (result != VK_SUCCESS)
        return result;
    return to_image ? vkBindImageMemory(gpu.device, to_image, memory, 0)
                    : vkBindBufferMemory(gpu.device, buffer, memory, 0);
}

static int
make_objects(void)
{
    const VkImageCreateInfo color = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R16G16B16A16_SFLOAT,
        .extent = {256, 256, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    const VkBufferCreateInfo bytes = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = 4096,
                                      .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkEventCreateInfo plain = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkMemoryRequirements needed;
    for (int i = 0; i < IMAGES; i++) {
        DO(vkCreateImage(gpu.device, &color, NULL, &image[i]));
        vkGetImageMemoryRequirements(gpu.device, image[i], &needed);
        DO(give_memory(needed, image[i]));
    }
    DO(vkCreateBuffer(gpu.device, &bytes, NULL, &buffer));
    vkGetBufferMemoryRequirements(gpu.device, buffer, &needed);
    DO(give_memory(needed, VK_NULL_HANDLE));
    DO(vkCreateEvent(gpu.device, &plain, NULL, &event));
    PFN_vkSetDebugUtilsObjectNameEXT name =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(gpu.device, "vkSetDebugUtilsObjectNameEXT");
    const VkDebugUtilsObjectNameInfoEXT named = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                 .objectType = VK_OBJECT_TYPE_IMAGE,
                                                 .objectHandle = (uint64_t)image[1],
                                                 .pObjectName = "light"};
    DO(name(gpu.device, &named));
    return 0;
}

static void
label(VkCommandBuffer commands, const char *text)
{
    const VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = text};
    begin_label(commands, &info);
}

/* A barrier that discards the contents of an image: the driver initializes its metadata. */
static VkImageMemoryBarrier
discard(int i)
{
    return (VkImageMemoryBarrier){
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image[i],
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
}

static void
change(VkCommandBuffer commands, int i)
{
    const VkImageMemoryBarrier one = discard(i);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                         VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, NULL, 0, NULL, 1, &one);
}

static VkImageMemoryBarrier2
discard2(int i)
{
    const VkImageMemoryBarrier one = discard(i);
    return (VkImageMemoryBarrier2){
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
        .srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
        .dstAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
        .oldLayout = one.oldLayout,
        .newLayout = one.newLayout,
        .srcQueueFamilyIndex = one.srcQueueFamilyIndex,
        .dstQueueFamilyIndex = one.dstQueueFamilyIndex,
        .image = one.image,
        .subresourceRange = one.subresourceRange,
    };
}

static void
change2(VkCommandBuffer commands, int i)
{
    const VkImageMemoryBarrier2 one = discard2(i);
    const VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .imageMemoryBarrierCount = 1,
                                   .pImageMemoryBarriers = &one};
    vkCmdPipelineBarrier2(commands, &info);
}

/* A barrier that changes no layout. */
static void
order(VkCommandBuffer commands)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT};
    VkImageMemoryBarrier same = discard(0);
    same.oldLayout = same.newLayout;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         1, &all, 0, NULL, 1, &same);
}

static void
fill(VkCommandBuffer commands)
{
    order(commands);
    vkCmdFillBuffer(commands, buffer, 0, 4096, 7);
}

/* Wait for an event that the GPU has set. */
static void
wait_event(VkCommandBuffer commands, bool changes)
{
    const VkImageMemoryBarrier one = discard(0);
    const VkPipelineStageFlags from = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    order(commands);
    vkCmdResetEvent(commands, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    order(commands);
    vkCmdSetEvent(commands, event, from);
    vkCmdWaitEvents(commands, 1, &event, from, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, NULL, 0,
                    NULL, changes, &one);
}

static void
wait_event2(VkCommandBuffer commands)
{
    const VkImageMemoryBarrier2 one = discard2(0);
    const VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .imageMemoryBarrierCount = 1,
                                   .pImageMemoryBarriers = &one};
    order(commands);
    vkCmdResetEvent2(commands, event, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    order(commands);
    vkCmdSetEvent2(commands, event, &info);
    vkCmdWaitEvents2(commands, 1, &event, &info);
}

/* Give images to a user outside of Vulkan, and keep their layout. Later barriers discard them. */
static void
give_away(VkCommandBuffer commands, uint32_t images)
{
    VkImageMemoryBarrier release[IMAGES];
    for (uint32_t i = 0; i < images; i++) {
        release[i] = discard((int)i);
        release[i].oldLayout = release[i].newLayout;
        release[i].dstAccessMask = 0;
        release[i].srcQueueFamilyIndex = gpu.family;
        release[i].dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
    }
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                         VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, images, release);
}

static VkResult
begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags)
{
    static const VkCommandBufferInheritanceInfo inherits = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = flags, .pInheritanceInfo = &inherits};
    return vkBeginCommandBuffer(commands, &info);
}

/* Secondaries: one for a single use at a time, and one for simultaneous use. */
static int
record_secondaries(void)
{
    for (int i = 0; i < SECONDARIES; i++) {
        DO(begin(secondary[i], i == 1 ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0));
        change(secondary[i], i);
        DO(vkEndCommandBuffer(secondary[i]));
    }
    return 0;
}

static void
record_primary_ways(void)
{
    label(frame, "one");
    change(frame, 0);
    end_label(frame);
    label(frame, "named");
    change2(frame, 1);
    end_label(frame);
    label(frame, "consecutive");
    change(frame, 0);
    order(frame);
    change2(frame, 1);
    end_label(frame);
    label(frame, "no change");
    order(frame);
    end_label(frame);
    label(frame, "between copies");
    fill(frame);
    change(frame, 0);
    fill(frame);
    end_label(frame);
    label(frame, "before a copy");
    change(frame, 0);
    fill(frame);
    end_label(frame);
    label(frame, "event");
    wait_event(frame, true);
    end_label(frame);
    label(frame, "event 2");
    wait_event2(frame);
    end_label(frame);
    label(frame, "barrier, then event");
    change(frame, 0);
    wait_event(frame, false);
    end_label(frame);
    label(frame, "given away");
    give_away(frame, 1);
    end_label(frame);
    label(frame, "both given away");
    give_away(frame, IMAGES);
    end_label(frame);
}

static int
record(void)
{
    DO(begin(first, usage));
    label(first, "submitted alone");
    change(first, 0);
    end_label(first);
    DO(vkEndCommandBuffer(first));
    if (executes && record_secondaries() != 0)
        return 1;
    DO(begin(frame, usage));
    record_primary_ways();
    for (uint32_t i = 0; executes && i < SECONDARIES; i++) {
        label(frame, i == 1 ? "simultaneous secondary" : "secondary");
        vkCmdExecuteCommands(frame, 1, &secondary[i]);
        end_label(frame);
    }
    DO(vkEndCommandBuffer(frame));
    return 0;
}

static VkResult
submit(VkCommandBuffer commands)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    return vkQueueSubmit(gpu.queue, 1, &info, VK_NULL_HANDLE);
}

static int
run(int frames, bool again)
{
    for (int i = 0; i < frames; i++) {
        if ((i == 0 || again) && record() != 0)
            return 1;
        DO(submit(first));
        DO(submit(frame));
        DO(vkQueueWaitIdle(gpu.queue));
    }
    return 0;
}

int
main(int argc, char **argv)
{
    const char *labels = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkPhysicalDeviceVulkan13Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .synchronization2 = VK_TRUE};
    const struct vk_open_want want = {.version = VK_API_VERSION_1_3,
                                      .instance_extension = &labels,
                                      .instance_extensions = 1,
                                      .features = &features,
                                      .queue = VK_QUEUE_GRAPHICS_BIT};
    bool again = false;
    for (int i = 2; i < argc; i++) {
        again = again || strcmp(argv[i], "rerecord") == 0;
        executes = executes || strcmp(argv[i], "secondary") == 0;
        if (strcmp(argv[i], "simultaneous") == 0)
            usage = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    }
    DO(vk_open_instance(&gpu, &want));
    DO(vk_open_device(&gpu, &want));
    begin_label =
        (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(gpu.device, "vkCmdBeginDebugUtilsLabelEXT");
    end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(gpu.device, "vkCmdEndDebugUtilsLabelEXT");
    DO(vk_command_pool(gpu.device, gpu.family, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &pool));
    DO(vk_command_buffers(gpu.device, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &first));
    DO(vk_command_buffers(gpu.device, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &frame));
    DO(vk_command_buffers(gpu.device, pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY, SECONDARIES, secondary));
    if (make_objects() != 0 || run(argc > 1 ? atoi(argv[1]) : 3, again) != 0)
        return 1;
    vkDestroyCommandPool(gpu.device, pool, NULL);
    return 0;
}
