/** @file
 * Slots: their Vulkan objects, and recording them. See readback.h. */
#include "layer/submit/readback.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer/record/record.h"

/** A command pool of the slot alone with its two buffers: it is reset as a whole, which drivers do for less
 * than for each buffer. */
static int
make_buffers(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    struct pp_vk_device *dev = queue->dev;
    VkCommandBuffer buffer[2];
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = queue->family};
    if (dev->next.CreateCommandPool(dev->handle, &info, NULL, &slot->pool) != VK_SUCCESS)
        return -ENOMEM;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = slot->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 2,
    };
    if (dev->next.AllocateCommandBuffers(dev->handle, &allocate, buffer) != VK_SUCCESS) {
        dev->next.DestroyCommandPool(dev->handle, slot->pool, NULL);
        return -ENOMEM;
    }
    for (int i = 0; i < 2; i++)
        pp_vk_adopt(dev, buffer[i]);
    slot->before = buffer[0];
    slot->behind = buffer[1];
    return 0;
}

static struct pp_vk_slot *
slot_create(struct pp_vk_queue *queue)
{
    struct pp_vk_slot *slot = calloc(1, sizeof(*slot));
    /* Where nothing of ours may run, a slot is for counts only. */
    if (!slot || (queue->inject && make_buffers(queue, slot) != 0)) {
        free(slot);
        return NULL;
    }
    pthread_mutex_init(&slot->lock, NULL);
    return slot;
}

struct pp_vk_slot *
pp_slot_get(struct pp_vk_queue *queue, bool needed)
{
    pthread_mutex_lock(&queue->lock);
    bool may = needed || queue->taken < PP_VK_MAX_SLOTS;
    struct pp_vk_slot *slot = may ? queue->free_slots : NULL;
    if (slot)
        queue->free_slots = slot->next;
    queue->taken += may;
    pthread_mutex_unlock(&queue->lock);
    if (may && !slot && !(slot = slot_create(queue))) {
        pthread_mutex_lock(&queue->lock);
        queue->taken--;
        pthread_mutex_unlock(&queue->lock);
    }
    if (!slot)
        return NULL;
    pthread_mutex_lock(&slot->lock);
    slot->turn++;
    pthread_mutex_unlock(&slot->lock);
    slot->next = NULL;
    slot->batch = NULL;
    slot->lender = NULL;
    slot->bytes = slot->landings = slot->stats = slot->copies = slot->parts = 0;
    slot->has_before = slot->has_behind = slot->own_used = slot->host = slot->own_read = false;
    slot->args.copies = slot->args.landings = 0;
    return slot;
}

void
pp_slot_put(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    pthread_mutex_lock(&queue->lock);
    slot->next = queue->free_slots;
    queue->free_slots = slot;
    queue->taken--;
    pthread_mutex_unlock(&queue->lock);
}

static uint32_t
size_for(uint32_t bytes)
{
    uint32_t size = 4096;
    while (size < bytes)
        size *= 2;
    return size;
}

static int
own_memory(struct pp_vk_slot *slot)
{
    if (slot->bytes > slot->own_size) {
        uint32_t size = size_for(slot->bytes);
        uint8_t *memory = malloc(size);
        if (!memory)
            return -ENOMEM;
        free(slot->own_memory);
        slot->own_memory = memory;
        slot->own_size = size;
    }
    slot->results = slot->own_memory;
    return 0;
}

int
pp_slot_memory(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    if (slot->bytes > PP_SLOT_BYTES)
        return -ENOMEM;
    if (slot->host)
        return own_memory(slot);
    if (pp_results_grow(queue, &slot->piece, slot->bytes) != 0)
        return -ENOMEM;
    slot->results = slot->piece.mapped;
    return 0;
}

static int
make_time_pool(struct pp_vk_device *dev, uint32_t count, VkQueryPool *ret_pool)
{
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = count,
    };
    return dev->next.CreateQueryPool(dev->handle, &info, NULL, ret_pool) == VK_SUCCESS ? 0 : -ENOMEM;
}

int
pp_slot_own(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    if (slot->own.pool == VK_NULL_HANDLE) {
        if (make_time_pool(queue->dev, 2, &slot->own.pool) != 0)
            return -ENOMEM;
        slot->own.size = 2;
    }
    return 0;
}

/** Empty brackets, once a device, in front of the program's first work. */
static void
record_bias(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    next->CmdResetQueryPool(slot->before, slot->bias_pool, 0, 2 * PP_BIAS_BRACKETS);
    for (uint32_t i = 0; i < PP_BIAS_BRACKETS; i++) {
        next->CmdWriteTimestamp(slot->before, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, slot->bias_pool, 2 * i);
        next->CmdWriteTimestamp(slot->before, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, slot->bias_pool,
                                2 * i + 1);
    }
}

static VkResult
begin(struct pp_vk_queue *queue, VkCommandBuffer buffer)
{
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    return queue->dev->next.BeginCommandBuffer(buffer, &info);
}

static VkResult
record_before(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    VkResult result = begin(queue, slot->before);
    if (result != VK_SUCCESS)
        return result;
    for (uint32_t i = 0; i < slot->copies; i++) {
        const struct pp_query_run *run = &slot->copy[i].run;
        if (run->reserved > run->reset)
            next->CmdResetQueryPool(slot->before, run->chunk->pool, run->first + run->reset,
                                    run->reserved - run->reset);
    }
    if (slot->bias_pool != VK_NULL_HANDLE)
        record_bias(queue, slot);
    if (slot->own_used) {
        next->CmdResetQueryPool(slot->before, slot->own.pool, 0, 2);
        next->CmdWriteTimestamp(slot->before, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, slot->own.pool, 0);
        /* Twice: lavapipe leaves out the one that ends a command buffer. */
        for (int i = 0; i < 2 && queue->dev->late_times; i++)
            pp_vk_execution_barrier(next, slot->before);
    }
    return next->EndCommandBuffer(slot->before);
}

#define COPY_FLAGS (VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)

/**
 * The copy waits on the GPU for the queries in front of it, all of which every execution writes. The next
 * reset is ordered behind it (Vulkan 1.3, vkCmdResetQueryPool, first synchronization scope). Resetting here
 * instead would be as lawful and need no command buffer in front, but the validation layer of 1.3.239 takes
 * the queries for available when the submission retires, and complains at the next.
 */
static VkResult
record_behind(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    VkResult result = begin(queue, slot->behind);
    if (result != VK_SUCCESS)
        return result;
    if (slot->own_used) {
        next->CmdWriteTimestamp(slot->behind, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, slot->own.pool, 1);
        if (slot->host)
            return next->EndCommandBuffer(slot->behind);
        next->CmdCopyQueryPoolResults(slot->behind, slot->own.pool, 0, 2, slot->piece.buffer,
                                      slot->piece.offset, PP_TIME_BYTES, COPY_FLAGS);
    }
    for (uint32_t i = 0; i < slot->copies; i++) {
        const struct pp_slot_copy *copy = &slot->copy[i];
        if (copy->stride != 0)
            next->CmdCopyQueryPoolResults(slot->behind, copy->run.chunk->pool, copy->run.first,
                                          copy->run.used, slot->piece.buffer,
                                          slot->piece.offset + copy->offset, copy->stride, COPY_FLAGS);
    }
    if (slot->bias_pool != VK_NULL_HANDLE)
        next->CmdCopyQueryPoolResults(slot->behind, slot->bias_pool, 0, 2 * PP_BIAS_BRACKETS,
                                      slot->piece.buffer, slot->piece.offset + slot->bias_offset,
                                      PP_TIME_BYTES, COPY_FLAGS);
    pp_args_record(next, slot);
    if (slot->batch) {
        const VkMemoryBarrier barrier = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
            .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
        };
        next->CmdPipelineBarrier(slot->behind, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0,
                                 1, &barrier, 0, NULL, 0, NULL);
    }
    return next->EndCommandBuffer(slot->behind);
}

/** Let both command buffers be recorded anew. */
static int
reset_buffers(struct pp_vk_device *dev, struct pp_vk_slot *slot)
{
    if (slot->recorded && dev->next.ResetCommandPool(dev->handle, slot->pool, 0) != VK_SUCCESS)
        return -ENOMEM;
    slot->recorded = false;
    return 0;
}

int
pp_slot_record(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    if (slot->batch && atomic_exchange(&queue->dev->bias_wanted, false) &&
        make_time_pool(queue->dev, 2 * PP_BIAS_BRACKETS, &slot->bias_pool) == 0) {
        slot->bias_offset = slot->bytes;
        slot->bytes += 2 * PP_BIAS_BRACKETS * PP_TIME_BYTES;
    }
    if (pp_slot_memory(queue, slot) != 0 || reset_buffers(queue->dev, slot) != 0)
        return -ENOMEM;
    slot->has_before = slot->own_used || slot->bias_pool != VK_NULL_HANDLE;
    for (uint32_t i = 0; i < slot->copies && !slot->has_before; i++)
        slot->has_before = slot->copy[i].run.reserved > slot->copy[i].run.reset;
    slot->recorded = true;
    if (slot->has_before && record_before(queue, slot) != VK_SUCCESS)
        return -ENOMEM;
    /* Without a batch there is nothing to copy. */
    slot->has_behind = slot->batch && (!slot->host || slot->own_used);
    return !slot->has_behind || record_behind(queue, slot) == VK_SUCCESS ? 0 : -ENOMEM;
}

/** One range, as a copy by the GPU would have left it. What a driver does not answer stays unavailable:
 * lavapipe 22.3 writes the availability of a query without results over its first value. */
static void
read_range(struct pp_vk_device *dev, struct pp_vk_slot *slot, VkQueryPool pool, uint32_t first,
           uint32_t count, uint32_t offset, uint32_t stride)
{
    const VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    uint8_t *to = slot->results + offset;
    size_t size = (size_t)count * stride;
    memset(to, 0, size);
    VkResult result = dev->next.GetQueryPoolResults(dev->handle, pool, first, count, size, to, stride, flags);
    if (result != VK_SUCCESS && result != VK_NOT_READY)
        memset(to, 0, size);
}

static void
read_locked(struct pp_vk_device *dev, struct pp_vk_slot *slot, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        struct pp_slot_copy *copy = &slot->copy[i];
        if (copy->stride != 0 && !copy->read)
            read_range(dev, slot, copy->run.chunk->pool, copy->run.first, copy->run.used, copy->offset,
                       copy->stride);
        copy->read = true;
    }
}

void
pp_slot_no_bias(struct pp_vk_device *dev, struct pp_vk_slot *slot)
{
    if (slot->bias_pool == VK_NULL_HANDLE)
        return;
    dev->next.DestroyQueryPool(dev->handle, slot->bias_pool, NULL);
    slot->bias_pool = VK_NULL_HANDLE;
    atomic_store(&dev->bias_wanted, true);
}

void
pp_slot_read(struct pp_vk_device *dev, struct pp_vk_slot *slot)
{
    if (!slot->host)
        return;
    pthread_mutex_lock(&slot->lock);
    read_locked(dev, slot, 0, slot->copies);
    if (slot->own_used && !slot->own_read)
        read_range(dev, slot, slot->own.pool, 0, 2, 0, PP_TIME_BYTES);
    if (slot->bias_pool != VK_NULL_HANDLE && !slot->own_read)
        read_range(dev, slot, slot->bias_pool, 0, 2 * PP_BIAS_BRACKETS, slot->bias_offset, PP_TIME_BYTES);
    slot->own_read = true;
    pthread_mutex_unlock(&slot->lock);
}

void
pp_slot_read_pending(struct pp_vk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    for (struct pp_vk_slot *slot = queue->pending_first; slot; slot = slot->next)
        pp_slot_read(queue->dev, slot);
    pthread_mutex_unlock(&queue->lock);
}

void
pp_slot_settle(struct pp_cmdbuf *cb)
{
    struct pp_vk_slot *slot = cb->reader.slot;
    cb->reader.slot = NULL;
    if (slot) {
        pthread_mutex_lock(&slot->lock);
        if (slot->turn == cb->reader.turn)
            read_locked(cb->dev, slot, cb->reader.first, cb->reader.count);
        pthread_mutex_unlock(&slot->lock);
    }
    for (uint32_t i = 0; i < cb->execs; i++)
        pp_slot_settle(cb->exec[i].secondary);
}

void
pp_slot_hold(struct pp_vk_slot *slot)
{
    for (uint32_t i = 0; i < slot->copies && slot->host; i++)
        if (slot->copy[i].shared)
            pp_chunk_share(&slot->copy[i].run);
        else
            pp_queries_hand_over(slot->copy[i].owner);
    slot->holds = slot->host;
}

void
pp_slot_unhold(struct pp_vk_slot *slot)
{
    for (uint32_t i = 0; i < slot->copies && slot->holds; i++)
        if (slot->copy[i].shared)
            pp_chunk_return(&slot->copy[i].run, slot->copy[i].kind);
        else
            pp_queries_hand_back(slot->copy[i].owner, &slot->copy[i].run);
    slot->holds = false;
    /* Nothing ran, so nothing is read for who submits the buffers again. */
    pthread_mutex_lock(&slot->lock);
    slot->turn++;
    pthread_mutex_unlock(&slot->lock);
}

void
pp_slot_release(struct pp_vk_slot *slot)
{
    for (uint32_t i = 0; i < slot->copies && slot->holds; i++)
        pp_chunk_return(&slot->copy[i].run, slot->copy[i].kind);
    slot->holds = false;
}

static void
destroy_list(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    struct pp_vk_device *dev = queue->dev;
    while (slot) {
        struct pp_vk_slot *next = slot->next;
        pp_slot_release(slot);
        pp_results_give(queue, &slot->piece);
        free(slot->own_memory);
        if (slot->pool != VK_NULL_HANDLE)
            dev->next.DestroyCommandPool(dev->handle, slot->pool, NULL);
        if (slot->own.pool != VK_NULL_HANDLE)
            dev->next.DestroyQueryPool(dev->handle, slot->own.pool, NULL);
        if (slot->bias_pool != VK_NULL_HANDLE)
            dev->next.DestroyQueryPool(dev->handle, slot->bias_pool, NULL);
        free(slot->landing);
        free(slot->stat);
        free(slot->copy);
        free(slot->part);
        pp_args_slot_free(slot);
        pthread_mutex_destroy(&slot->lock);
        free(slot);
        slot = next;
    }
}

void
pp_slot_destroy_all(struct pp_vk_queue *queue)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_vk_fence *list[2] = {queue->fence_first, queue->free_fences};
    destroy_list(queue, queue->pending_first);
    destroy_list(queue, queue->free_slots);
    for (int i = 0; i < 2; i++)
        while (list[i]) {
            struct pp_vk_fence *next = list[i]->next;
            dev->next.DestroyFence(dev->handle, list[i]->fence, NULL);
            free(list[i]);
            list[i] = next;
        }
    queue->pending_first = queue->pending_last = queue->free_slots = NULL;
    queue->fence_first = queue->fence_last = queue->free_fences = NULL;
}
