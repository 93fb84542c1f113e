/** @file
 * An application without a window that has two frames in flight: it submits a frame, and then waits for the
 * frame before. A frame fills a large buffer a few times. Prints how long the application waited in each
 * frame, in ns. Argument: number of frames. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "samples/vk_open.h"
#include "tests/vulkan/programs/program.h"

#define IN_FLIGHT 2U
#define BYTES     (VkDeviceSize)(4U << 20)
#define FILLS     8U
#define CPU_NS    500000U /* what the application computes in a frame */

struct overlap {
    struct vk_open gpu;
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkCommandPool pool;
    VkCommandBuffer commands[IN_FLIGHT];
    VkFence fence[IN_FLIGHT];
};

static uint64_t
now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static int
make_buffer(struct overlap *app)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = BYTES,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    DO(vkCreateBuffer(app->gpu.device, &info, NULL, &app->buffer));
    vkGetBufferMemoryRequirements(app->gpu.device, app->buffer, &needs);
    allocate.allocationSize = needs.size;
    if (!vk_memory_type(app->gpu.physical, needs.memoryTypeBits, 0, &allocate.memoryTypeIndex))
        return 1;
    DO(vkAllocateMemory(app->gpu.device, &allocate, NULL, &app->memory));
    DO(vkBindBufferMemory(app->gpu.device, app->buffer, app->memory, 0));
    return 0;
}

static int
submit_frame(struct overlap *app, uint32_t frame)
{
    VkCommandBuffer commands = app->commands[frame % IN_FLIGHT];
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    DO(vkBeginCommandBuffer(commands, &begin));
    for (uint32_t i = 0; i < FILLS; i++)
        vkCmdFillBuffer(commands, app->buffer, 0, BYTES, frame);
    DO(vkEndCommandBuffer(commands));
    DO(vkQueueSubmit(app->gpu.queue, 1, &submit, app->fence[frame % IN_FLIGHT]));
    return 0;
}

static int
wait_for(struct overlap *app, uint32_t frame)
{
    VkFence fence = app->fence[frame % IN_FLIGHT];
    uint64_t begin = now_ns();
    DO(vkWaitForFences(app->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX));
    printf("%llu\n", (unsigned long long)(now_ns() - begin));
    DO(vkResetFences(app->gpu.device, 1, &fence));
    return 0;
}

int
main(int argc, char **argv)
{
    static struct overlap app;
    uint32_t frames = argc > 1 ? (uint32_t)atoi(argv[1]) : 100;
    const struct vk_open_want want = {.version = VK_API_VERSION_1_1};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    DO(vk_open_instance(&app.gpu, &want));
    DO(vk_open_device(&app.gpu, &want));
    if (make_buffer(&app) != 0)
        return 1;
    DO(vk_command_pool(app.gpu.device, app.gpu.family, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                       &app.pool));
    DO(vk_command_buffers(app.gpu.device, app.pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, IN_FLIGHT,
                          app.commands));
    for (uint32_t i = 0; i < IN_FLIGHT; i++)
        DO(vkCreateFence(app.gpu.device, &fence, NULL, &app.fence[i]));
    for (uint32_t frame = 0; frame < frames; frame++) {
        uint64_t begin = now_ns();
        if (submit_frame(&app, frame) != 0 || (frame > 0 && wait_for(&app, frame - 1) != 0))
            return 1;
        while (now_ns() - begin < CPU_NS)
            ;
    }
    DO(vkDeviceWaitIdle(app.gpu.device));
    for (uint32_t i = 0; i < IN_FLIGHT; i++)
        vkDestroyFence(app.gpu.device, app.fence[i], NULL);
    vkDestroyCommandPool(app.gpu.device, app.pool, NULL);
    vkDestroyBuffer(app.gpu.device, app.buffer, NULL);
    vkFreeMemory(app.gpu.device, app.memory, NULL);
    vk_close(&app.gpu);
    return 0;
}
