/** @file
 * Command buffers and submissions that are not executed: for drivers that make devices, pools and pipelines
 * without hardware, but crash when commands are recorded (RADV's null device). */
#include <stdlib.h>
#include <string.h>

#include "fake_perf.h"

static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info)
{
    (void)buffer;
    (void)info;
    return VK_SUCCESS;
}

/** The pool's buffers were never recorded in the driver, which crashes in this call (RADV 22.3.6). */
static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_ResetCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags)
{
    (void)device;
    (void)pool;
    (void)flags;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_EndCommandBuffer(VkCommandBuffer buffer)
{
    (void)buffer;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
    (void)queue;
    (void)count;
    (void)submits;
    (void)fence;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits, VkFence fence)
{
    (void)queue;
    (void)count;
    (void)submits;
    (void)fence;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_wait(void *queue_or_device)
{
    (void)queue_or_device;
    return VK_SUCCESS;
}

/* Memory: the null device has none. */

static const VkPhysicalDeviceMemoryProperties memory_properties = {
    .memoryTypeCount = 1,
    .memoryTypes = {{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0}},
    .memoryHeapCount = 1,
    .memoryHeaps = {{1U << 30, 0}},
};

static VKAPI_ATTR void VKAPI_CALL
null_driver_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice physical,
                                              VkPhysicalDeviceMemoryProperties *properties)
{
    (void)physical;
    *properties = memory_properties;
}

static VKAPI_ATTR void VKAPI_CALL
null_driver_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice physical,
                                               VkPhysicalDeviceMemoryProperties2 *properties)
{
    (void)physical;
    properties->memoryProperties = memory_properties;
}

static VKAPI_ATTR void VKAPI_CALL
null_driver_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *need)
{
    (void)device;
    (void)buffer;
    *need = (VkMemoryRequirements){.size = 1U << 20, .alignment = 64, .memoryTypeBits = 1};
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                           const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
    void *bytes = calloc(1, info->allocationSize);
    (void)device;
    (void)allocator;
    *memory = (VkDeviceMemory)(uintptr_t)bytes;
    return !bytes ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
null_driver_FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *allocator)
{
    (void)device;
    (void)allocator;
    free((void *)(uintptr_t)memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    (void)device;
    (void)buffer;
    (void)memory;
    (void)offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_driver_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                      VkMemoryMapFlags flags, void **data)
{
    (void)device;
    (void)size;
    (void)flags;
    *data = (uint8_t *)(uintptr_t)memory + offset;
    return VK_SUCCESS;
}

PFN_vkVoidFunction
fp_find_null_driver(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } table[] = {
        {"vkQueueWaitIdle", (PFN_vkVoidFunction)null_driver_wait},
        {"vkDeviceWaitIdle", (PFN_vkVoidFunction)null_driver_wait},
        {"vkGetPhysicalDeviceMemoryProperties",
         (PFN_vkVoidFunction)null_driver_GetPhysicalDeviceMemoryProperties},
        {"vkGetPhysicalDeviceMemoryProperties2",
         (PFN_vkVoidFunction)null_driver_GetPhysicalDeviceMemoryProperties2},
        {"vkGetPhysicalDeviceMemoryProperties2KHR",
         (PFN_vkVoidFunction)null_driver_GetPhysicalDeviceMemoryProperties2},
        {"vkGetBufferMemoryRequirements", (PFN_vkVoidFunction)null_driver_GetBufferMemoryRequirements},
        {"vkAllocateMemory", (PFN_vkVoidFunction)null_driver_AllocateMemory},
        {"vkFreeMemory", (PFN_vkVoidFunction)null_driver_FreeMemory},
        {"vkBindBufferMemory", (PFN_vkVoidFunction)null_driver_BindBufferMemory},
        {"vkResetCommandPool", (PFN_vkVoidFunction)null_driver_ResetCommandPool},
        {"vkMapMemory", (PFN_vkVoidFunction)null_driver_MapMemory},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]) && fp_config.null_driver; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].function;
    return NULL;
}

void
fp_null_driver(struct fp_device *dev)
{
    dev->next.BeginCommandBuffer = null_driver_BeginCommandBuffer;
    dev->next.EndCommandBuffer = null_driver_EndCommandBuffer;
    dev->next.QueueSubmit = null_driver_QueueSubmit;
    dev->next.QueueSubmit2 = null_driver_QueueSubmit2;
    fp_forget_commands(dev);
}
