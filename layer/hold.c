/** @file
 * What may keep a submission from ending until the host says so: a value of a timeline semaphore, an event, a
 * semaphore from elsewhere. Where vkGetQueryPoolResults waits for all that was submitted, a program that has
 * one would wait in it for what it does next: so from then on the GPU copies results, and what the host was
 * to read is read before the program has what could hold it. */
#include "layer/slot.h"
#include "vk_hooks.h"

static void
may_be_held(struct pp_vk_device *dev)
{
    if (!dev->results_wait || dev->session == NULL ||
        atomic_load_explicit(&dev->may_be_held, memory_order_acquire))
        return;
    pthread_mutex_lock(&dev->hold_lock);
    if (!atomic_exchange(&dev->copies_results, true))
        for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue != NULL; queue = queue->next)
            pp_slot_read_pending(queue);
    atomic_store_explicit(&dev->may_be_held, true, memory_order_release);
    pthread_mutex_unlock(&dev->hold_lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *pCreateInfo,
                        const VkAllocationCallbacks *pAllocator, VkSemaphore *pSemaphore)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    const VkSemaphoreTypeCreateInfo *type =
        pp_vk_find(pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    if (type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
        may_be_held(dev);
    return dev->next.CreateSemaphore(device, pCreateInfo, pAllocator, pSemaphore);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateEvent(VkDevice device, const VkEventCreateInfo *pCreateInfo,
                    const VkAllocationCallbacks *pAllocator, VkEvent *pEvent)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (!(pCreateInfo->flags & VK_EVENT_CREATE_DEVICE_ONLY_BIT))
        may_be_held(dev);
    return dev->next.CreateEvent(device, pCreateInfo, pAllocator, pEvent);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_ImportSemaphoreFdKHR(VkDevice device, const VkImportSemaphoreFdInfoKHR *pImportSemaphoreFdInfo)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    may_be_held(dev);
    return dev->next.ImportSemaphoreFdKHR(device, pImportSemaphoreFdInfo);
}
