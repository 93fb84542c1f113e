/** @file
 * See fence.h. */
#include "layer/readback/fence.h"

#include <stdlib.h>

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
