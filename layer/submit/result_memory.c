/** @file
 * See result_memory.h. Pieces are powers of two and are cut off a block one behind the other. A block whose
 * pieces have all been given back is freed; a readback gives one back only to take a larger one, so what is
 * given back and not used again is less than what is in use. */
#include "layer/submit/result_memory.h"

#include <errno.h>
#include <stdlib.h>

#include "layer/dispatch/device.h"

enum { SMALLEST = 4096 };

struct pp_results_block {
    struct pp_results_block *next; /**< of the queue's */
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *mapped;
    uint32_t size, used; /**< bytes */
    uint32_t pieces;     /**< that are in use */
};

static void
destroy_block(struct pp_vk_device *dev, struct pp_results_block *block)
{
    if (block->buffer != VK_NULL_HANDLE)
        dev->next.DestroyBuffer(dev->handle, block->buffer, NULL);
    if (block->memory != VK_NULL_HANDLE)
        dev->next.FreeMemory(dev->handle, block->memory, NULL); /* unmaps */
    free(block);
}

static VkResult
fill_block(struct pp_vk_device *dev, struct pp_results_block *block)
{
    VkMemoryRequirements need;
    void *mapped = NULL;
    const VkMemoryPropertyFlags good =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = block->size,
        .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    VkResult result = dev->next.CreateBuffer(dev->handle, &info, NULL, &block->buffer);
    if (result != VK_SUCCESS)
        return result;
    dev->next.GetBufferMemoryRequirements(dev->handle, block->buffer, &need);
    uint32_t type = pp_vk_memory_type(dev, need.memoryTypeBits, good | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (type == UINT32_MAX)
        type = pp_vk_memory_type(dev, need.memoryTypeBits, good);
    if (type == UINT32_MAX)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = need.size,
        .memoryTypeIndex = type,
    };
    result = dev->next.AllocateMemory(dev->handle, &allocate, NULL, &block->memory);
    if (result == VK_SUCCESS)
        result = dev->next.BindBufferMemory(dev->handle, block->buffer, block->memory, 0);
    if (result == VK_SUCCESS)
        result = dev->next.MapMemory(dev->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    block->mapped = mapped;
    return result;
}

/** Another block, first in the queue's list. @return NULL: no memory. */
static struct pp_results_block *
add_block(struct pp_vk_queue *queue, uint32_t size)
{
    struct pp_results_block *block = calloc(1, sizeof(*block));
    if (!block)
        return NULL;
    block->size = size;
    if (fill_block(queue->dev, block) != VK_SUCCESS) {
        destroy_block(queue->dev, block);
        return NULL;
    }
    block->next = queue->results;
    queue->results = block;
    return block;
}

/** Find or make a block with @p size free bytes. @return NULL: no memory. */
static struct pp_results_block *
find_block(struct pp_vk_queue *queue, uint32_t size)
{
    for (struct pp_results_block *block = queue->results; block; block = block->next)
        if (block->size - block->used >= size)
            return block;
    return add_block(queue, size > PP_RESULTS_BLOCK ? size : PP_RESULTS_BLOCK);
}

int
pp_results_grow(struct pp_vk_queue *queue, struct pp_results *piece, uint32_t size)
{
    uint32_t bytes = SMALLEST;
    if (size <= piece->size)
        return 0;
    while (bytes < size)
        bytes *= 2;
    pp_results_give(queue, piece);
    struct pp_results_block *block = find_block(queue, bytes);
    if (!block)
        return -ENOMEM;
    *piece = (struct pp_results){.block = block,
                                 .buffer = block->buffer,
                                 .offset = block->used,
                                 .size = bytes,
                                 .mapped = block->mapped + block->used};
    block->used += bytes;
    block->pieces++;
    return 0;
}

void
pp_results_give(struct pp_vk_queue *queue, struct pp_results *piece)
{
    struct pp_results_block *block = piece->block, **link = &queue->results;
    *piece = (struct pp_results){0};
    if (!block || --block->pieces > 0)
        return;
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    destroy_block(queue->dev, block);
}
