/** @file
 * See idle.h. */
#include "layer/serialize/idle.h"

#include "core/util/log.h"
#include "layer/measure/announce.h"
#include "layer/readback/fence.h"
#include "layer/readback/retire.h"
#include "layer/submit/host_wait.h"

/* Longest time of a submission; after it, the submission is assumed to wait for a later one. */
#define SERIAL_NS 2000000000U

/* Number of submissions that the layer does not wait for after one that did not end: the first time, and at
 * most. */
enum { BACKOFF_FIRST = 4, BACKOFF_MOST = 4096 };

void
pp_idle_note_unwaited(struct pp_vk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->unwaited++;
    pthread_mutex_unlock(&queue->lock);
}

/* Submit a fence after everything that the queue has. @param wait_ns Longest wait for the fence; 0: do not
 * wait. @return VK_SUCCESS: the fence was submitted, and reached if there was a wait. */
static VkResult
fence_all(struct pp_vk_queue *queue, uint64_t wait_ns)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_vk_fence *fence = pp_fence_get(queue);
    if (!fence)
        return VK_NOT_READY;
    VkResult result = dev->next.QueueSubmit(queue->handle, 0, NULL, fence->fence);
    bool submitted = result == VK_SUCCESS;
    if (submitted && wait_ns > 0)
        result = dev->next.WaitForFences(dev->handle, 1, &fence->fence, VK_TRUE, wait_ns);
    pp_fence_put(queue, fence, submitted);
    return result;
}

void
pp_idle_submit_fence(struct pp_vk_queue *queue)
{
    if (fence_all(queue, 0) == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(queue->dev);
}

VkResult
pp_idle_wait(struct pp_vk_queue *queue)
{
    return fence_all(queue, SERIAL_NS);
}

bool
pp_idle_has_unwaited(struct pp_vk_queue *queue)
{
    pp_retire_available(queue);
    pthread_mutex_lock(&queue->lock);
    bool unwaited = queue->unwaited_done < queue->unwaited;
    pthread_mutex_unlock(&queue->lock);
    return unwaited;
}

/* State of a search over all queues except one. */
struct others {
    const struct pp_vk_queue *mine;
    bool unwaited;
};

static void
visit_queues(void *value, void *user)
{
    struct pp_vk_device *dev = value;
    struct others *others = user;
    if (!dev->session)
        return;
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue; queue = queue->next)
        others->unwaited = others->unwaited || (queue != others->mine && pp_idle_has_unwaited(queue));
}

bool
pp_idle_others_have_unwaited(const struct pp_vk_queue *mine)
{
    struct others others = {.mine = mine};
    pp_map_each(&pp_vk_root.devices, visit_queues, &others);
    return others.unwaited;
}

bool
pp_idle_waits(struct pp_vk_queue *queue, const struct pp_submit_call *call)
{
    queue->waits = queue->waits && pp_idle_has_unwaited(queue);
    if (!queue->waits && pp_host_wait_needed(queue->dev, call)) {
        queue->waits = true;
        pp_vk_device_missing(queue->dev, PP_EVENT_VK_SERIALIZE_WAITS, PP_MSG_VK_SERIALIZE_WAITS);
    }
    if (queue->waits)
        return false;
    if (queue->skips == 0)
        return true;
    queue->skips--;
    return false;
}

void
pp_idle_note_ended(struct pp_vk_queue *queue, VkResult ended)
{
    struct pp_vk_device *dev = queue->dev;
    if (ended == VK_SUCCESS)
        pp_retire_note_done(queue, queue->serial);
    if (ended == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    if (ended != VK_TIMEOUT)
        return;
    queue->backoff = queue->backoff == 0 ? BACKOFF_FIRST : 2 * queue->backoff;
    if (queue->backoff > BACKOFF_MOST)
        queue->backoff = BACKOFF_MOST;
    queue->skips = queue->backoff;
    pp_vk_device_missing(dev, "serialize", PP_MSG_VK_SERIALIZE_TIMEOUT);
}
