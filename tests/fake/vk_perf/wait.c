/** @file
 * Waits that do not depend on time. If the queue waits for a timeline value that has not been signalled, a
 * wait with a timeout ends at once. Any other wait lasts until the work is done. So tests of work that does
 * not end depend on no clock, and other tests depend on no time limit of a caller. */
#include <stdlib.h>
#include <string.h>

#include "tests/fake/vk_perf/fake_perf.h"

/** What queues wait for, latest first. */
struct awaited {
    struct awaited *next;
    VkQueue queue;
    VkSemaphore semaphore;
    uint64_t value;
};

static struct awaited *first;     /* guarded by fp_lock */
static struct fp_map fence_queue; /* the same */

static void
await(VkQueue queue, VkSemaphore semaphore, uint64_t value)
{
    struct awaited *awaited = value > 0 ? malloc(sizeof(*awaited)) : NULL;
    if (!awaited)
        return;
    *awaited = (struct awaited){first, queue, semaphore, value};
    first = awaited;
}

void
fp_note_waits(VkQueue queue, uint32_t count, const VkSubmitInfo *submits)
{
    for (uint32_t i = 0; i < count; i++) {
        const VkTimelineSemaphoreSubmitInfo *values = submits[i].pNext;
        while (values && values->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
            values = values->pNext;
        /* There may be more values than waits: the others are ignored. */
        for (uint32_t w = 0;
             values && w < values->waitSemaphoreValueCount && w < submits[i].waitSemaphoreCount; w++)
            await(queue, submits[i].pWaitSemaphores[w], values->pWaitSemaphoreValues[w]);
    }
}

void
fp_note_waits2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t w = 0; w < submits[i].waitSemaphoreInfoCount; w++)
            await(queue, submits[i].pWaitSemaphoreInfos[w].semaphore,
                  submits[i].pWaitSemaphoreInfos[w].value);
}

void
fp_note_fence(VkQueue queue, VkFence fence)
{
    if (fence == VK_NULL_HANDLE)
        return;
    fp_map_take(&fence_queue, (uint64_t)(uintptr_t)fence);
    fp_map_put(&fence_queue, (uint64_t)(uintptr_t)fence, queue);
}

/** Does a queue wait for a value that has not been signalled? Forgets values that have. */
static bool
is_stuck(const struct fp_device *dev, VkQueue queue)
{
    bool stuck = false;
    for (struct awaited **link = &first; *link;) {
        struct awaited *awaited = *link;
        uint64_t value = 0;
        if (awaited->queue == queue &&
            dev->next.GetSemaphoreCounterValue(dev->handle, awaited->semaphore, &value) == VK_SUCCESS &&
            value >= awaited->value) {
            *link = awaited->next;
            free(awaited);
            continue;
        }
        stuck = stuck || awaited->queue == queue;
        link = &awaited->next;
    }
    return stuck;
}

static VKAPI_ATTR VkResult VKAPI_CALL
wait_for_fences(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
    const struct fp_device *dev = fp_device_of(device);
    bool limited = timeout > 0 && timeout < UINT64_MAX / 2;
    pthread_mutex_lock(&fp_lock);
    for (uint32_t i = 0; limited && i < count && dev->next.GetSemaphoreCounterValue; i++) {
        VkQueue queue = fp_map_get(&fence_queue, (uint64_t)(uintptr_t)fences[i]);
        if (queue && is_stuck(dev, queue)) {
            pthread_mutex_unlock(&fp_lock);
            return VK_TIMEOUT;
        }
    }
    pthread_mutex_unlock(&fp_lock);
    return dev->next.WaitForFences(device, count, fences, all, limited ? UINT64_MAX : timeout);
}

static VKAPI_ATTR void VKAPI_CALL
destroy_semaphore(VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks *allocator)
{
    pthread_mutex_lock(&fp_lock);
    for (struct awaited **link = &first; *link;) {
        struct awaited *awaited = *link;
        if (awaited->semaphore == semaphore) {
            *link = awaited->next;
            free(awaited);
        } else {
            link = &awaited->next;
        }
    }
    pthread_mutex_unlock(&fp_lock);
    fp_device_of(device)->next.DestroySemaphore(device, semaphore, allocator);
}

/** A caller asks for the signalled value: a driver may lack memory for the answer. */
static VKAPI_ATTR VkResult VKAPI_CALL
keep_value(VkDevice device, VkSemaphore semaphore, uint64_t *value)
{
    (void)device;
    (void)semaphore;
    (void)value;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

PFN_vkVoidFunction
fp_find_wait(const char *name)
{
    if (fp_config.silent && strncmp(name, "vkGetSemaphoreCounterValue", 26) == 0)
        return (PFN_vkVoidFunction)keep_value;
    if (strcmp(name, "vkDestroySemaphore") == 0)
        return (PFN_vkVoidFunction)destroy_semaphore;
    return strcmp(name, "vkWaitForFences") == 0 ? (PFN_vkVoidFunction)wait_for_fences : NULL;
}
