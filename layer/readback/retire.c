/** @file
 * See retire.h. Turns available results into core's batches: fences that show what is done, and decoding of a
 * readback. Any thread; the queue's lock protects only the lists. */
#include "layer/readback/retire.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/clock.h"
#include "layer/readback/indirect_readback.h"
#include "layer/readback/perf_retire.h"
#include "layer/readback/readback.h"

/* Read the timestamp at an offset. @return false: it is not available. */
static bool
read_time(const struct pp_vk_readback *readback, uint32_t offset, uint64_t mask, uint64_t *ret_ticks)
{
    uint64_t result[2];
    if (offset == PP_NO_OFFSET)
        return false;
    memcpy(result, readback->results + offset, sizeof(result));
    *ret_ticks = result[0] & mask;
    return result[1] != 0;
}

static uint64_t
valid_mask(const struct pp_vk_queue *queue)
{
    uint32_t bits = queue->dev->gpu.family[queue->family].timestamp_bits;
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* Fill in the times of all brackets, and the status of their statistics if no query counted them. Hot. */
static void
retire_times(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    struct pp_batch *batch = readback->batch;
    const uint32_t at = pp_device_offset(batch->device, PP_SOURCE_TIME);
    const uint64_t mask = valid_mask(queue);
    /* Without statistics, source 1 is another source, which sets its own status. */
    const bool counts = queue->dev->measured.statistics != 0;
    for (uint32_t b = 0; b < readback->slots; b++) {
        const struct pp_result_slot *slot = &readback->slot[b];
        uint8_t *time = pp_batch_status(batch, b, PP_SOURCE_TIME);
        uint64_t begin = 0, end = 0;
        if (counts)
            *pp_batch_status(batch, b, PP_SOURCE_STATISTICS) = slot->want;
        if (slot->begin == PP_NO_OFFSET && slot->end == PP_NO_OFFSET) {
            *time = PP_UNSUPPORTED;
            continue;
        }
        /* RADV gives available times of 0 for work that the GPU has not done. It did not count 0 either. */
        bool done = read_time(readback, slot->begin, mask, &begin) &&
                    read_time(readback, slot->end, mask, &end) && (begin | end) != 0;
        *time = done ? PP_OK : PP_LOST;
        if (counts && !done && slot->want == PP_OK)
            *pp_batch_status(batch, b, PP_SOURCE_STATISTICS) = PP_LOST;
        memcpy(pp_batch_row(batch, b, 0) + at, &begin, sizeof(begin));
        memcpy(pp_batch_row(batch, b, 1) + at, &end, sizeof(end));
    }
}

/* Add @p count values. */
static inline void
add_values(uint8_t *row, const uint8_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value, sum;
        memcpy(&value, from + i * sizeof(value), sizeof(value));
        memcpy(&sum, row + i * sizeof(sum), sizeof(sum));
        sum += value;
        memcpy(row + i * sizeof(sum), &sum, sizeof(sum));
    }
}

/* Add the values of a queue that counts less than the device. Values that the queue does not count stay as
 * they are. */
static void
add_some_values(uint8_t *row, const uint8_t *from, VkQueryPipelineStatisticFlags of,
                VkQueryPipelineStatisticFlags mask)
{
    for (uint32_t bit = 0; bit < PP_PIPELINE_STATISTICS; bit++) {
        if (!(of & (1U << bit)))
            continue;
        if (mask & (1U << bit)) {
            add_values(row, from, 1);
            from += sizeof(uint64_t);
        }
        row += sizeof(uint64_t);
    }
}

/* Add all statistics queries' results to their brackets' rows. Hot. */
static void
retire_statistics(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    const struct pp_vk_device *dev = queue->dev;
    struct pp_batch *batch = readback->batch;
    const uint32_t at = readback->stats == 0 ? 0 : pp_device_offset(batch->device, PP_SOURCE_STATISTICS);
    const struct pp_statistics_slot *stat = readback->stat, *last = stat + readback->stats;
    for (; stat < last; stat++) {
        const uint8_t *from = readback->results + stat->offset;
        uint8_t *row = pp_batch_row(batch, stat->bracket, 1) + at;
        uint8_t *status = pp_batch_status(batch, stat->bracket, PP_SOURCE_STATISTICS);
        uint64_t available;
        memcpy(&available, from + sizeof(uint64_t) * stat->values, sizeof(available));
        if (available == 0) {
            /* lavapipe 22.3 counts all views in the first query and leaves the others unavailable. */
            if (!stat->more)
                *status = PP_LOST;
            continue;
        }
        if (stat->mask == dev->measured.statistics && *status != PP_OK) /* the row is zero */
            memcpy(row, from, sizeof(uint64_t) * stat->values);
        else if (stat->mask == dev->measured.statistics)
            add_values(row, from, stat->values);
        else
            add_some_values(row, from, dev->measured.statistics, stat->mask);
        if (*status != PP_LOST)
            *status = PP_OK;
    }
}

static void
retire_bias(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    struct pp_vk_device *dev = queue->dev;
    uint64_t length[PP_BIAS_BRACKETS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < PP_BIAS_BRACKETS; i++) {
        uint64_t begin, end, mask = valid_mask(queue);
        uint32_t at = readback->bias_offset + 2 * i * PP_TIME_BYTES;
        if (read_time(readback, at, mask, &begin) && read_time(readback, at + PP_TIME_BYTES, mask, &end))
            length[count++] = pp_clock_interval_ns(pp_device_clock(dev->core), begin, end);
    }
    if (count > 0)
        pp_device_bias(dev->core, "pass", length, count);
    dev->next.DestroyQueryPool(dev->handle, readback->bias_pool, NULL);
    readback->bias_pool = VK_NULL_HANDLE;
}

/* Bound a clock that cannot be sampled: work began after its submission and ended before now. */
static void
bound_clock(struct pp_vk_queue *queue, const struct pp_batch *batch, uint32_t brackets, uint64_t now_ns)
{
    struct pp_vk_device *dev = queue->dev;
    uint32_t at = pp_device_offset(batch->device, PP_SOURCE_TIME), first = 0, last = brackets;
    uint64_t begin, end;
    while (first < brackets && *pp_batch_status(batch, first, PP_SOURCE_TIME) != PP_OK)
        first++;
    while (last > first && *pp_batch_status(batch, last - 1, PP_SOURCE_TIME) != PP_OK)
        last--;
    if (dev->measured.calibrated || last <= first)
        return;
    memcpy(&begin, pp_batch_row(batch, first, 0) + at, sizeof(begin));
    memcpy(&end, pp_batch_row(batch, last - 1, 1) + at, sizeof(end));
    pp_clock_bound(pp_device_clock(dev->core), begin, end, batch->cpu_issued_ns, now_ns);
}

/* Must the results not be read now, because reading would wait for a later call of the application
 * (host_wait.c)? With --serialize the CPU may read only while nothing else runs. */
static bool
must_not_read_yet(const struct pp_vk_device *dev, struct pp_vk_readback *readback)
{
    bool runs = false;
    if (!readback->host || !dev->quirk.results_wait || !dev->measured.serialize ||
        !atomic_load(&dev->host_wait.expected))
        return false;
    pthread_mutex_lock(&readback->lock);
    bool read = readback->times_read;
    pthread_mutex_unlock(&readback->lock);
    if (read)
        return false;
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue && !runs; queue = queue->next) {
        pthread_mutex_lock(&queue->lock);
        runs = queue->submitting || queue->unwaited_done < queue->unwaited;
        pthread_mutex_unlock(&queue->lock);
    }
    return runs;
}

/* Would reading wait for submissions that are still running? Then the application's wait for one frame would
 * become a wait for all. So let the GPU copy the results of what follows; what was submitted before is still
 * read by the CPU. */
static void
look_for_overlap(struct pp_vk_device *dev, const struct pp_vk_readback *readback)
{
    bool runs = false;
    if (!readback->host || !dev->quirk.results_wait ||
        atomic_load_explicit(&dev->host_wait.copies_results, memory_order_relaxed))
        return;
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue && !runs; queue = queue->next)
        runs = !pp_retire_is_idle(queue);
    if (runs)
        atomic_store(&dev->host_wait.copies_results, true);
}

/* Decode a done readback and hand its batch on. */
static void
retire(struct pp_vk_queue *queue, struct pp_vk_readback *readback, bool lost)
{
    struct pp_batch *batch = readback->batch;
    if (!batch)
        return;
    lost = lost || must_not_read_yet(queue->dev, readback);
    look_for_overlap(queue->dev, readback);
    if (!lost)
        pp_readback_read(queue->dev, readback);
    if (lost) {
        for (uint32_t b = 0; b < readback->slots; b++) {
            *pp_batch_status(batch, b, PP_SOURCE_TIME) = PP_LOST;
            if (queue->dev->measured.statistics)
                *pp_batch_status(batch, b, PP_SOURCE_STATISTICS) = PP_LOST;
        }
    } else {
        retire_times(queue, readback);
        retire_statistics(queue, readback);
    }
    for (uint32_t b = 0; b < readback->slots; b++)
        if (queue->dev->measured.statistics && readback->slot[b].incomplete)
            *pp_batch_status(batch, b, PP_SOURCE_STATISTICS) = PP_UNSUPPORTED;
    if (!lost && !readback->plain)
        pp_indirect_readback_retire(readback);
    pp_perf_retire(queue, readback, lost);
    if (readback->bias_pool != VK_NULL_HANDLE && !lost)
        retire_bias(queue, readback);
    pp_readback_no_bias(queue->dev, readback);
    readback->batch = NULL;
    batch->cpu_available_ns = pp_now_ns();
    if (!lost)
        bound_clock(queue, batch, readback->slots, batch->cpu_available_ns);
    pp_batch_put(batch);
}

void
pp_retire_plain(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    retire(queue, readback, false);
    pp_readback_put(queue, readback);
}

void
pp_retire_append(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    pthread_mutex_lock(&queue->lock);
    readback->serial = ++queue->serial;
    if (queue->pending_last)
        queue->pending_last->next = readback;
    else
        queue->pending_first = readback;
    queue->pending_last = readback;
    pthread_mutex_unlock(&queue->lock);
    if (queue->unfenced++ == 0)
        queue->unfenced_ns = pp_now_ns();
}

/* Take the oldest readback off the pending list if it is done. */
static struct pp_vk_readback *
take_done(struct pp_vk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    struct pp_vk_readback *readback = queue->pending_first;
    if (readback && readback->serial <= queue->done) {
        queue->pending_first = readback->next;
        if (!queue->pending_first)
            queue->pending_last = NULL;
    } else {
        readback = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    return readback;
}

static void
retire_done(struct pp_vk_queue *queue, bool lost)
{
    struct pp_vk_readback *readback;
    while ((readback = take_done(queue))) {
        retire(queue, readback, lost);
        pp_readback_release_queries(readback);
        pp_readback_put(queue, readback);
    }
}

/* Read the fences of the layer, oldest first. @return VK_ERROR_DEVICE_LOST or VK_SUCCESS. */
static VkResult
poll_fences(struct pp_vk_queue *queue)
{
    struct pp_vk_device *dev = queue->dev;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&queue->lock);
    while (queue->fence_first) {
        struct pp_vk_fence *fence = queue->fence_first;
        result = dev->next.GetFenceStatus(dev->handle, fence->fence);
        if (result != VK_SUCCESS)
            break;
        if (fence->serial > queue->done)
            queue->done = fence->serial;
        if (fence->unwaited > queue->unwaited_done)
            queue->unwaited_done = fence->unwaited;
        queue->fence_first = fence->next;
        if (!queue->fence_first)
            queue->fence_last = NULL;
        fence->next = queue->free_fences;
        queue->free_fences = fence;
    }
    pthread_mutex_unlock(&queue->lock);
    return result == VK_ERROR_DEVICE_LOST ? result : VK_SUCCESS;
}

void
pp_retire_available(struct pp_vk_queue *queue)
{
    if (atomic_load_explicit(&queue->dev->lost, memory_order_relaxed))
        return;
    if (poll_fences(queue) != VK_SUCCESS) {
        pp_retire_device_lost(queue->dev);
        return;
    }
    retire_done(queue, false);
}

void
pp_retire_device(struct pp_vk_device *dev)
{
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue; queue = queue->next)
        pp_retire_available(queue);
}

void
pp_retire_all(struct pp_vk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->done = queue->serial;
    queue->unwaited_done = queue->unwaited;
    pthread_mutex_unlock(&queue->lock);
    queue->unfenced = 0;
    pp_retire_available(queue);
}

void
pp_retire_lost(struct pp_vk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->done = queue->serial;
    pthread_mutex_unlock(&queue->lock);
    retire_done(queue, true);
}

void
pp_retire_note_done(struct pp_vk_queue *queue, uint64_t serial)
{
    pthread_mutex_lock(&queue->lock);
    if (serial > queue->done)
        queue->done = serial;
    pthread_mutex_unlock(&queue->lock);
}

bool
pp_retire_is_idle(struct pp_vk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool done = queue->done >= queue->serial;
    pthread_mutex_unlock(&queue->lock);
    return done;
}

void
pp_retire_device_lost(struct pp_vk_device *dev)
{
    if (!dev->session || atomic_exchange(&dev->lost, true))
        return;
    pp_log(PP_MSG_DEVICE_LOST, dev->gpu.props.deviceName);
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue; queue = queue->next)
        pp_retire_lost(queue);
}

void
pp_retire_fence(struct pp_vk_queue *queue)
{
    if (pp_retire_is_idle(queue))
        queue->unfenced = 0;
    struct pp_vk_fence *fence = queue->unfenced > 0 ? pp_fence_get(queue) : NULL;
    if (!fence)
        return;
    VkResult result = queue->dev->next.QueueSubmit(queue->handle, 0, NULL, fence->fence);
    pp_fence_put(queue, fence, result == VK_SUCCESS);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(queue->dev);
}

void
pp_fence_note(struct pp_vk_queue *queue, VkFence fence)
{
    uint32_t i = 0;
    pthread_mutex_lock(&queue->lock);
    while (i < PP_VK_NOTED_FENCES && queue->noted[i].fence != fence)
        i++;
    if (i == PP_VK_NOTED_FENCES)
        i = queue->next_noted++ % PP_VK_NOTED_FENCES;
    queue->noted[i].fence = fence;
    queue->noted[i].serial = queue->serial;
    pthread_mutex_unlock(&queue->lock);
}

uint64_t
pp_fence_noted(struct pp_vk_queue *queue, VkFence fence)
{
    uint64_t serial = 0;
    pthread_mutex_lock(&queue->lock);
    for (uint32_t i = 0; i < PP_VK_NOTED_FENCES; i++)
        if (queue->noted[i].fence == fence)
            serial = queue->noted[i].serial;
    pthread_mutex_unlock(&queue->lock);
    return serial;
}

struct pp_vk_fence *
pp_fence_get(struct pp_vk_queue *queue)
{
    struct pp_vk_device *dev = queue->dev;
    pthread_mutex_lock(&queue->lock);
    struct pp_vk_fence *fence = queue->free_fences;
    if (fence)
        queue->free_fences = fence->next;
    pthread_mutex_unlock(&queue->lock);
    if (fence) {
        if (dev->next.ResetFences(dev->handle, 1, &fence->fence) == VK_SUCCESS)
            return fence;
        pp_fence_put(queue, fence, false);
        return NULL;
    }
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    fence = calloc(1, sizeof(*fence));
    if (fence && dev->next.CreateFence(dev->handle, &info, NULL, &fence->fence) != VK_SUCCESS) {
        free(fence);
        fence = NULL;
    }
    return fence;
}

void
pp_fence_put(struct pp_vk_queue *queue, struct pp_vk_fence *fence, bool submitted)
{
    pthread_mutex_lock(&queue->lock);
    if (submitted) {
        fence->serial = queue->serial;
        fence->unwaited = queue->unwaited;
        fence->next = NULL;
        if (queue->fence_last)
            queue->fence_last->next = fence;
        else
            queue->fence_first = fence;
        queue->fence_last = fence;
        queue->unfenced = 0;
    } else {
        fence->next = queue->free_fences;
        queue->free_fences = fence;
    }
    pthread_mutex_unlock(&queue->lock);
}
