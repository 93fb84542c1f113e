/** @file
 * See surface.h; and the commands of swapchains. */
#include "layer/surface.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/clock.h"
#include "layer/frame.h"
#include "layer/object.h"
#include "vk_hooks.h"

/** Are frames a window's? Told otherwise (submit, finish, marker) they are the device's. */
static bool
by_window(const struct pp_vk_device *dev)
{
    enum pp_frame_on on = pp_session_config(dev->session)->frame_on;
    return on == PP_FRAME_ON_AUTO || on == PP_FRAME_ON_PRESENT;
}

static struct pp_vk_surface *
next_of(const struct pp_vk_surface *surface)
{
    return atomic_load_explicit(&surface->next, memory_order_acquire);
}

static void
take_turn(struct pp_vk_device *dev, struct pp_vk_surface *surface)
{
    atomic_store(&surface->turn, atomic_fetch_add(&dev->turns, 1) + 1);
}

struct pp_vk_surface *
pp_vk_surface_open(struct pp_vk_device *dev, VkSurfaceKHR handle)
{
    struct pp_vk_surface *found = by_window(dev) ? NULL : &dev->surface, *last = &dev->surface;
    pthread_mutex_lock(&dev->frame_lock);
    for (struct pp_vk_surface *s = &dev->surface; s != NULL && found == NULL; s = next_of(s)) {
        last = s;
        if (atomic_load(&s->swapchains) > 0 && atomic_load(&s->handle) == (uint64_t)handle)
            found = s;
    }
    for (struct pp_vk_surface *s = &dev->surface; s != NULL && found == NULL; s = next_of(s))
        if (atomic_load(&s->swapchains) == 0)
            found = s;
    if (found == NULL && (found = calloc(1, sizeof(*found))) != NULL)
        atomic_store_explicit(&last->next, found, memory_order_release);
    if (found == NULL)
        found = &dev->surface;
    atomic_store(&found->handle, (uint64_t)handle);
    atomic_fetch_add(&found->swapchains, 1);
    pthread_mutex_unlock(&dev->frame_lock);
    return found;
}

void
pp_vk_surface_close(struct pp_vk_surface *surface)
{
    if (atomic_fetch_sub(&surface->swapchains, 1) == 1)
        atomic_store(&surface->acquired, false);
}

/** May this thread be drawing to it? */
static bool
is_mine(const struct pp_vk_surface *surface)
{
    uintptr_t thread = atomic_load(&surface->acquirer);
    return thread == 0 || thread == (uintptr_t)pthread_self();
}

struct pp_vk_surface *
pp_vk_surface_current(struct pp_vk_device *dev)
{
    struct pp_vk_surface *best = &dev->surface;
    if (!pp_vk_surface_several(best))
        return best;
    bool best_mine = is_mine(best);
    for (struct pp_vk_surface *s = next_of(best); s != NULL; s = next_of(s)) {
        bool mine = is_mine(s);
        if (mine == best_mine ? atomic_load(&s->turn) > atomic_load(&best->turn) : mine) {
            best = s;
            best_mine = mine;
        }
    }
    return best;
}

/** Nothing tells which window comes next: the one that has waited longest. */
static struct pp_vk_surface *
oldest(struct pp_vk_device *dev)
{
    struct pp_vk_surface *found = NULL;
    for (struct pp_vk_surface *s = &dev->surface; s != NULL; s = next_of(s))
        if (atomic_load(&s->swapchains) > 0 &&
            (found == NULL || atomic_load(&s->turn) < atomic_load(&found->turn)))
            found = s;
    return found;
}

void
pp_vk_surface_presented(struct pp_vk_device *dev, struct pp_vk_surface *surface)
{
    struct pp_vk_surface *before = atomic_exchange(&dev->presented, surface), *next = NULL;
    atomic_store(&surface->acquired, false);
    if (before != NULL)
        atomic_store(&before->follower, surface);
    for (struct pp_vk_surface *s = &dev->surface; s != NULL; s = next_of(s))
        if (atomic_load(&s->acquired) && (next == NULL || atomic_load(&s->turn) > atomic_load(&next->turn)))
            next = s;
    if (next == NULL)
        next = atomic_load(&surface->follower);
    if (next == NULL)
        next = oldest(dev);
    take_turn(dev, next != NULL ? next : surface);
}

struct pp_vk_surface *
pp_vk_surface_of(struct pp_vk_device *dev, VkSwapchainKHR swapchain)
{
    const struct pp_vk_swapchain *record = pp_map_get(&dev->swapchain_objects, (uint64_t)swapchain);
    return record != NULL ? record->surface : &dev->surface;
}

struct pp_vk_surface *
pp_vk_surface_awaited(struct pp_vk_device *dev, VkSemaphore semaphore)
{
    if (pp_map_get(&dev->awaited, (uint64_t)semaphore) == NULL)
        return NULL;
    return pp_map_take(&dev->awaited, (uint64_t)semaphore);
}

void
pp_vk_surface_waited(struct pp_vk_device *dev, uint64_t since_ns, const struct pp_vk_surface *acquired)
{
    uint64_t length = pp_now_ns() - since_ns;
    for (struct pp_vk_surface *s = &dev->surface; s != NULL; s = next_of(s)) {
        uintptr_t thread = atomic_load_explicit(&s->presenter, memory_order_relaxed);
        if (thread == 0 || thread == (uintptr_t)pthread_self() || s == acquired)
            atomic_fetch_add_explicit(acquired != NULL ? &s->acquire_ns : &s->sync_ns, length,
                                      memory_order_relaxed);
    }
}

void
pp_vk_surfaces_finish(struct pp_vk_device *dev)
{
    struct pp_vk_surface *surface = atomic_exchange(&dev->surface.next, NULL);
    while (surface != NULL) {
        struct pp_vk_surface *next = next_of(surface);
        free(surface);
        surface = next;
    }
}

/* Swapchains */

static void
learn_swapchain(struct pp_vk_device *dev, const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR handle)
{
    struct pp_vk_swapchain *swapchain = dev->session == NULL ? NULL : calloc(1, sizeof(*swapchain));
    if (swapchain == NULL)
        return;
    atomic_fetch_add(&dev->swapchains, 1);
    swapchain->format = info->imageFormat;
    swapchain->extent = info->imageExtent;
    swapchain->surface = pp_vk_surface_open(dev, info->surface);
    pp_vk_object_put(dev, &dev->swapchain_objects, (uint64_t)handle, swapchain);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateSwapchainKHR(VkDevice device, const VkSwapchainCreateInfoKHR *pCreateInfo,
                           const VkAllocationCallbacks *pAllocator, VkSwapchainKHR *pSwapchain)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateSwapchainKHR(device, pCreateInfo, pAllocator, pSwapchain);
    if (result == VK_SUCCESS)
        learn_swapchain(dev, pCreateInfo, *pSwapchain);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateSharedSwapchainsKHR(VkDevice device, uint32_t swapchainCount,
                                  const VkSwapchainCreateInfoKHR *pCreateInfos,
                                  const VkAllocationCallbacks *pAllocator, VkSwapchainKHR *pSwapchains)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result =
        dev->next.CreateSharedSwapchainsKHR(device, swapchainCount, pCreateInfos, pAllocator, pSwapchains);
    for (uint32_t i = 0; i < swapchainCount && result == VK_SUCCESS; i++)
        learn_swapchain(dev, &pCreateInfos[i], pSwapchains[i]);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroySwapchainKHR(VkDevice device, VkSwapchainKHR swapchain,
                            const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct pp_vk_swapchain *record =
        swapchain == VK_NULL_HANDLE ? NULL : pp_map_take(&dev->swapchain_objects, (uint64_t)swapchain);
    if (record != NULL)
        pp_vk_surface_close(record->surface);
    free(record);
    dev->next.DestroySwapchainKHR(device, swapchain, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_GetSwapchainImagesKHR(VkDevice device, VkSwapchainKHR swapchain, uint32_t *pSwapchainImageCount,
                              VkImage *pSwapchainImages)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result =
        dev->next.GetSwapchainImagesKHR(device, swapchain, pSwapchainImageCount, pSwapchainImages);
    const struct pp_vk_swapchain *record = pp_map_get(&dev->swapchain_objects, (uint64_t)swapchain);
    if (result < 0 || pSwapchainImages == NULL || record == NULL)
        return result;
    for (uint32_t i = 0; i < *pSwapchainImageCount; i++) {
        const struct pp_vk_image *known = pp_map_get(&dev->images, (uint64_t)pSwapchainImages[i]);
        if (known != NULL && known->swapchain == swapchain)
            continue; /* asked for again: views point to it */
        struct pp_vk_image *image = calloc(1, sizeof(*image));
        if (image == NULL)
            break;
        image->serial = pp_vk_serial();
        image->format = record->format;
        image->extent = (VkExtent3D){record->extent.width, record->extent.height, 1};
        image->samples = 1;
        image->window = record->surface;
        image->swapchain = swapchain;
        pp_vk_object_put(dev, &dev->images, (uint64_t)pSwapchainImages[i], image);
    }
    return result;
}

/* Images to render to: also a wait of the program. */

static void
note_image(struct pp_vk_device *dev, VkSwapchainKHR swapchain, VkSemaphore semaphore, VkResult result,
           uint64_t begin_ns)
{
    if (result == VK_ERROR_DEVICE_LOST)
        pp_vk_device_lost(dev);
    if (dev->session == NULL)
        return;
    struct pp_vk_surface *surface = pp_vk_surface_of(dev, swapchain);
    pp_vk_surface_waited(dev, begin_ns, surface);
    if (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR)
        return;
    atomic_store(&surface->acquirer, (uintptr_t)pthread_self());
    atomic_store(&surface->acquired, true);
    take_turn(dev, surface);
    /* No room for it: its submission's images may tell, too. */
    if (semaphore != VK_NULL_HANDLE && pp_vk_surface_several(&dev->surface))
        (void)!pp_map_put(&dev->awaited, (uint64_t)semaphore, surface);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_AcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout,
                            VkSemaphore semaphore, VkFence fence, uint32_t *pImageIndex)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result =
        dev->next.AcquireNextImageKHR(device, swapchain, timeout, semaphore, fence, pImageIndex);
    note_image(dev, swapchain, semaphore, result, begin_ns);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_AcquireNextImage2KHR(VkDevice device, const VkAcquireNextImageInfoKHR *pAcquireInfo,
                             uint32_t *pImageIndex)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.AcquireNextImage2KHR(device, pAcquireInfo, pImageIndex);
    note_image(dev, pAcquireInfo->swapchain, pAcquireInfo->semaphore, result, begin_ns);
    return result;
}
