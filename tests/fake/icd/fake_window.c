/** @file
 * The fake driver's swapchains have three images, which are acquired one after another; a present completes
 * all earlier submissions of its queue. Only an acquired image may be presented. */
#include <stdlib.h>
#include <string.h>

#include "tests/fake/icd/fake.h"

enum { IMAGES = 3 };

struct fake_swapchain {
    struct fake_swapchain *free; /**< handles that may be used again, with FAKE_VK=reuse */
    uint64_t image[IMAGES];
    bool acquired[IMAGES];
    uint32_t next;
    uint64_t id; /**< of the last present */
};

static struct fake_swapchain *unused; /**< under fake_lock */

static struct fake_swapchain *
of(VkSwapchainKHR handle)
{
    return (struct fake_swapchain *)(uintptr_t)handle;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice physicalDevice, uint32_t queueFamilyIndex,
                                        VkSurfaceKHR surface, VkBool32 *pSupported)
{
    (void)physicalDevice;
    (void)surface;
    *pSupported = queueFamilyIndex == 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateSwapchainKHR(VkDevice device, const VkSwapchainCreateInfoKHR *pCreateInfo,
                        const VkAllocationCallbacks *pAllocator, VkSwapchainKHR *pSwapchain)
{
    (void)device;
    (void)pCreateInfo;
    (void)pAllocator;
    pthread_mutex_lock(&fake_lock);
    struct fake_swapchain *swapchain = unused;
    if (swapchain)
        unused = swapchain->free;
    else
        swapchain = malloc(sizeof(*swapchain));
    pthread_mutex_unlock(&fake_lock);
    memset(swapchain, 0, sizeof(*swapchain));
    for (unsigned i = 0; i < IMAGES; i++)
        swapchain->image[i] = fake_handle();
    *pSwapchain = (VkSwapchainKHR)(uintptr_t)swapchain;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateSharedSwapchainsKHR(VkDevice device, uint32_t swapchainCount,
                               const VkSwapchainCreateInfoKHR *pCreateInfos,
                               const VkAllocationCallbacks *pAllocator, VkSwapchainKHR *pSwapchains)
{
    for (uint32_t i = 0; i < swapchainCount; i++)
        fake_CreateSwapchainKHR(device, &pCreateInfos[i], pAllocator, &pSwapchains[i]);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_DestroySwapchainKHR(VkDevice device, VkSwapchainKHR swapchain, const VkAllocationCallbacks *pAllocator)
{
    (void)device;
    (void)pAllocator;
    if (swapchain == VK_NULL_HANDLE)
        return;
    /* In reverse order: the next swapchain's images get the same handles in the same order. */
    for (unsigned i = IMAGES; i-- > 0;)
        fake_handle_free(of(swapchain)->image[i]);
    if (!fake_config.reuse) {
        free(of(swapchain));
        return;
    }
    pthread_mutex_lock(&fake_lock);
    of(swapchain)->free = unused;
    unused = of(swapchain);
    pthread_mutex_unlock(&fake_lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_GetSwapchainImagesKHR(VkDevice device, VkSwapchainKHR swapchain, uint32_t *pSwapchainImageCount,
                           VkImage *pSwapchainImages)
{
    (void)device;
    for (uint32_t i = 0; pSwapchainImages && i < *pSwapchainImageCount && i < IMAGES; i++)
        pSwapchainImages[i] = (VkImage)of(swapchain)->image[i];
    if (!pSwapchainImages || *pSwapchainImageCount > IMAGES)
        *pSwapchainImageCount = IMAGES;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_AcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout, VkSemaphore semaphore,
                         VkFence fence, uint32_t *pImageIndex)
{
    (void)device;
    (void)timeout;
    (void)semaphore;
    pthread_mutex_lock(&fake_lock);
    *pImageIndex = of(swapchain)->next++ % IMAGES;
    of(swapchain)->acquired[*pImageIndex] = true;
    if (fence != VK_NULL_HANDLE)
        ((struct fake_fence *)(uintptr_t)fence)->signalled = true;
    pthread_mutex_unlock(&fake_lock);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_AcquireNextImage2KHR(VkDevice device, const VkAcquireNextImageInfoKHR *pAcquireInfo,
                          uint32_t *pImageIndex)
{
    return fake_AcquireNextImageKHR(device, pAcquireInfo->swapchain, pAcquireInfo->timeout,
                                    pAcquireInfo->semaphore, pAcquireInfo->fence, pImageIndex);
}

static void
note_ids(const VkPresentInfoKHR *info, const VkPresentIdKHR *ids)
{
    for (uint32_t i = 0; i < ids->swapchainCount; i++)
        of(info->pSwapchains[i])->id = ids->pPresentIds[i];
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_WaitForPresentKHR(VkDevice device, VkSwapchainKHR swapchain, uint64_t presentId, uint64_t timeout)
{
    (void)device;
    (void)timeout;
    pthread_mutex_lock(&fake_lock);
    VkResult result = of(swapchain)->id >= presentId ? VK_SUCCESS : VK_TIMEOUT;
    pthread_mutex_unlock(&fake_lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *pPresentInfo)
{
    pthread_mutex_lock(&fake_lock);
    for (uint32_t i = 0; i < pPresentInfo->swapchainCount; i++) {
        bool *acquired = &of(pPresentInfo->pSwapchains[i])->acquired[pPresentInfo->pImageIndices[i]];
        if (!*acquired)
            fake_violation("an image is presented that was not acquired");
        *acquired = false;
    }
    for (const VkBaseInStructure *s = pPresentInfo->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PRESENT_ID_KHR)
            note_ids(pPresentInfo, (const VkPresentIdKHR *)(const void *)s);
    VkResult result = fake_the_device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
    if (result == VK_SUCCESS)
        fake_complete((struct fake_queue *)(void *)queue, NULL);
    pthread_mutex_unlock(&fake_lock);
    return result;
}
