/** @file
 * An application with several devices, each of which fills a buffer some times; then all are destroyed.
 * Prints the results of the submissions, and whether the standard input is still open. usage: lab_vk_devices
 * COUNT [COMMAND]: COMMAND runs in the middle; "confine" sets a seccomp filter then, which allows all calls.
 * With "queues", each device has two queues that take turns, and more work.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "samples/vk_open.h"

enum { MOST = 8, SUBMISSIONS = 4, SUBMISSIONS_QUEUES = 40, BYTES = 65536 };

struct one {
    struct vk_open open;
    VkQueue other; /* NULL: there is one queue */
    VkCommandPool pool;
    VkCommandBuffer buffer;
    VkBuffer target;
    VkDeviceMemory memory;
};

static VkResult
make_target(struct one *one)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = BYTES,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkResult result = vkCreateBuffer(one->open.device, &info, NULL, &one->target);
    if (result != VK_SUCCESS)
        return result;
    vkGetBufferMemoryRequirements(one->open.device, one->target, &needs);
    memory.allocationSize = needs.size;
    if (!vk_memory_type(one->open.physical, needs.memoryTypeBits, 0, &memory.memoryTypeIndex))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    result = vkAllocateMemory(one->open.device, &memory, NULL, &one->memory);
    return result == VK_SUCCESS ? vkBindBufferMemory(one->open.device, one->target, one->memory, 0) : result;
}

static VkResult
open_one(struct one *one, bool queues)
{
    const struct vk_open_want want = {
        .version = VK_API_VERSION_1_2, .queue = VK_QUEUE_GRAPHICS_BIT, .queues = queues ? 2 : 1};
    VkResult result = vk_open_instance(&one->open, &want);
    if (result == VK_SUCCESS)
        result = vk_open_device(&one->open, &want);
    if (result == VK_SUCCESS)
        result = make_target(one);
    if (result == VK_SUCCESS && queues)
        vkGetDeviceQueue(one->open.device, one->open.family, 1, &one->other);
    if (result == VK_SUCCESS)
        result = vk_command_pool(one->open.device, one->open.family,
                                 VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &one->pool);
    if (result == VK_SUCCESS)
        result =
            vk_command_buffers(one->open.device, one->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &one->buffer);
    return result;
}

static VkResult
submit(struct one *one, bool other)
{
    VkQueue queue = other && one->other ? one->other : one->open.queue;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &one->buffer};
    VkResult result = vkBeginCommandBuffer(one->buffer, &begin);
    if (result != VK_SUCCESS)
        return result;
    vkCmdFillBuffer(one->buffer, one->target, 0, BYTES, 1);
    result = vkEndCommandBuffer(one->buffer);
    if (result == VK_SUCCESS)
        result = vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE);
    return result == VK_SUCCESS ? vkQueueWaitIdle(queue) : result;
}

static void
close_one(struct one *one)
{
    vkDestroyCommandPool(one->open.device, one->pool, NULL);
    vkDestroyBuffer(one->open.device, one->target, NULL);
    vkFreeMemory(one->open.device, one->memory, NULL);
    vk_close(&one->open);
}

/* @return 0 */
static int
confine(void)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {.len = 1, .filter = &allow};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* @return 0 */
static int
run(const char *command)
{
    return strcmp(command, "confine") == 0 ? confine() : system(command);
}

int
main(int argc, char **argv)
{
    static struct one devices[MOST];
    int count = argc > 1 ? atoi(argv[1]) : 1;
    bool queues = argc > 2 && strcmp(argv[2], "queues") == 0;
    int submissions = count * (queues ? SUBMISSIONS_QUEUES : SUBMISSIONS);
    if (count > MOST)
        return 2;
    for (int i = 0; i < count; i++)
        if (open_one(&devices[i], queues) != VK_SUCCESS)
            return 3;
    for (int i = 0; i < submissions; i++) {
        if (argc > 2 && !queues && i == submissions / 2 && run(argv[2]) != 0)
            return 4;
        printf("%d", submit(&devices[i % count], i / count % 2));
    }
    for (int i = 0; i < count; i++)
        close_one(&devices[i]);
    printf(" %s\n", fcntl(STDIN_FILENO, F_GETFD) < 0 ? "closed" : "open");
    return 0;
}
