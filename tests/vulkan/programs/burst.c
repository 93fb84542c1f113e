/** @file
 * An application with a peak: a few frames of few draws, a few of very many, then frames of few again, in
 * each of which three seconds pass (tests/fake/clock.h). It waits for the device after each of the three
 * parts; then the fake driver prints what exists. Argument: once (command buffers that run once), kept
 * (command buffers that may run twice at once), or many (the peak has many submissions, not many draws in
 * one). */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "samples/vk_open.h"
#include "tests/fake/clock.h"
#include "tests/vulkan/programs/program.h"

#define SETS         3U   /* frames in flight */
#define BUFFERS      100U /* submissions of a frame, at most */
#define PEAK_DRAWS   6000U
#define PEAK_FRAMES  4U
#define SMALL_FRAMES 20U

/* One of the frames in flight. */
struct set {
    VkCommandPool pool;
    VkCommandBuffer commands[BUFFERS];
    VkFence fence;
};

struct burst {
    VkDevice device;
    VkQueue queue;
    VkCommandBufferUsageFlags usage;
    struct set set[SETS];
    uint32_t frame;
};

static int
open_device(struct burst *burst)
{
    const VkPhysicalDeviceVulkan13Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
    const struct vk_open_want want = {.version = VK_API_VERSION_1_3, .features = &features};
    struct vk_open gpu;
    DO(vk_open_instance(&gpu, &want));
    DO(vk_open_device(&gpu, &want));
    burst->device = gpu.device;
    burst->queue = gpu.queue;
    return 0;
}

static int
open_set(struct burst *burst, struct set *set)
{
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                     .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    DO(vk_command_pool(burst->device, 0, 0, &set->pool));
    DO(vk_command_buffers(burst->device, set->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, BUFFERS, set->commands));
    DO(vkCreateFence(burst->device, &fence, NULL, &set->fence));
    return 0;
}

static int
record(const struct burst *burst, VkCommandBuffer commands, uint32_t draws)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = burst->usage};
    const VkRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {.extent = {16, 16}}, .layerCount = 1};
    DO(vkBeginCommandBuffer(commands, &begin));
    vkCmdBeginRendering(commands, &rendering);
    for (uint32_t i = 0; i < draws; i++)
        vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    DO(vkEndCommandBuffer(commands));
    return 0;
}

/* A frame with a number of submissions, and of draws in each. */
static int
draw_frame(struct burst *burst, uint32_t submissions, uint32_t draws)
{
    struct set *set = &burst->set[burst->frame++ % SETS];
    DO(vkWaitForFences(burst->device, 1, &set->fence, VK_TRUE, UINT64_MAX));
    DO(vkResetFences(burst->device, 1, &set->fence));
    DO(vkResetCommandPool(burst->device, set->pool, 0));
    for (uint32_t i = 0; i < submissions; i++) {
        const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .commandBufferCount = 1,
                                   .pCommandBuffers = &set->commands[i]};
        if (record(burst, set->commands[i], draws) != 0)
            return 1;
        DO(vkQueueSubmit(burst->queue, 1, &info, i + 1 == submissions ? set->fence : VK_NULL_HANDLE));
    }
    return 0;
}

/* Frames with a number of submissions and draws, with a pause after each, in which the collector catches up.
 */
static int
draw_frames(struct burst *burst, uint32_t frames, uint32_t submissions, uint32_t draws, uint64_t pause_ns)
{
    for (uint32_t i = 0; i < frames; i++) {
        if (draw_frame(burst, submissions, draws) != 0)
            return 1;
        fake_clock_pause(pause_ns);
    }
    DO(vkDeviceWaitIdle(burst->device));
    return 0;
}

int
main(int argc, char **argv)
{
    static struct burst burst;
    const char *how = argc > 1 ? argv[1] : "once";
    bool many = strcmp(how, "many") == 0;
    burst.usage = strcmp(how, "kept") == 0 ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT
                                           : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (open_device(&burst) != 0)
        return 1;
    for (uint32_t i = 0; i < SETS; i++)
        if (open_set(&burst, &burst.set[i]) != 0)
            return 1;
    return draw_frames(&burst, PEAK_FRAMES, 1, 3, 0) ||
           draw_frames(&burst, PEAK_FRAMES, many ? BUFFERS : 1, many ? 3 : PEAK_DRAWS, 0) ||
           draw_frames(&burst, SMALL_FRAMES, 1, 3, 3000000000U);
}
