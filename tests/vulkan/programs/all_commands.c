/** @file
 * An application that calls every command which makes the GPU work, by each of its names, once: see
 * gen_all_commands.py. For the fake driver, which takes zeroes for arguments. Prints the names in order.
 *
 * usage: layer-all-commands [TIMES]   in this many command buffers, one after the other (1) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "samples/vk_open.h"
#include "tests/vulkan/programs/program.h"

struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool command_pool;
    VkCommandBuffer commands;
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkQueryPool pool;
    bool in_pass;
    uint64_t zeroes[256];
};

/* In read-only memory: a layer that edits an application's structs in place crashes. */
static const float priority = 1;
static const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
static const VkDeviceQueueCreateInfo queues = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
static const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                               .pNext = &features,
                                               .queueCreateInfoCount = 1,
                                               .pQueueCreateInfos = &queues};

static int
open_device(struct program *it)
{
    const struct vk_open_want want = {.version = VK_API_VERSION_1_3};
    struct vk_open gpu;
    DO(vk_open_instance(&gpu, &want));
    it->instance = gpu.instance;
    it->physical = gpu.physical;
    DO(vkCreateDevice(it->physical, &device_info, NULL, &it->device));
    vkGetDeviceQueue(it->device, 0, 0, &it->queue);
    return 0;
}

static int
make_objects(struct program *it)
{
    const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = 4096,
                                       .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .allocationSize = 4096};
    const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                           .queryCount = 1};
    void *mapped;
    DO(vk_command_pool(it->device, 0, 0, &it->command_pool));
    DO(vkCreateBuffer(it->device, &buffer, NULL, &it->buffer));
    DO(vkAllocateMemory(it->device, &memory, NULL, &it->memory));
    DO(vkBindBufferMemory(it->device, it->buffer, it->memory, 0));
    DO(vkMapMemory(it->device, it->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    memset(mapped, 0, 4096);
    DO(vkCreateQueryPool(it->device, &queries, NULL, &it->pool));
    return 0;
}

/** Open or close a render pass, so that the next command may be where it is. */
static void
be_inside(struct program *it, bool inside)
{
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .layerCount = 1};
    if (inside && !it->in_pass)
        vkCmdBeginRendering(it->commands, &info);
    if (!inside && it->in_pass)
        vkCmdEndRendering(it->commands);
    it->in_pass = inside;
}

#define EVERY(name, first_name, inside, type, arguments)                                                     \
    {                                                                                                        \
        type call = (type)vkGetDeviceProcAddr(it->device, name);                                             \
        be_inside(it, inside);                                                                               \
        printf("%s %s %d\n", name, first_name, call != NULL);                                                \
        if (call)                                                                                            \
            call arguments;                                                                                  \
    }

static void
call_all(struct program *it)
{
#include "layer_all_commands.h"
    be_inside(it, false);
}

static int
submit_all(struct program *it)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    DO(vk_command_buffers(it->device, it->command_pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &it->commands));
    DO(vkBeginCommandBuffer(it->commands, &begin));
    call_all(it);
    DO(vkEndCommandBuffer(it->commands));
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &it->commands};
    DO(vkQueueSubmit(it->queue, 1, &submit, VK_NULL_HANDLE));
    DO(vkDeviceWaitIdle(it->device));
    return 0;
}

int
main(int argc, char **argv)
{
    static struct program program;
    struct program *it = &program;
    if (open_device(it) != 0 || make_objects(it) != 0)
        return 1;
    for (long times = argc > 1 ? strtol(argv[1], NULL, 10) : 1; times > 0; times--)
        if (submit_all(it) != 0)
            return 1;
    vkDestroyQueryPool(it->device, it->pool, NULL);
    vkDestroyBuffer(it->device, it->buffer, NULL);
    vkFreeMemory(it->device, it->memory, NULL);
    vkDestroyCommandPool(it->device, it->command_pool, NULL);
    vkDestroyDevice(it->device, NULL);
    vkDestroyInstance(it->instance, NULL);
    return 0;
}
