/** @file
 * See readback.h. Readbacks: their Vulkan objects, and recording them.
 *
 * Memory of readbacks: it counts against --max-memory, and readbacks that are not needed for two seconds give
 * theirs back. The records of the readbacks remain, because command buffers refer to them (pp_cmdbuf.reader).
 * result_memory.c has the memory of results. */
#include "layer/readback/readback.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/clock.h"
#include "core/engine/memory.h"
#include "layer/base/cmdbuf.h"
#include "layer/readback/indirect_readback.h"
#include "layer/readback/retire.h"

/* Make a readback's command pool with its two buffers. Resetting the whole pool costs less than resetting
 * each buffer. */
static int
make_buffers(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    struct pp_vk_device *dev = queue->dev;
    VkCommandBuffer buffer[2];
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = queue->family};
    if (dev->next.CreateCommandPool(dev->handle, &info, NULL, &readback->pool) != VK_SUCCESS) {
        readback->pool = VK_NULL_HANDLE;
        return -ENOMEM;
    }
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = readback->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 2,
    };
    if (dev->next.AllocateCommandBuffers(dev->handle, &allocate, buffer) != VK_SUCCESS) {
        dev->next.DestroyCommandPool(dev->handle, readback->pool, NULL);
        readback->pool = VK_NULL_HANDLE;
        return -ENOMEM;
    }
    for (int i = 0; i < 2; i++)
        pp_vk_device_adopt(dev, buffer[i]);
    readback->before = buffer[0];
    readback->after = buffer[1];
    return 0;
}

static struct pp_vk_readback *
readback_create(void)
{
    struct pp_vk_readback *readback = calloc(1, sizeof(*readback));
    if (readback)
        pthread_mutex_init(&readback->lock, NULL);
    return readback;
}

/* Take a readback from the free list, or make one. @return NULL: limit reached or no memory. */
static struct pp_vk_readback *
take(struct pp_vk_queue *queue, bool needed)
{
    pthread_mutex_lock(&queue->lock);
    bool may = needed || queue->taken < PP_VK_MAX_READBACKS;
    struct pp_vk_readback *readback = may ? queue->free_readbacks : NULL;
    if (readback)
        queue->free_readbacks = readback->next;
    queue->taken += may;
    if (queue->taken > queue->taken_most)
        queue->taken_most = queue->taken;
    pthread_mutex_unlock(&queue->lock);
    if (may && !readback && !(readback = readback_create())) {
        pthread_mutex_lock(&queue->lock);
        queue->taken--;
        pthread_mutex_unlock(&queue->lock);
    }
    return readback;
}

struct pp_vk_readback *
pp_readback_get(struct pp_vk_queue *queue, bool needed)
{
    pp_readback_shrink(queue);
    struct pp_vk_readback *readback = take(queue, needed);
    if (!readback)
        return NULL;
    /* If nothing of the layer may run on this queue, a readback only counts. */
    if (queue->inject && readback->pool == VK_NULL_HANDLE && make_buffers(queue, readback) != 0) {
        pp_readback_put(queue, readback);
        return NULL;
    }
    pthread_mutex_lock(&readback->lock);
    readback->uses++;
    pthread_mutex_unlock(&readback->lock);
    readback->next = NULL;
    readback->batch = NULL;
    readback->lender = NULL;
    readback->bytes = readback->slots = readback->stats = readback->copies = readback->parts = 0;
    readback->has_before = readback->has_after = readback->times_used = readback->host =
        readback->times_read = false;
    readback->args.copies = readback->args.slots = 0;
    return readback;
}

void
pp_readback_put(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    pthread_mutex_lock(&queue->lock);
    readback->next = queue->free_readbacks;
    queue->free_readbacks = readback;
    queue->taken--;
    pthread_mutex_unlock(&queue->lock);
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
pp_readback_make_times(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    if (readback->times.pool == VK_NULL_HANDLE) {
        if (make_time_pool(queue->dev, 2, &readback->times.pool) != 0)
            return -ENOMEM;
        readback->times.size = 2;
    }
    return 0;
}

/* Record the empty brackets, once for each device, before the application's first submission. */
static void
record_bias(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    next->CmdResetQueryPool(readback->before, readback->bias_pool, 0, 2 * PP_BIAS_BRACKETS);
    for (uint32_t i = 0; i < PP_BIAS_BRACKETS; i++) {
        next->CmdWriteTimestamp(readback->before, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, readback->bias_pool,
                                2 * i);
        next->CmdWriteTimestamp(readback->before, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, readback->bias_pool,
                                2 * i + 1);
    }
}

/* @param unchained Let Mesa not chain the buffer to its neighbours: it chains none for simultaneous use. */
static VkResult
begin(struct pp_vk_queue *queue, VkCommandBuffer buffer, bool unchained)
{
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = unchained ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT
                           : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    return queue->dev->next.BeginCommandBuffer(buffer, &info);
}

/* Are there queries that neither the command buffer itself nor the CPU resets? */
static bool
needs_reset(const struct pp_readback_copy *copy)
{
    return copy->run.reserved > copy->run.reset && !copy->reset_by_host;
}

/* Reset queries by the CPU. A command buffer with performance queries resets no queries itself, is not for
 * simultaneous use, and belongs to a device that can do this. So it is not pending now, and no other command
 * uses its queries: see layer/readback/perf_retire.h. */
static void
reset_by_host(struct pp_vk_device *dev, const struct pp_vk_readback *readback)
{
    for (uint32_t i = 0; i < readback->copies; i++) {
        const struct pp_query_run *run = &readback->copy[i].run;
        if (readback->copy[i].reset_by_host && run->reserved > run->reset)
            dev->next.ResetQueryPool(dev->handle, run->chunk->pool, run->first + run->reset,
                                     run->reserved - run->reset);
    }
}

static VkResult
record_before(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    VkResult result = begin(queue, readback->before, readback->unchained_before);
    if (result != VK_SUCCESS)
        return result;
    for (uint32_t i = 0; i < readback->copies; i++) {
        const struct pp_query_run *run = &readback->copy[i].run;
        if (needs_reset(&readback->copy[i]))
            next->CmdResetQueryPool(readback->before, run->chunk->pool, run->first + run->reset,
                                    run->reserved - run->reset);
    }
    if (readback->bias_pool != VK_NULL_HANDLE)
        record_bias(queue, readback);
    if (readback->times_used) {
        next->CmdResetQueryPool(readback->before, readback->times.pool, 0, 2);
        next->CmdWriteTimestamp(readback->before, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, readback->times.pool, 0);
        /* Two barriers: lavapipe ignores one at the end of a command buffer. */
        for (int i = 0; i < 2 && queue->dev->quirk.deferred_times; i++)
            pp_vk_execution_barrier(next, readback->before);
    }
    return next->EndCommandBuffer(readback->before);
}

#define COPY_FLAGS (VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)

/* Record the copies. They wait on the GPU for the queries before them, all of which every execution writes.
 * The next reset is ordered after the copies (Vulkan 1.3, vkCmdResetQueryPool, first synchronization scope).
 * A reset here would also be valid, and would need no command buffer before the application's. But the
 * validation layer 1.3.239 takes the queries for available when the submission retires, and complains at the
 * next one. */
static VkResult
record_after(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    VkResult result = begin(queue, readback->after, readback->unchained_after);
    if (result != VK_SUCCESS)
        return result;
    if (readback->times_used) {
        next->CmdWriteTimestamp(readback->after, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, readback->times.pool,
                                1);
        if (readback->host)
            return next->EndCommandBuffer(readback->after);
        next->CmdCopyQueryPoolResults(readback->after, readback->times.pool, 0, 2, readback->piece.buffer,
                                      readback->piece.offset, PP_TIME_BYTES, COPY_FLAGS);
    }
    for (uint32_t i = 0; i < readback->copies; i++) {
        const struct pp_readback_copy *copy = &readback->copy[i];
        if (copy->stride != 0)
            next->CmdCopyQueryPoolResults(readback->after, copy->run.chunk->pool, copy->run.first,
                                          copy->run.used, readback->piece.buffer,
                                          readback->piece.offset + copy->offset, copy->stride, COPY_FLAGS);
    }
    if (readback->bias_pool != VK_NULL_HANDLE)
        next->CmdCopyQueryPoolResults(readback->after, readback->bias_pool, 0, 2 * PP_BIAS_BRACKETS,
                                      readback->piece.buffer, readback->piece.offset + readback->bias_offset,
                                      PP_TIME_BYTES, COPY_FLAGS);
    pp_indirect_readback_record(next, readback);
    if (readback->batch) {
        const VkMemoryBarrier barrier = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
            .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
        };
        next->CmdPipelineBarrier(readback->after, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                                 0, 1, &barrier, 0, NULL, 0, NULL);
    }
    return next->EndCommandBuffer(readback->after);
}

/* Prepare both command buffers to be recorded again. */
static int
reset_buffers(struct pp_vk_device *dev, struct pp_vk_readback *readback)
{
    if (readback->recorded && dev->next.ResetCommandPool(dev->handle, readback->pool, 0) != VK_SUCCESS)
        return -ENOMEM;
    readback->recorded = false;
    return 0;
}

int
pp_readback_record(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    if (readback->batch && atomic_exchange(&queue->dev->frames.bias_wanted, false) &&
        make_time_pool(queue->dev, 2 * PP_BIAS_BRACKETS, &readback->bias_pool) == 0) {
        readback->bias_offset = readback->bytes;
        readback->bytes += 2 * PP_BIAS_BRACKETS * PP_TIME_BYTES;
    }
    int rc = pp_readback_memory(queue, readback);
    if (rc != 0)
        return rc;
    if (reset_buffers(queue->dev, readback) != 0)
        return -ENOMEM;
    readback->has_before = readback->times_used || readback->bias_pool != VK_NULL_HANDLE;
    for (uint32_t i = 0; i < readback->copies && !readback->has_before; i++)
        readback->has_before = needs_reset(&readback->copy[i]);
    reset_by_host(queue->dev, readback);
    readback->recorded = true;
    if (readback->has_before && record_before(queue, readback) != VK_SUCCESS)
        return -ENOMEM;
    /* Without a batch there is nothing to copy. */
    readback->has_after = readback->batch && (!readback->host || readback->times_used);
    return !readback->has_after || record_after(queue, readback) == VK_SUCCESS ? 0 : -ENOMEM;
}

/* Read one range into memory as a GPU copy would leave it. Queries that the driver does not answer stay
 * unavailable: lavapipe 22.3 writes the availability of a query without results over its first value. */
static void
read_range(struct pp_vk_device *dev, struct pp_vk_readback *readback, VkQueryPool pool, uint32_t first,
           uint32_t count, uint32_t offset, uint32_t stride)
{
    const VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    uint8_t *to = readback->results + offset;
    size_t size = (size_t)count * stride;
    memset(to, 0, size);
    VkResult result = dev->next.GetQueryPoolResults(dev->handle, pool, first, count, size, to, stride, flags);
    if (result != VK_SUCCESS && result != VK_NOT_READY)
        memset(to, 0, size);
}

static void
read_locked(struct pp_vk_device *dev, struct pp_vk_readback *readback, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        struct pp_readback_copy *copy = &readback->copy[i];
        if (copy->stride != 0 && !copy->read)
            read_range(dev, readback, copy->run.chunk->pool, copy->run.first, copy->run.used, copy->offset,
                       copy->stride);
        copy->read = true;
    }
}

void
pp_readback_no_bias(struct pp_vk_device *dev, struct pp_vk_readback *readback)
{
    if (readback->bias_pool == VK_NULL_HANDLE)
        return;
    dev->next.DestroyQueryPool(dev->handle, readback->bias_pool, NULL);
    readback->bias_pool = VK_NULL_HANDLE;
    atomic_store(&dev->frames.bias_wanted, true);
}

void
pp_readback_read(struct pp_vk_device *dev, struct pp_vk_readback *readback)
{
    if (!readback->host)
        return;
    pthread_mutex_lock(&readback->lock);
    read_locked(dev, readback, 0, readback->copies);
    if (readback->times_used && !readback->times_read)
        read_range(dev, readback, readback->times.pool, 0, 2, 0, PP_TIME_BYTES);
    if (readback->bias_pool != VK_NULL_HANDLE && !readback->times_read)
        read_range(dev, readback, readback->bias_pool, 0, 2 * PP_BIAS_BRACKETS, readback->bias_offset,
                   PP_TIME_BYTES);
    readback->times_read = true;
    pthread_mutex_unlock(&readback->lock);
}

void
pp_readback_read_pending(struct pp_vk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    for (struct pp_vk_readback *readback = queue->pending_first; readback; readback = readback->next)
        pp_readback_read(queue->dev, readback);
    pthread_mutex_unlock(&queue->lock);
}

void
pp_readback_read_last_run(struct pp_cmdbuf *cb)
{
    struct pp_vk_readback *readback = cb->reader.readback;
    cb->reader.readback = NULL;
    if (readback) {
        pthread_mutex_lock(&readback->lock);
        if (readback->uses == cb->reader.uses)
            read_locked(cb->dev, readback, cb->reader.first, cb->reader.count);
        pthread_mutex_unlock(&readback->lock);
    }
    for (uint32_t i = 0; i < cb->execs.count; i++)
        pp_readback_read_last_run(cb->execs.list[i].secondary);
}

void
pp_readback_share_queries(struct pp_vk_readback *readback)
{
    for (uint32_t i = 0; i < readback->copies && readback->host; i++)
        if (readback->copy[i].shared)
            pp_query_chunk_share(&readback->copy[i].run);
        else
            pp_query_hand_over(readback->copy[i].owner);
    readback->shares = readback->host;
}

void
pp_readback_unshare_queries(struct pp_vk_readback *readback)
{
    for (uint32_t i = 0; i < readback->copies && readback->shares; i++)
        if (readback->copy[i].shared)
            pp_query_chunk_return(&readback->copy[i].run, readback->copy[i].kind);
        else
            pp_query_hand_back(readback->copy[i].owner, &readback->copy[i].run);
    readback->shares = false;
    /* Nothing ran: nothing is read when these buffers are submitted again. */
    pthread_mutex_lock(&readback->lock);
    readback->uses++;
    pthread_mutex_unlock(&readback->lock);
}

void
pp_readback_release_queries(struct pp_vk_readback *readback)
{
    for (uint32_t i = 0; i < readback->copies && readback->shares; i++)
        pp_query_chunk_return(&readback->copy[i].run, readback->copy[i].kind);
    readback->shares = false;
}

static void
destroy_list(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    while (readback) {
        struct pp_vk_readback *next = readback->next;
        pp_readback_release_queries(readback);
        pp_readback_free_memory(queue, readback);
        pp_readback_free_objects(queue, readback);
        pthread_mutex_destroy(&readback->lock);
        free(readback);
        readback = next;
    }
}

void
pp_readback_destroy_all(struct pp_vk_queue *queue)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_vk_fence *list[2] = {queue->fence_first, queue->free_fences};
    destroy_list(queue, queue->pending_first);
    destroy_list(queue, queue->free_readbacks);
    for (int i = 0; i < 2; i++)
        while (list[i]) {
            struct pp_vk_fence *next = list[i]->next;
            dev->next.DestroyFence(dev->handle, list[i]->fence, NULL);
            free(list[i]);
            list[i] = next;
        }
    queue->pending_first = queue->pending_last = queue->free_readbacks = NULL;
    queue->fence_first = queue->fence_last = queue->free_fences = NULL;
}

/* Time between two looks at what a queue needs. */
#define LOOK_NS 2000000000U
/* Free readbacks with command buffers that a queue keeps in addition to those that it needs. */
#define SPARE_READBACKS 4U
/* A free readback with more memory than this, and more than SPARE_FACTOR times what a readback of the queue
 * needs, gives all of it back. */
#define SPARE_BYTES  0x10000U
#define SPARE_FACTOR 4U

enum { SMALLEST = 4096 };

/** Bytes of the arrays that the CPU has for a readback. */
static size_t
array_bytes(const struct pp_vk_readback *readback)
{
    return readback->host_size + readback->slot_cap * sizeof(*readback->slot) +
           readback->stat_cap * sizeof(*readback->stat) + readback->copy_cap * sizeof(*readback->copy) +
           readback->part_cap * sizeof(*readback->part) +
           readback->args.copy_cap * sizeof(*readback->args.copy) +
           readback->args.slot_cap * sizeof(*readback->args.slot);
}

int
pp_readback_count(struct pp_vk_queue *queue, struct pp_vk_readback *readback, bool needed)
{
    size_t bytes = array_bytes(readback), more = bytes - readback->counted;
    if (bytes == readback->counted)
        return 0;
    if (needed)
        pp_memory_add(queue->dev->session, more);
    else if (!pp_memory_take(queue->dev->session, more))
        return -ENOSPC;
    pp_memory_is_heap(queue->dev->session, (ptrdiff_t)more);
    readback->counted = bytes;
    return 0;
}

/** Make memory for results that the CPU reads. */
static int
make_host_memory(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    uint32_t size = SMALLEST;
    if (readback->bytes > readback->host_size) {
        while (size < readback->bytes)
            size *= 2;
        if (!pp_memory_take(queue->dev->session, size - readback->host_size))
            return -ENOSPC;
        uint8_t *memory = malloc(size);
        if (!memory) {
            pp_memory_give(queue->dev->session, size - readback->host_size);
            return -ENOMEM;
        }
        free(readback->host_memory);
        pp_memory_is_heap(queue->dev->session, (ptrdiff_t)(size - readback->host_size));
        readback->counted += size - readback->host_size;
        readback->host_memory = memory;
        readback->host_size = size;
    }
    readback->results = readback->host_memory;
    return 0;
}

int
pp_readback_memory(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    if (readback->bytes > PP_READBACK_BYTES)
        return -ENOMEM;
    if (readback->bytes > queue->bytes_most)
        queue->bytes_most = readback->bytes;
    if (readback->host)
        return make_host_memory(queue, readback);
    int rc = pp_result_memory_grow(queue, &readback->piece, readback->bytes);
    readback->results = readback->piece.mapped;
    return rc;
}

void
pp_readback_free_memory(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    /* A command buffer may still ask for the results of its last run, which is not needed any more. */
    pthread_mutex_lock(&readback->lock);
    readback->uses++;
    readback->copies = 0;
    pthread_mutex_unlock(&readback->lock);
    pp_result_memory_give(queue, &readback->piece);
    free(readback->host_memory);
    free(readback->slot);
    free(readback->stat);
    free(readback->copy);
    free(readback->part);
    pp_indirect_readback_free(readback);
    readback->results = readback->host_memory = NULL;
    readback->slot = NULL;
    readback->stat = NULL;
    readback->copy = NULL;
    readback->part = NULL;
    readback->host_size = 0;
    readback->slots = readback->slot_cap = readback->stats = readback->stat_cap = readback->copy_cap = 0;
    readback->parts = readback->part_cap = 0;
    pp_memory_is_heap(queue->dev->session, -(ptrdiff_t)readback->counted);
    pp_memory_give(queue->dev->session, readback->counted);
    readback->counted = 0;
}

void
pp_readback_free_objects(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    struct pp_vk_device *dev = queue->dev;
    if (readback->pool != VK_NULL_HANDLE)
        dev->next.DestroyCommandPool(dev->handle, readback->pool, NULL);
    if (readback->times.pool != VK_NULL_HANDLE)
        dev->next.DestroyQueryPool(dev->handle, readback->times.pool, NULL);
    if (readback->bias_pool != VK_NULL_HANDLE)
        dev->next.DestroyQueryPool(dev->handle, readback->bias_pool, NULL);
    readback->pool = VK_NULL_HANDLE;
    readback->times.pool = readback->bias_pool = VK_NULL_HANDLE;
    readback->recorded = false;
}

/** Let free readbacks give back what the queue did not need since the last look. The readback that was used
 * last comes first. */
static void
shrink_list(struct pp_vk_queue *queue, struct pp_vk_readback *list, uint32_t keep)
{
    uint32_t most = queue->bytes_most > SPARE_BYTES ? queue->bytes_most : SPARE_BYTES;
    bool shrunk = false;
    for (; list; list = list->next) {
        size_t bytes = list->counted + list->piece.size;
        bool spare = keep == 0;
        keep -= !spare;
        if (bytes > 0 && (spare || bytes / SPARE_FACTOR > most)) {
            pp_readback_free_memory(queue, list);
            shrunk = true;
        }
        if (spare)
            pp_readback_free_objects(queue, list);
    }
    if (shrunk)
        pp_memory_trim(queue->dev->session);
}

void
pp_readback_shrink(struct pp_vk_queue *queue)
{
    uint64_t now = pp_now_ns();
    if (now - queue->looked_ns < LOOK_NS)
        return;
    pthread_mutex_lock(&queue->lock);
    struct pp_vk_readback *list = queue->free_readbacks;
    uint32_t taken = queue->taken;
    queue->free_readbacks = NULL;
    pthread_mutex_unlock(&queue->lock);
    if (!list)
        return;
    uint32_t needed = queue->taken_most > taken ? queue->taken_most - taken : 0;
    shrink_list(queue, list, needed + SPARE_READBACKS);
    queue->looked_ns = now;
    queue->bytes_most = 0;
    queue->taken_most = taken;
    struct pp_vk_readback *last = list;
    while (last->next)
        last = last->next;
    /* Other threads may have put readbacks into the list meanwhile, and only this one takes any out. */
    pthread_mutex_lock(&queue->lock);
    last->next = queue->free_readbacks;
    queue->free_readbacks = list;
    pthread_mutex_unlock(&queue->lock);
}
