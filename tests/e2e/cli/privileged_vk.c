/** @file
 * Application of test_privileged.py: two instances at a time, a device in each, a buffer filled by the GPU.
 * Prints whether the kernel calls it privileged, and its results. */
#include <passprobe/annotate.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <vulkan/vulkan.h>

#include "samples/vk_open.h"

#define BYTES 256U

static int
failed(VkResult result, const char *what)
{
    if (result != VK_SUCCESS)
        printf("%s: %d\n", what, (int)result);
    return result != VK_SUCCESS;
}

static int
open_gpu(struct vk_open *gpu, int number)
{
    const char *const extension[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const struct vk_open_want want = {
        .version = VK_API_VERSION_1_1, .instance_extension = extension, .instance_extensions = number > 0};
    VkPhysicalDeviceProperties properties;
    if (failed(vk_open_instance(gpu, &want), "vk_open_instance"))
        return -1;
    vkGetPhysicalDeviceProperties(gpu->physical, &properties);
    printf("instance %d: %s, messenger %d\n", number, properties.deviceName,
           vkGetInstanceProcAddr(gpu->instance, "vkCreateDebugUtilsMessengerEXT") != NULL);
    if (failed(vk_open_device(gpu, &want), "vk_open_device"))
        return -1;
    PFN_vkVoidFunction next = vkGetDeviceProcAddr(gpu->device, "vkCmdFillBuffer");
    printf("device %d: fill %d, nothing %d\n", number, next != NULL,
           vkGetDeviceProcAddr(gpu->device, "vkNoSuchCommand") != NULL);
    return 0;
}

/* Memory that the CPU sees, for a buffer. */
static VkDeviceMemory
allocate(const struct vk_open *gpu, VkBuffer buffer)
{
    const VkFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryRequirements needs;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    vkGetBufferMemoryRequirements(gpu->device, buffer, &needs);
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs.size};
    if (!vk_memory_type(gpu->physical, needs.memoryTypeBits, wanted, &info.memoryTypeIndex))
        printf("no memory that the CPU sees\n");
    (void)failed(vkAllocateMemory(gpu->device, &info, NULL, &memory), "vkAllocateMemory");
    return memory;
}

static void
submit_fill(const struct vk_open *gpu, VkBuffer buffer, uint32_t value)
{
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    (void)failed(vk_command_pool(gpu->device, 0, 0, &pool), "vkCreateCommandPool");
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    (void)failed(vk_command_buffers(gpu->device, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &commands),
                 "vkAllocateCommandBuffers");
    (void)failed(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    vkCmdFillBuffer(commands, buffer, 0, BYTES, value);
    (void)failed(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    (void)failed(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    (void)failed(vkQueueWaitIdle(gpu->queue), "vkQueueWaitIdle");
    vkDestroyCommandPool(gpu->device, pool, NULL);
}

static void
fill(const struct vk_open *gpu, uint32_t value)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = BYTES,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    uint32_t *mapped = NULL;
    if (failed(vkCreateBuffer(gpu->device, &info, NULL, &buffer), "vkCreateBuffer"))
        return;
    VkDeviceMemory memory = allocate(gpu, buffer);
    (void)failed(vkBindBufferMemory(gpu->device, buffer, memory, 0), "vkBindBufferMemory");
    submit_fill(gpu, buffer, value);
    if (!failed(vkMapMemory(gpu->device, memory, 0, BYTES, 0, (void **)&mapped), "vkMapMemory"))
        printf("filled with %u: %u %u\n", value, mapped[0], mapped[BYTES / 4 - 1]);
    vkDestroyBuffer(gpu->device, buffer, NULL);
    vkFreeMemory(gpu->device, memory, NULL);
}

int
main(void)
{
    struct vk_open gpu[2];
    memset(gpu, 0, sizeof(gpu));
    printf("privileged %d\n", getauxval(AT_SECURE) != 0);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++)
            if (open_gpu(&gpu[i], i))
                return 1;
        for (uint32_t i = 0; i < 3; i++) {
            pp_region_push("fill");
            fill(&gpu[i % 2], 7 + i);
            pp_region_pop();
            pp_frame_end();
            printf("profiled %d\n", pp_profiled());
        }
        for (int i = 0; i < 2; i++) {
            vkDestroyDevice(gpu[i].device, NULL);
            vkDestroyInstance(gpu[i].instance, NULL);
        }
    }
    return 0;
}
