/** @file
 * See submit.h. vkQueueSubmit, vkQueueSubmit2 and other commands of queues. */
#include "layer/submit/submit.h"

#include <string.h>

#include "core/engine/clock.h"
#include "layer/base/chain.h"
#include "layer/base/device.h"
#include "layer/base/serialize.h"
#include "layer/frame/frame.h"
#include "layer/frame/surface.h"
#include "layer/readback/retire.h"
#include "layer/submit/flatten.h"
#include "layer/submit/rewrite.h"
#include "vk_hooks.h"

/* Submissions of nothing but resets. */

static void
destroy_resets(struct pp_vk_device *dev, struct pp_vk_reset_only *resets)
{
    if (resets->fence != VK_NULL_HANDLE)
        dev->next.DestroyFence(dev->handle, resets->fence, NULL);
    if (resets->pool != VK_NULL_HANDLE)
        dev->next.DestroyCommandPool(dev->handle, resets->pool, NULL);
    *resets = (struct pp_vk_reset_only){0};
}

static bool
make_resets(struct pp_vk_queue *queue, struct pp_vk_reset_only *resets)
{
    struct pp_vk_device *dev = queue->dev;
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = queue->family};
    if (dev->next.CreateFence(dev->handle, &fence, NULL, &resets->fence) != VK_SUCCESS)
        resets->fence = VK_NULL_HANDLE;
    if (dev->next.CreateCommandPool(dev->handle, &pool, NULL, &resets->pool) != VK_SUCCESS)
        resets->pool = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = resets->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    if (resets->fence == VK_NULL_HANDLE || resets->pool == VK_NULL_HANDLE ||
        dev->next.AllocateCommandBuffers(dev->handle, &buffer, &resets->buffer) != VK_SUCCESS) {
        destroy_resets(dev, resets);
        return false;
    }
    pp_vk_device_adopt(dev, resets->buffer);
    return true;
}

/* Can the command buffer be recorded again? Yes if its last run has ended; resets its fence. */
static bool
resets_are_free(struct pp_vk_device *dev, struct pp_vk_reset_only *resets)
{
    if (resets->pending && dev->next.GetFenceStatus(dev->handle, resets->fence) != VK_SUCCESS)
        return false;
    if (resets->pending && dev->next.ResetFences(dev->handle, 1, &resets->fence) != VK_SUCCESS)
        return false;
    resets->pending = false;
    return true;
}

/*
 * Begin a command buffer of resets; allocates no memory of the layer. Called by the submitting thread.
 *
 * @return NULL: the driver has no memory, or PP_VK_RESETS_ONLY of them are pending.
 */
static struct pp_vk_reset_only *
begin_resets(struct pp_vk_queue *queue)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_vk_reset_only *found = NULL;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    for (uint32_t i = 0; !found && i < PP_VK_RESETS_ONLY && queue->inject; i++) {
        struct pp_vk_reset_only *resets = &queue->resets[i];
        if (resets->pool != VK_NULL_HANDLE ? resets_are_free(dev, resets) : make_resets(queue, resets))
            found = resets;
    }
    if (!found || dev->next.ResetCommandPool(dev->handle, found->pool, 0) != VK_SUCCESS ||
        dev->next.BeginCommandBuffer(found->buffer, &begin) != VK_SUCCESS)
        return NULL;
    return found;
}

/* Record the resets that @p cb and what it executes need. @param cb NULL: an unknown buffer, without
 * queries. */
static void
add_resets(const struct pp_vk_device *dev, struct pp_vk_reset_only *resets, const struct pp_cmdbuf *cb)
{
    for (int kind = 0; cb && kind < PP_QUERY_KINDS; kind++)
        for (uint32_t i = 0; i < cb->queries[kind].runs; i++) {
            const struct pp_query_run *run = &cb->queries[kind].run[i];
            if (run->reserved > run->reset)
                dev->next.CmdResetQueryPool(resets->buffer, run->chunk->pool, run->first + run->reset,
                                            run->reserved - run->reset);
        }
    for (uint32_t i = 0; cb && i < cb->execs.count; i++)
        add_resets(dev, resets, cb->execs.list[i].secondary);
}

/* Submit the resets, before the command buffers with the queries. If the driver refuses, the queries are not
 * reset. */
static void
submit_resets(struct pp_vk_queue *queue, struct pp_vk_reset_only *resets)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &resets->buffer};
    resets->pending = next->EndCommandBuffer(resets->buffer) == VK_SUCCESS &&
                      next->QueueSubmit(queue->handle, 1, &info, resets->fence) == VK_SUCCESS;
}

void
pp_reset_only_finish(struct pp_vk_queue *queue)
{
    for (uint32_t i = 0; i < PP_VK_RESETS_ONLY; i++)
        destroy_resets(queue->dev, &queue->resets[i]);
}

/* Submit a fence of the layer after this many readbacks, or after this time, although the application gave
 * fences. */
enum { UNFENCED_MAX = 8, UNFENCED_NS = 100000000 };

/* May a queue's submissions be changed? */
static bool
may_rewrite(const struct pp_vk_queue *queue)
{
    return queue && !atomic_load_explicit(&queue->dev->lost, memory_order_relaxed);
}

/* A call of vkQueueSubmit or vkQueueSubmit2, as the application made it. */
struct call {
    struct pp_vk_queue *queue;
    uint32_t count;
    const VkSubmitInfo *submits;
    const VkSubmitInfo2 *submits2; /**< one of the two */
    VkFence fence;
    bool serialized; /**< --serialize: the layer waits for the submission */
};

/* The window whose image one batch of the call waits for, or renders to. @return NULL: none. */
static struct pp_vk_surface *
find_window(struct pp_vk_device *dev, const struct call *call, uint32_t i)
{
    const VkSubmitInfo *one = !call->submits2 ? &call->submits[i] : NULL;
    const VkSubmitInfo2 *two = call->submits2 ? &call->submits2[i] : NULL;
    uint32_t waits = one ? one->waitSemaphoreCount : two->waitSemaphoreInfoCount;
    uint32_t buffers = one ? one->commandBufferCount : two->commandBufferInfoCount;
    struct pp_vk_surface *found = NULL;
    for (uint32_t w = 0; w < waits && !found; w++)
        found =
            pp_vk_surface_awaited(dev, one ? one->pWaitSemaphores[w] : two->pWaitSemaphoreInfos[w].semaphore);
    for (uint32_t b = 0; b < buffers && !found; b++) {
        const struct pp_cmdbuf *cb =
            pp_cmdbuf_find(one ? one->pCommandBuffers[b] : two->pCommandBufferInfos[b].commandBuffer);
        found = cb ? cb->surface : NULL;
    }
    return found;
}

/* Find the series of frames that a call's actions belong to: the window of one of its batches, else the
 * current window. */
static struct pp_vk_surface *
find_surface(const struct call *call)
{
    struct pp_vk_device *dev = call->queue->dev;
    struct pp_vk_surface *found = NULL;
    if (!pp_vk_surface_several(&dev->frames.surface))
        return &dev->frames.surface;
    for (uint32_t i = 0; i < call->count && !found; i++)
        found = find_window(dev, call, i);
    return found ? found : pp_vk_surface_current(dev);
}

/* Begin the rewrite of a call. */
static struct pp_rewrite *
begin_rewrite(const struct call *call, struct pp_vk_surface *surface, bool resets_only)
{
    pp_rewrite_begin(call->queue, surface, resets_only);
    return call->queue->rewrite;
}

static VkResult
submit_next(const struct call *call, uint32_t count, const void *infos, VkFence fence)
{
    const struct pp_vk_device_next *next = &call->queue->dev->next;
    if (call->submits2)
        return next->QueueSubmit2(call->queue->handle, count, infos, fence);
    return next->QueueSubmit(call->queue->handle, count, infos, fence);
}

/* Is a fence of the layer due? A fence goes with the submission if the application gave none; otherwise it
 * follows by itself. */
static bool
fence_due(struct pp_vk_queue *queue)
{
    if (pp_retire_is_idle(queue))
        queue->unfenced = 0;
    return queue->unfenced >= UNFENCED_MAX ||
           (queue->unfenced > 0 && pp_now_ns() - queue->unfenced_ns > UNFENCED_NS);
}

/* Tell retire.c that a submission is under way. */
static void
note_submitting(struct pp_vk_queue *queue, bool submitting)
{
    if (!queue->dev->measured.serialize || !queue->dev->quirk.results_wait)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->submitting = submitting;
    pthread_mutex_unlock(&queue->lock);
}

/* Finish a submission that the driver accepted. */
static void
accept(struct pp_rewrite *rewrite, const struct call *call, struct pp_vk_fence *fence, uint64_t begin_ns,
       uint64_t issued_ns, const struct pp_serialize_call *serialized_call)
{
    struct pp_vk_queue *queue = call->queue;
    uint64_t done_ns = serialized_call ? serialized_call->submitted_ns : pp_now_ns();
    bool has_passes = rewrite->has_passes, has_actions = rewrite->has_actions;
    pp_rewrite_commit(queue, rewrite, issued_ns, issued_ns - begin_ns);
    if (call->fence != VK_NULL_HANDLE)
        pp_fence_note(queue, call->fence);
    bool unwaited = queue->dev->measured.serialize &&
                    (!serialized_call || (has_passes && serialized_call->ended != VK_SUCCESS));
    if (unwaited)
        pp_serialize.note_unwaited(queue);
    if (fence)
        pp_fence_put(queue, fence, true);
    else if (unwaited)
        pp_serialize.fence(queue);
    else if (fence_due(queue))
        pp_retire_fence(queue);
    note_submitting(queue, false);
    if (serialized_call)
        pp_serialize.ended(queue, serialized_call->ended);
    pp_vk_frame_submitted(queue, has_actions, begin_ns, done_ns);
}

/* Rewrite the call and submit the result. @return The driver's answer. VK_ERROR_OUT_OF_HOST_MEMORY with
 * rewrite->failed set: the layer has no memory, and nothing was submitted. */
static VkResult
submit_rewrite(struct pp_rewrite *rewrite, const struct call *call)
{
    struct pp_vk_queue *queue = call->queue;
    uint64_t begin_ns = pp_now_ns();
    uint32_t count = call->count;
    const void *infos = call->submits2
                            ? (const void *)pp_submit_infos_rewrite2(queue, rewrite, count, call->submits2)
                            : (const void *)pp_submit_infos_rewrite(queue, rewrite, &count, call->submits);
    if (!infos) {
        rewrite->failed = true;
        pp_rewrite_abort(queue, rewrite);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    bool measures = rewrite->queries || !rewrite->resets_only;
    struct pp_vk_fence *fence =
        rewrite->first && call->fence == VK_NULL_HANDLE && measures ? pp_fence_get(queue) : NULL;
    struct pp_serialize_call serialized_call = {.queue = queue,
                                                .rewrite = rewrite,
                                                .count = count,
                                                .submits = call->submits2 ? NULL : infos,
                                                .submits2 = call->submits2 ? infos : NULL,
                                                .fence = fence ? fence->fence : call->fence};
    uint64_t issued_ns = pp_now_ns();
    note_submitting(queue, true);
    VkResult result = call->serialized ? pp_serialize.submit(&serialized_call)
                                       : submit_next(call, count, infos, serialized_call.fence);
    if (result == VK_SUCCESS) {
        accept(rewrite, call, fence, begin_ns, issued_ns, call->serialized ? &serialized_call : NULL);
        return result;
    }
    note_submitting(queue, false);
    if (fence)
        pp_fence_put(queue, fence, false);
    pp_rewrite_abort(queue, rewrite);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(queue->dev);
    return result;
}

/* Reset the queries of a call's buffers in a submission before the call. A buffer that is twice in the call
 * runs without a reset the second time. */
static void
reset_in_front(const struct call *call)
{
    struct pp_vk_reset_only *resets = begin_resets(call->queue);
    for (uint32_t i = 0; resets && i < call->count; i++) {
        const VkSubmitInfo *one = !call->submits2 ? &call->submits[i] : NULL;
        const VkSubmitInfo2 *two = call->submits2 ? &call->submits2[i] : NULL;
        uint32_t buffers = one ? one->commandBufferCount : two->commandBufferInfoCount;
        for (uint32_t b = 0; b < buffers; b++)
            add_resets(
                call->queue->dev, resets,
                pp_cmdbuf_find(one ? one->pCommandBuffers[b] : two->pCommandBufferInfos[b].commandBuffer));
    }
    if (resets)
        submit_resets(call->queue, resets);
}

/* Submit the application's form after resets; count nothing. */
static VkResult
submit_unmeasured(const struct call *call)
{
    struct pp_vk_queue *queue = call->queue;
    reset_in_front(call);
    const void *infos = call->submits2 ? (const void *)call->submits2 : call->submits;
    VkResult result = submit_next(call, call->count, infos, call->fence);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(queue->dev);
    if (result != VK_SUCCESS)
        return result;
    if (call->fence != VK_NULL_HANDLE)
        pp_fence_note(queue, call->fence);
    if (queue->dev->measured.serialize)
        pp_serialize.note_unwaited(queue);
    return result;
}

/* Submit the measured form of a call.
 *
 * If the driver refuses it for lack of memory, submit the application's form, and only count. If the buffers
 * have queries of the layer, which must not run without resets, try the application's form with the resets
 * only. If the driver refuses this form, too, the application gets the refusal: it must expect one of any
 * submission, and nothing was submitted.
 *
 * If the layer itself has no memory, the driver gets the application's form after resets that need no memory.
 * A buffer that is twice in such a call leaves undefined results in the layer's queries. They are never read,
 * because the device is not measured any more. */
static VkResult
submit_rewritten(const struct call *call)
{
    struct pp_vk_surface *surface = find_surface(call);
    struct pp_rewrite *rewrite = begin_rewrite(call, surface, false);
    VkResult result = submit_rewrite(rewrite, call);
    if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST)
        return result;
    bool other = rewrite->added || rewrite->queries || (rewrite->items > 0 && call->fence == VK_NULL_HANDLE);
    if (rewrite->failed)
        pp_vk_device_fail(call->queue->dev);
    else if (!other) /* the driver refused the application's own call: it had nothing of the layer */
        return result;
    result = submit_rewrite(begin_rewrite(call, surface, true), call);
    return rewrite->failed ? submit_unmeasured(call) : result;
}

/* Number of frames that a call ends: batches with a frame boundary, in their chain or in a command buffer. */
static uint32_t
count_boundaries(const struct call *call)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        const VkSubmitInfo *one = !call->submits2 ? &call->submits[i] : NULL;
        const VkSubmitInfo2 *two = call->submits2 ? &call->submits2[i] : NULL;
        uint32_t buffers = one ? one->commandBufferCount : two->commandBufferInfoCount;
        bool ended = pp_vk_frame_boundary_chain(one ? one->pNext : two->pNext);
        for (uint32_t b = 0; b < buffers && !ended; b++)
            ended = pp_vk_frame_boundary_buffer(
                call->queue->dev, one ? one->pCommandBuffers[b] : two->pCommandBufferInfos[b].commandBuffer);
        ends += ended;
    }
    return ends;
}

/* Submit a call. With --serialize, submit the calls of all queues one at a time. */
static VkResult
submit_with_boundaries(struct call *call)
{
    struct pp_vk_device *dev = call->queue->dev;
    uint32_t ends = count_boundaries(call);
    pp_vk_frame_marked(dev);
    if (ends > 0)
        (void)pp_vk_frame_boundary_expect(dev);
    if (dev->measured.serialize) {
        const struct pp_submit_call waits = {call->count, call->submits, call->submits2};
        pthread_mutex_lock(&pp_vk_root.serial_lock);
        call->serialized = pp_serialize.waits(call->queue, &waits);
    }
    VkResult result = submit_rewritten(call);
    if (dev->measured.serialize)
        pthread_mutex_unlock(&pp_vk_root.serial_lock);
    for (; result == VK_SUCCESS && ends > 0; ends--)
        pp_vk_frame_boundary_reached(dev);
    return result;
}

/* Note a submission that passed through. @return @p result. */
static VkResult
note_passed_through(VkQueue queue, VkFence fence, VkResult result)
{
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(pp_vk_device_of(queue));
    if (result == VK_SUCCESS && fence != VK_NULL_HANDLE && record)
        pp_fence_note(record, fence);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_QueueSubmit(VkQueue queue, uint32_t submitCount, const VkSubmitInfo *pSubmits, VkFence fence)
{
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    if (!may_rewrite(record) || submitCount == 0 || !pSubmits)
        return note_passed_through(
            queue, fence, pp_vk_device_of(queue)->next.QueueSubmit(queue, submitCount, pSubmits, fence));
    struct call call = {record, submitCount, pSubmits, NULL, fence, false};
    return submit_with_boundaries(&call);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_QueueSubmit2(VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits, VkFence fence)
{
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    if (!may_rewrite(record) || submitCount == 0 || !pSubmits)
        return note_passed_through(
            queue, fence, pp_vk_device_of(queue)->next.QueueSubmit2(queue, submitCount, pSubmits, fence));
    struct call call = {record, submitCount, NULL, pSubmits, fence, false};
    return submit_with_boundaries(&call);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_QueueBindSparse(VkQueue queue, uint32_t bindInfoCount, const VkBindSparseInfo *pBindInfo,
                        VkFence fence)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    VkResult result = dev->next.QueueBindSparse(queue, bindInfoCount, pBindInfo, fence);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    for (uint32_t i = 0; result == VK_SUCCESS && i < bindInfoCount; i++)
        if (pp_vk_frame_boundary_chain(pBindInfo[i].pNext))
            pp_vk_frame_boundary_behind(dev);
    return result;
}

/* May nothing be added to a batch? A protected submission would need protected memory for results. Device
 * masks, one for each command buffer, can only be added to in a copy of the structs before them in the
 * chain. (Groups of several GPUs are not profiled: see is_group().) */
static bool
may_not_add(const void *chain)
{
    const VkProtectedSubmitInfo *is_protected = pp_vk_find(chain, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
    return (is_protected && is_protected->protectedSubmit) ||
           (pp_vk_find(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO) && pp_vk_group_bytes(chain) == 0);
}

/* A batch with only resets of the layer, which waits for nothing; a closed batch follows it. The buffers of
 * the closed batch are not pending, so nothing uses their queries yet. */
static VkSubmitInfo
reset_batch(const VkCommandBuffer *before)
{
    return (VkSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = before};
}

/* Places in a rewrite's memory for copies of chains with device masks. */
struct masks {
    char *node;     /**< for the next chain */
    uint32_t *mask; /**< for the next batch */
};

/* Give a batch a device mask for each of its items. The batch is not closed. @param item First of its @p
 * count items. */
static void
add_masks(VkSubmitInfo *batch, struct masks *masks, const struct pp_rewrite_item *item, uint32_t count)
{
    size_t bytes = pp_vk_group_bytes(batch->pNext);
    const VkDeviceGroupSubmitInfo *group;
    if (bytes == 0)
        return;
    batch->pNext = pp_vk_group_copy(batch->pNext, masks->node, count, masks->mask, &group);
    for (uint32_t i = 0; i < count; i++)
        masks->mask[i] = item[i].source != PP_REWRITE_ADDED && item[i].source < group->commandBufferCount
                             ? group->pCommandBufferDeviceMasks[item[i].source]
                             : 1;
    masks->node += bytes;
    masks->mask += count;
}

const VkSubmitInfo *
pp_submit_infos_rewrite(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, uint32_t *io_count,
                        const VkSubmitInfo *submits)
{
    uint32_t buffers = 0, count = *io_count, out = 0;
    for (uint32_t i = 0; i < count; i++)
        buffers += submits[i].commandBufferCount;
    if (buffers == 0)
        return submits;
    uint32_t *items = pp_rewrite_counts(rewrite, count);
    if (!items)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        items[i] = pp_rewrite_batch(queue, rewrite, submits[i].pCommandBuffers, submits[i].commandBufferCount,
                                    may_not_add(submits[i].pNext));
    size_t chains = 0, masks_bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        chains += pp_vk_group_bytes(submits[i].pNext);
    if (chains > 0)
        masks_bytes = rewrite->items * sizeof(uint32_t);
    size_t size = 2 * (size_t)count * sizeof(VkSubmitInfo) + chains +
                  rewrite->items * sizeof(VkCommandBuffer) + masks_bytes;
    VkSubmitInfo *copy = rewrite->failed ? NULL : pp_rewrite_memory(rewrite, size);
    if (!copy)
        return NULL;
    struct masks masks = {.node = (char *)(copy + 2 * (size_t)count)};
    VkCommandBuffer *handle = (VkCommandBuffer *)(void *)(masks.node + chains);
    masks.mask = (uint32_t *)(void *)(handle + rewrite->items);
    for (uint32_t i = 0; i < rewrite->items; i++)
        handle[i] = rewrite->item[i].handle;
    for (uint32_t i = 0, at = 0; i < count; at += items[i++]) {
        bool closed = may_not_add(submits[i].pNext);
        uint32_t apart = closed ? items[i] - submits[i].commandBufferCount : 0;
        if (apart > 0)
            copy[out++] = reset_batch(handle + at);
        copy[out] = submits[i];
        copy[out].commandBufferCount = items[i] - apart;
        copy[out].pCommandBuffers = handle + at + apart;
        if (!closed)
            add_masks(&copy[out], &masks, rewrite->item + at, items[i]);
        out++;
    }
    *io_count = out;
    return copy;
}

const VkSubmitInfo2 *
pp_submit_infos_rewrite2(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, uint32_t count,
                         const VkSubmitInfo2 *submits)
{
    uint32_t buffers = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        buffers += submits[i].commandBufferInfoCount;
        most = submits[i].commandBufferInfoCount > most ? submits[i].commandBufferInfoCount : most;
    }
    if (buffers == 0)
        return submits;
    uint32_t *items = pp_rewrite_counts(rewrite, count);
    VkCommandBuffer *list = !items ? NULL : pp_rewrite_memory(rewrite, most * sizeof(*list));
    for (uint32_t i = 0; i < count && list; i++) {
        for (uint32_t b = 0; b < submits[i].commandBufferInfoCount; b++)
            list[b] = submits[i].pCommandBufferInfos[b].commandBuffer;
        items[i] = pp_rewrite_batch(queue, rewrite, list, submits[i].commandBufferInfoCount,
                                    (submits[i].flags & VK_SUBMIT_PROTECTED_BIT) != 0);
    }
    size_t size = count * sizeof(VkSubmitInfo2) + rewrite->items * sizeof(VkCommandBufferSubmitInfo);
    VkSubmitInfo2 *copy = !list || rewrite->failed ? NULL : pp_rewrite_memory(rewrite, size);
    if (!copy)
        return NULL;
    VkCommandBufferSubmitInfo *info = (VkCommandBufferSubmitInfo *)(void *)(copy + count);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        copy[i] = submits[i];
        copy[i].commandBufferInfoCount = items[i];
        copy[i].pCommandBufferInfos = info + at;
        for (uint32_t end = at + items[i]; at < end; at++) {
            const struct pp_rewrite_item *item = &rewrite->item[at];
            if (item->source != PP_REWRITE_ADDED)
                info[at] = submits[i].pCommandBufferInfos[item->source];
            else
                info[at] = (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                                       .commandBuffer = item->handle};
        }
    }
    return copy;
}
