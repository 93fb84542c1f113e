/** @file
 * See queue.h, and the hooks that give queues to the application. */
#include "layer/dispatch/queue.h"

#include <stdio.h>

#include "layer/dispatch/spare.h"
#include "layer/measure/perf_device.h"
#include "layer/readback/readback.h"
#include "layer/readback/retire.h"
#include "layer/submit/reset_only.h"
#include "layer/submit/rewrite.h"
#include "vk_hooks.h"

/* Name a queue by what its family can do and by its index: "graphics 0", "compute 1", "transfer 0". */
static void
name_queue(struct pp_vk_queue *queue, uint32_t index)
{
    VkQueueFlags flags = queue->dev->gpu.family[queue->family].flags;
    char text[48];
    const char *kind = flags & VK_QUEUE_GRAPHICS_BIT   ? "graphics"
                       : flags & VK_QUEUE_COMPUTE_BIT  ? "compute"
                       : flags & VK_QUEUE_TRANSFER_BIT ? "transfer"
                                                       : "other";
    snprintf(text, sizeof(text), queue->family == 0 ? "%s %u" : "%s %u.%u", kind,
             queue->family == 0 ? index : queue->family, index);
    queue->name = pp_session_string(queue->dev->session, text);
}

static void
finish_queue(struct pp_vk_queue *queue)
{
    pp_retire_all(queue);
    pp_readback_destroy_all(queue);
    pp_rewrite_finish(queue->rewrite);
    pp_reset_only_finish(queue);
}

void
pp_vk_queue_destroy_all(struct pp_vk_device *dev)
{
    struct pp_vk_queue *queue = atomic_exchange(&dev->queues, NULL);
    while (queue) {
        struct pp_vk_queue *next = queue->next;
        pp_map_take(&pp_vk_root.queues, (uint64_t)(uintptr_t)queue->handle);
        finish_queue(queue);
        pthread_mutex_destroy(&queue->lock);
        pp_vk_queue_free(queue);
        queue = next;
    }
}

/* Note a queue that the application gets, once. */
static void
learn_queue(struct pp_vk_device *dev, VkQueue handle, uint32_t family, uint32_t index)
{
    if (!dev->session || !handle || family >= dev->gpu.families || pp_vk_queue_of(handle))
        return;
    bool spare;
    struct pp_vk_queue *queue = pp_vk_queue_new(&spare);
    if (spare)
        pp_vk_device_fail(dev);
    if (!queue)
        return;
    queue->dev = dev;
    queue->handle = handle;
    queue->family = family;
    queue->inject = dev->gpu.family[family].inject;
    pthread_mutex_init(&queue->lock, NULL);
    name_queue(queue, index);
    pp_perf_queue(queue);
    if (pp_map_put(&pp_vk_root.queues, (uint64_t)(uintptr_t)handle, queue) != 0) {
        pthread_mutex_destroy(&queue->lock);
        pp_vk_queue_free(queue);
        pp_vk_device_fail(dev);
        return;
    }
    queue->next = atomic_load(&dev->queues);
    while (!atomic_compare_exchange_weak(&dev->queues, &queue->next, queue)) {
    }
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_GetDeviceQueue(VkDevice device, uint32_t queueFamilyIndex, uint32_t queueIndex, VkQueue *pQueue)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    dev->next.GetDeviceQueue(device, queueFamilyIndex, queueIndex, pQueue);
    learn_queue(dev, *pQueue, queueFamilyIndex, queueIndex);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *pQueueInfo, VkQueue *pQueue)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    dev->next.GetDeviceQueue2(device, pQueueInfo, pQueue);
    learn_queue(dev, *pQueue, pQueueInfo->queueFamilyIndex, pQueueInfo->queueIndex);
}
