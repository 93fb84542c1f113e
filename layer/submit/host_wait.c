/** @file
 * Objects that may keep a submission from ending until the CPU acts: values of timeline semaphores, events,
 * imported semaphores. On some drivers vkGetQueryPoolResults waits for everything that was submitted. If
 * such an object exists there, vkGetQueryPoolResults could wait for what the application does next. So the
 * CPU reads the results that are pending at that moment, and from then on the GPU copies results. With
 * --serialize the counters would count the copies, so the CPU still reads, but only while nothing else runs
 * (retire.c). */
#include "layer/submit/submit.h"

#include "layer/base/chain.h"
#include "layer/readback/readback.h"
#include "vk_hooks.h"

/* Value of each entry in pp_vk_host_wait.timelines: pp_map stores no NULL. */
#define TIMELINE ((void *)1)

static void
expect_host_wait(struct pp_vk_device *dev)
{
    if (!dev->quirk.results_wait || !dev->session ||
        atomic_load_explicit(&dev->host_wait.expected, memory_order_acquire))
        return;
    pthread_mutex_lock(&dev->host_wait.lock);
    atomic_store(&dev->host_wait.copies_results, true);
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue; queue = queue->next)
        pp_readback_read_pending(queue);
    atomic_store_explicit(&dev->host_wait.expected, true, memory_order_release);
    pthread_mutex_unlock(&dev->host_wait.lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *pCreateInfo,
                        const VkAllocationCallbacks *pAllocator, VkSemaphore *pSemaphore)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    const VkSemaphoreTypeCreateInfo *type =
        pp_vk_find(pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    bool timeline = type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
    if (timeline)
        expect_host_wait(dev);
    VkResult result = dev->next.CreateSemaphore(device, pCreateInfo, pAllocator, pSemaphore);
    if (result == VK_SUCCESS && timeline && dev->measured.serialize &&
        pp_map_put(&dev->host_wait.timelines, (uint64_t)*pSemaphore, TIMELINE) != 0)
        pp_vk_device_fail(dev);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroySemaphore(VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (dev->measured.serialize && semaphore != VK_NULL_HANDLE)
        (void)pp_map_take(&dev->host_wait.timelines, (uint64_t)semaphore);
    dev->next.DestroySemaphore(device, semaphore, pAllocator);
}

/* A semaphore that a batch waits for or signals, and its value. */
struct point {
    VkSemaphore semaphore;
    uint64_t value;
};

static uint32_t
count_points(const struct pp_submit_call *call, uint32_t b, bool waits)
{
    if (call->submits2)
        return waits ? call->submits2[b].waitSemaphoreInfoCount : call->submits2[b].signalSemaphoreInfoCount;
    return waits ? call->submits[b].waitSemaphoreCount : call->submits[b].signalSemaphoreCount;
}

static struct point
find_point(const struct pp_submit_call *call, uint32_t b, bool waits, uint32_t i)
{
    if (call->submits2) {
        const VkSemaphoreSubmitInfo *info =
            waits ? &call->submits2[b].pWaitSemaphoreInfos[i] : &call->submits2[b].pSignalSemaphoreInfos[i];
        return (struct point){info->semaphore, info->value};
    }
    const VkSubmitInfo *info = &call->submits[b];
    const VkTimelineSemaphoreSubmitInfo *values =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    struct point point = {waits ? info->pWaitSemaphores[i] : info->pSignalSemaphores[i], 0};
    /* Where all semaphores are binary, the arrays may be NULL although they have a count. */
    const uint64_t *value = !values ? NULL
                            : waits ? values->pWaitSemaphoreValues
                                    : values->pSignalSemaphoreValues;
    if (value && i < (waits ? values->waitSemaphoreValueCount : values->signalSemaphoreValueCount))
        point.value = value[i];
    return point;
}

/* Does one of the first @p batches of the call signal this point? */
static bool
is_signalled_by_call(const struct pp_submit_call *call, uint32_t batches, const struct point *wait)
{
    for (uint32_t b = 0; b < batches; b++)
        for (uint32_t i = 0; i < count_points(call, b, false); i++) {
            struct point signal = find_point(call, b, false, i);
            if (signal.semaphore == wait->semaphore && signal.value >= wait->value)
                return true;
        }
    return false;
}

static bool
is_reached(struct pp_vk_device *dev, const struct point *wait)
{
    uint64_t value;
    return !pp_map_get(&dev->host_wait.timelines, (uint64_t)wait->semaphore) ||
           !dev->next.GetSemaphoreCounterValue ||
           dev->next.GetSemaphoreCounterValue(dev->handle, wait->semaphore, &value) != VK_SUCCESS ||
           value >= wait->value;
}

bool
pp_host_wait_needed(struct pp_vk_device *dev, const struct pp_submit_call *call)
{
    for (uint32_t b = 0; b < call->count; b++)
        for (uint32_t i = 0; i < count_points(call, b, true); i++) {
            struct point wait = find_point(call, b, true, i);
            if (!is_reached(dev, &wait) && !is_signalled_by_call(call, b, &wait))
                return true;
        }
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateEvent(VkDevice device, const VkEventCreateInfo *pCreateInfo,
                    const VkAllocationCallbacks *pAllocator, VkEvent *pEvent)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (!(pCreateInfo->flags & VK_EVENT_CREATE_DEVICE_ONLY_BIT))
        expect_host_wait(dev);
    return dev->next.CreateEvent(device, pCreateInfo, pAllocator, pEvent);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_ImportSemaphoreFdKHR(VkDevice device, const VkImportSemaphoreFdInfoKHR *pImportSemaphoreFdInfo)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    expect_host_wait(dev);
    return dev->next.ImportSemaphoreFdKHR(device, pImportSemaphoreFdInfo);
}
