/** @file
 * See readback.h. A piece is a power of two of units. Pieces of up to PP_RESULT_MEMORY_BLOCK bytes share
 * blocks of that size, each at a multiple of its size; a larger piece has a block of its size. A block whose
 * pieces have all been given back is freed. */
#include "layer/readback/readback.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/memory.h"
#include "layer/base/device.h"

enum { UNIT = 4096, UNITS = PP_RESULT_MEMORY_BLOCK / UNIT };

struct pp_result_memory_block {
    struct pp_result_memory_block *next; /**< next block of the queue */
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *mapped;
    uint32_t size;     /**< bytes */
    uint32_t pieces;   /**< number of pieces in use */
    bool taken[UNITS]; /**< units that are in use, if the block has PP_RESULT_MEMORY_BLOCK bytes */
};

/* Destroy a block. Its bytes are given back to the limit of --max-memory. */
static void
destroy_block(struct pp_vk_device *dev, struct pp_result_memory_block *block)
{
    if (block->buffer != VK_NULL_HANDLE)
        dev->next.DestroyBuffer(dev->handle, block->buffer, NULL);
    if (block->memory != VK_NULL_HANDLE)
        dev->next.FreeMemory(dev->handle, block->memory, NULL); /* unmaps */
    pp_memory_give(dev->session, block->size);
    free(block);
}

static VkResult
fill_block(struct pp_vk_device *dev, struct pp_result_memory_block *block)
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
    uint32_t type =
        pp_vk_device_memory_type(dev, need.memoryTypeBits, good | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (type == UINT32_MAX)
        type = pp_vk_device_memory_type(dev, need.memoryTypeBits, good);
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

/* Make another block, first in the queue's list. @retval 0. @retval -ENOMEM. @retval -ENOSPC --max-memory.
 */
static int
add_block(struct pp_vk_queue *queue, uint32_t size, struct pp_result_memory_block **ret_block)
{
    if (!pp_memory_take(queue->dev->session, size))
        return -ENOSPC;
    struct pp_result_memory_block *block = calloc(1, sizeof(*block));
    if (!block) {
        pp_memory_give(queue->dev->session, size);
        return -ENOMEM;
    }
    block->size = size;
    if (fill_block(queue->dev, block) != VK_SUCCESS) {
        destroy_block(queue->dev, block);
        return -ENOMEM;
    }
    block->next = queue->results;
    queue->results = block;
    *ret_block = block;
    return 0;
}

/* Take a piece of @p size bytes from a block. @return false: the block has no place for it. */
static bool
take_piece(struct pp_result_memory_block *block, uint32_t size, struct pp_result_memory *ret_piece)
{
    uint32_t first = 0, units = size / UNIT;
    bool shared = block->size == PP_RESULT_MEMORY_BLOCK;
    if (size > block->size || (!shared && block->pieces > 0))
        return false;
    while (shared && first < UNITS && memchr(&block->taken[first], true, units * sizeof(bool)))
        first += units;
    if (first >= UNITS)
        return false;
    if (shared)
        memset(&block->taken[first], true, units * sizeof(bool));
    block->pieces++;
    *ret_piece = (struct pp_result_memory){.block = block,
                                           .buffer = block->buffer,
                                           .offset = first * UNIT,
                                           .size = size,
                                           .mapped = block->mapped + (size_t)first * UNIT};
    return true;
}

int
pp_result_memory_grow(struct pp_vk_queue *queue, struct pp_result_memory *piece, uint32_t size)
{
    uint32_t bytes = UNIT;
    if (size <= piece->size)
        return 0;
    while (bytes < size)
        bytes *= 2;
    pp_result_memory_give(queue, piece);
    for (struct pp_result_memory_block *block = queue->results; block; block = block->next)
        if (take_piece(block, bytes, piece))
            return 0;
    struct pp_result_memory_block *block = NULL;
    int rc = add_block(queue, bytes > PP_RESULT_MEMORY_BLOCK ? bytes : PP_RESULT_MEMORY_BLOCK, &block);
    if (rc == 0)
        (void)take_piece(block, bytes, piece);
    return rc;
}

void
pp_result_memory_give(struct pp_vk_queue *queue, struct pp_result_memory *piece)
{
    struct pp_result_memory_block *block = piece->block, **link = &queue->results;
    if (block && block->size == PP_RESULT_MEMORY_BLOCK)
        memset(&block->taken[piece->offset / UNIT], false, piece->size / UNIT * sizeof(bool));
    *piece = (struct pp_result_memory){0};
    assert(!block || block->pieces > 0);
    if (!block || --block->pieces > 0)
        return;
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    destroy_block(queue->dev, block);
}
