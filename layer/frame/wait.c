/** @file
 * Waits of the application: how long the CPU waited in a frame, and a chance to take results back. */
#include "core/engine/clock.h"
#include "layer/frame/frame.h"
#include "layer/frame/surface.h"
#include "layer/readback/fence.h"
#include "layer/readback/retire.h"
#include "vk_hooks.h"

/* End the frame that the application has marked: the wait belongs to the next frame. */
static void
note_marks(struct pp_vk_device *dev)
{
    if (dev->session)
        pp_vk_frame_marked(dev);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_QueueWaitIdle(VkQueue queue)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    note_marks(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.QueueWaitIdle(queue);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    if (!record || result != VK_SUCCESS)
        return result;
    pp_vk_surface_waited(dev, begin_ns, NULL);
    pp_retire_all(record);
    pp_vk_frame_waited(dev, begin_ns);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_DeviceWaitIdle(VkDevice device)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    note_marks(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.DeviceWaitIdle(device);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    if (!dev->session || result != VK_SUCCESS)
        return result;
    pp_vk_surface_waited(dev, begin_ns, NULL);
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue; queue = queue->next)
        pp_retire_all(queue);
    pp_vk_frame_waited(dev, begin_ns);
    return result;
}

/* Most queues whose readbacks one fence of the application covers. */
enum { NOTED_QUEUES = 8 };

/* Readbacks that a fence of the application covers, noted before the wait. */
struct noted {
    struct pp_vk_queue *queue[NOTED_QUEUES];
    uint64_t serial[NOTED_QUEUES];
    uint32_t count;
};

static void
note_fence(struct pp_vk_device *dev, VkFence fence, struct noted *noted)
{
    noted->count = 0;
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue && noted->count < NOTED_QUEUES;
         queue = queue->next) {
        uint64_t serial = pp_fence_noted(queue, fence);
        if (serial == 0)
            continue;
        noted->queue[noted->count] = queue;
        noted->serial[noted->count++] = serial;
    }
}

static void
use_noted(struct pp_vk_device *dev, const struct noted *noted)
{
    for (uint32_t i = 0; i < noted->count; i++)
        pp_retire_note_done(noted->queue[i], noted->serial[i]);
    pp_retire_device(dev);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_WaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences, VkBool32 waitAll,
                      uint64_t timeout)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct noted noted = {.count = 0};
    /* The last of several fences is the best guess at the newest. If any may end the wait, it is not known
     * which one did. */
    if (dev->session && fenceCount > 0 && (waitAll || fenceCount == 1))
        note_fence(dev, pFences[fenceCount - 1], &noted);
    note_marks(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.WaitForFences(device, fenceCount, pFences, waitAll, timeout);
    pp_vk_surface_waited(dev, begin_ns, NULL);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    else if (dev->session && result == VK_SUCCESS)
        use_noted(dev, &noted);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_GetFenceStatus(VkDevice device, VkFence fence)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct noted noted = {.count = 0};
    if (dev->session)
        note_fence(dev, fence, &noted);
    VkResult result = dev->next.GetFenceStatus(device, fence);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    else if (dev->session && result == VK_SUCCESS)
        use_noted(dev, &noted);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *pWaitInfo, uint64_t timeout)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    note_marks(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.WaitSemaphores(device, pWaitInfo, timeout);
    pp_vk_surface_waited(dev, begin_ns, NULL);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    else if (dev->session)
        pp_retire_device(dev);
    return result;
}
