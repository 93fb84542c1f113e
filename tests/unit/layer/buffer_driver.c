/** @file
 * A driver of buffers and memory; see buffer_driver.h. */
#include "tests/unit/layer/buffer_driver.h"

#include <stdlib.h>
#include <string.h>

struct buffer_driver buffer_driver;

static VKAPI_ATTR VkResult VKAPI_CALL
create_buffer(VkDevice device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *allocator,
              VkBuffer *buffer)
{
    (void)device;
    (void)allocator;
    if (buffer_driver.refuse_buffer)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    atomic_fetch_add(&buffer_driver.live_buffers, 1);
    atomic_store(&buffer_driver.size, info->size);
    atomic_store(&buffer_driver.mode, info->sharingMode);
    atomic_store(&buffer_driver.families, info->queueFamilyIndexCount);
    *buffer = (VkBuffer)(atomic_fetch_add(&buffer_driver.buffers, 1) + 1);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_buffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *allocator)
{
    (void)device;
    (void)buffer;
    (void)allocator;
    atomic_fetch_sub(&buffer_driver.live_buffers, 1);
}

static VKAPI_ATTR void VKAPI_CALL
requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *need)
{
    (void)device;
    (void)buffer;
    *need = (VkMemoryRequirements){atomic_load(&buffer_driver.size), 16, 1};
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate(VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *allocator,
         VkDeviceMemory *memory)
{
    (void)device;
    (void)allocator;
    if (buffer_driver.refuse_memory)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    void *bytes = calloc(1, info->allocationSize);
    if (!bytes)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    atomic_fetch_add(&buffer_driver.live_memories, 1);
    atomic_fetch_add(&buffer_driver.memories, 1);
    *memory = (VkDeviceMemory)(uintptr_t)bytes;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *allocator)
{
    (void)device;
    (void)allocator;
    atomic_fetch_sub(&buffer_driver.live_memories, 1);
    free((void *)(uintptr_t)memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL
bind(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    (void)device;
    (void)buffer;
    (void)memory;
    (void)offset;
    return buffer_driver.refuse_bind ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags,
    void **data)
{
    (void)device;
    (void)offset;
    (void)size;
    (void)flags;
    *data = (void *)(uintptr_t)memory;
    return VK_SUCCESS;
}

void
buffer_driver_open(struct pp_vk_device *dev)
{
    memset(&buffer_driver, 0, sizeof(buffer_driver));
    dev->gpu.memory.memoryTypeCount = 1;
    dev->gpu.memory.memoryTypes[0].propertyFlags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    dev->next.CreateBuffer = create_buffer;
    dev->next.DestroyBuffer = destroy_buffer;
    dev->next.GetBufferMemoryRequirements = requirements;
    dev->next.AllocateMemory = allocate;
    dev->next.FreeMemory = free_memory;
    dev->next.BindBufferMemory = bind;
    dev->next.MapMemory = map;
}
