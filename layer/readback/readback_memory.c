/** @file
 * Memory of readbacks: it counts against --max-memory, and readbacks that are not needed for two seconds give
 * theirs back. The records of the readbacks remain, because command buffers refer to them (pp_cmdbuf.reader).
 * See also readback.h, result_memory.h. */
#include <errno.h>
#include <stdlib.h>

#include "core/engine/clock.h"
#include "core/engine/memory.h"
#include "layer/readback/indirect_readback.h"
#include "layer/readback/readback.h"
#include "layer/readback/readback_memory.h"

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
