/** @file
 * Series of frames (surface.h), and the commands of swapchains. */
#include "layer/frame/surface.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/engine/clock.h"
#include "layer/objects/object.h"
#include "layer/readback/retire.h"
#include "vk_hooks.h"

/* Do frames belong to windows? With --frame-on submit, finish or marker they belong to the device. */
static bool
frames_belong_to_windows(const struct pp_vk_device *dev)
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
move_to_front(struct pp_vk_device *dev, struct pp_vk_surface *surface)
{
    atomic_store(&surface->order, atomic_fetch_add(&dev->frames.orders, 1) + 1);
}

/* Prepare the series for another window; its open frame belongs to no window. With dev->frames.lock. */
static void
reset_locked(struct pp_vk_device *dev, struct pp_vk_surface *surface)
{
    struct pp_vk_surface *last = surface;
    surface->closed = false;
    surface->renewed = true;
    pp_timeline_destroy(atomic_exchange(&surface->timeline, NULL));
    atomic_store(&surface->order, 0);
    atomic_store(&surface->acquirer, 0);
    atomic_store(&surface->presenter, 0);
    atomic_store(&surface->follower, NULL);
    atomic_store(&surface->sync_ns, 0);
    atomic_store(&surface->acquire_ns, 0);
    atomic_compare_exchange_strong(&dev->frames.presented, &last, NULL);
}

/* Find the series of a window. If it has none, take a series without a window: the device's own before its
 * first window, or that of a closed window; else make a new one. With dev->frames.lock. @return NULL: no
 * memory. */
static struct pp_vk_surface *
find_series_locked(struct pp_vk_device *dev, uint64_t handle)
{
    struct pp_vk_surface *none = NULL, *last = NULL;
    for (struct pp_vk_surface *s = &dev->frames.surface; s; s = next_of(s)) {
        last = s;
        if (s->handle == handle)
            return s;
        if (s->handle == 0 && !none)
            none = s;
    }
    if (none && none->closed)
        reset_locked(dev, none);
    if (!none && (none = calloc(1, sizeof(*none))))
        atomic_store_explicit(&last->next, none, memory_order_release);
    if (none)
        none->handle = handle;
    return none;
}

struct pp_vk_surface *
pp_vk_surface_open(struct pp_vk_device *dev, VkSurfaceKHR handle)
{
    pthread_mutex_lock(&dev->frames.lock);
    struct pp_vk_surface *found =
        frames_belong_to_windows(dev) ? find_series_locked(dev, (uint64_t)handle) : NULL;
    if (!found)
        found = &dev->frames.surface;
    atomic_fetch_add(&found->swapchains, 1);
    pthread_mutex_unlock(&dev->frames.lock);
    return found;
}

void
pp_vk_surface_close(struct pp_vk_surface *surface)
{
    if (atomic_fetch_sub(&surface->swapchains, 1) == 1)
        atomic_store(&surface->acquired, false);
}

/* A window that is being destroyed. */
struct gone {
    VkInstance instance;
    VkSurfaceKHR handle;
};

/* Free a window's series, if the device has one, for the next window. */
static void
forget_window(void *value, void *user)
{
    struct pp_vk_device *dev = value;
    const struct gone *gone = user;
    if (dev->owner != gone->instance)
        return;
    pthread_mutex_lock(&dev->frames.lock);
    for (struct pp_vk_surface *s = &dev->frames.surface; s; s = next_of(s))
        if (s->handle == (uint64_t)gone->handle) {
            s->handle = 0;
            s->closed = true;
        }
    pthread_mutex_unlock(&dev->frames.lock);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroySurfaceKHR(VkInstance instance, VkSurfaceKHR surface, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_instance *inst = pp_vk_instance_of(instance);
    struct gone gone = {instance, surface};
    /* Forget the window first: the driver may use its handle again as soon as it is destroyed. */
    if (surface != VK_NULL_HANDLE)
        pp_map_each(&pp_vk_root.devices, forget_window, &gone);
    inst->next.DestroySurfaceKHR(instance, surface, pAllocator);
}

/* May this thread draw to the window? */
static bool
may_be_drawn_by_this_thread(const struct pp_vk_surface *surface)
{
    uintptr_t thread = atomic_load(&surface->acquirer);
    return thread == 0 || thread == (uintptr_t)pthread_self();
}

static bool
is_open(const struct pp_vk_surface *surface)
{
    return atomic_load(&surface->swapchains) > 0;
}

/* Does work more likely belong to @p s than to @p other? */
static bool
is_likelier(const struct pp_vk_surface *s, const struct pp_vk_surface *other)
{
    if (is_open(s) != is_open(other))
        return is_open(s);
    if (may_be_drawn_by_this_thread(s) != may_be_drawn_by_this_thread(other))
        return may_be_drawn_by_this_thread(s);
    return atomic_load(&s->order) > atomic_load(&other->order);
}

struct pp_vk_surface *
pp_vk_surface_current(struct pp_vk_device *dev)
{
    struct pp_vk_surface *best = &dev->frames.surface;
    for (struct pp_vk_surface *s = next_of(best); s; s = next_of(s))
        if (is_likelier(s, best))
            best = s;
    return best;
}

/* No hint which window is next: take the one that waited longest. */
static struct pp_vk_surface *
find_waiting_longest(struct pp_vk_device *dev)
{
    struct pp_vk_surface *found = NULL;
    for (struct pp_vk_surface *s = &dev->frames.surface; s; s = next_of(s))
        if (is_open(s) && (!found || atomic_load(&s->order) < atomic_load(&found->order)))
            found = s;
    return found;
}

void
pp_vk_surface_presented(struct pp_vk_device *dev, struct pp_vk_surface *surface)
{
    struct pp_vk_surface *before = atomic_exchange(&dev->frames.presented, surface), *next = NULL;
    atomic_store(&surface->acquired, false);
    if (before)
        atomic_store(&before->follower, surface);
    for (struct pp_vk_surface *s = &dev->frames.surface; s; s = next_of(s))
        if (atomic_load(&s->acquired) && (!next || atomic_load(&s->order) > atomic_load(&next->order)))
            next = s;
    if (!next)
        next = atomic_load(&surface->follower);
    if (!next || !is_open(next))
        next = find_waiting_longest(dev);
    move_to_front(dev, next ? next : surface);
}

struct pp_vk_surface *
pp_vk_surface_of(struct pp_vk_device *dev, VkSwapchainKHR swapchain)
{
    const struct pp_vk_swapchain *record = pp_map_get(&dev->objects.swapchains, (uint64_t)swapchain);
    return record ? record->surface : &dev->frames.surface;
}

struct pp_vk_surface *
pp_vk_surface_awaited(struct pp_vk_device *dev, VkSemaphore semaphore)
{
    if (!pp_map_get(&dev->objects.awaited, (uint64_t)semaphore))
        return NULL;
    struct pp_vk_surface *surface = pp_map_take(&dev->objects.awaited, (uint64_t)semaphore);
    /* Otherwise the semaphore was destroyed without a wait, and its handle was reused. */
    return surface && is_open(surface) ? surface : NULL;
}

uint64_t
pp_vk_surface_waited(struct pp_vk_device *dev, uint64_t since_ns, const struct pp_vk_surface *acquired)
{
    const uint64_t end_ns = pp_now_ns(), length = end_ns - since_ns;
    for (struct pp_vk_surface *s = &dev->frames.surface; s; s = next_of(s)) {
        uintptr_t thread = atomic_load_explicit(&s->presenter, memory_order_relaxed);
        if (thread == 0 || thread == (uintptr_t)pthread_self() || s == acquired)
            atomic_fetch_add_explicit(acquired ? &s->acquire_ns : &s->sync_ns, length, memory_order_relaxed);
    }
    pp_look_clear(&dev->frames.look);
    return end_ns;
}

static void
free_swapchain(void *value, void *user)
{
    struct pp_vk_swapchain *swapchain = value;
    (void)user;
    free(swapchain->image);
    free(swapchain);
}

void
pp_vk_surfaces_finish(struct pp_vk_device *dev)
{
    pp_map_each(&dev->objects.swapchains, free_swapchain, NULL);
    pp_map_finish(&dev->objects.swapchains);
    struct pp_vk_surface *surface = atomic_exchange(&dev->frames.surface.next, NULL);
    while (surface) {
        struct pp_vk_surface *next = next_of(surface);
        free(surface);
        surface = next;
    }
}

/* Swapchains */

static void
learn_swapchain(struct pp_vk_device *dev, const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR handle)
{
    struct pp_vk_swapchain *swapchain = !dev->session ? NULL : calloc(1, sizeof(*swapchain));
    if (!swapchain)
        return;
    atomic_fetch_add(&dev->frames.swapchains, 1);
    swapchain->serial = pp_vk_serial();
    swapchain->format = info->imageFormat;
    swapchain->extent = info->imageExtent;
    swapchain->surface = pp_vk_surface_open(dev, info->surface);
    pp_vk_object_put(dev, &dev->objects.swapchains, (uint64_t)handle, swapchain);
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

/* Forget a swapchain and its images, whose handles are used again. */
static void
forget_swapchain(struct pp_vk_device *dev, struct pp_vk_swapchain *swapchain)
{
    for (uint32_t i = 0; i < swapchain->images; i++) {
        const struct pp_vk_image *image = pp_map_get(&dev->objects.images, (uint64_t)swapchain->image[i]);
        if (image && image->swapchain == swapchain->serial) /* else the handle was reused */
            free(pp_map_take(&dev->objects.images, (uint64_t)swapchain->image[i]));
    }
    pp_vk_surface_close(swapchain->surface);
    free_swapchain(swapchain, NULL);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroySwapchainKHR(VkDevice device, VkSwapchainKHR swapchain,
                            const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct pp_vk_swapchain *record =
        swapchain == VK_NULL_HANDLE ? NULL : pp_map_take(&dev->objects.swapchains, (uint64_t)swapchain);
    if (record)
        forget_swapchain(dev, record);
    dev->next.DestroySwapchainKHR(device, swapchain, pAllocator);
}

/* Make memory for one more image's handle. With dev->frames.lock. */
static bool
reserve_image_locked(struct pp_vk_swapchain *swapchain)
{
    void *more = realloc(swapchain->image, (swapchain->images + 1) * sizeof(*swapchain->image));
    if (more)
        swapchain->image = more;
    return more != NULL;
}

/* Remember an image of a swapchain. With dev->frames.lock: two threads may ask for the images at once. */
static void
learn_image_locked(struct pp_vk_device *dev, struct pp_vk_swapchain *swapchain, VkImage handle)
{
    const struct pp_vk_image *known = pp_map_get(&dev->objects.images, (uint64_t)handle);
    if (known && known->swapchain == swapchain->serial)
        return; /* asked for again: views point to it */
    struct pp_vk_image *image = calloc(1, sizeof(*image));
    if (!image || !reserve_image_locked(swapchain)) {
        free(image);
        return;
    }
    image->serial = pp_vk_serial();
    image->format = swapchain->format;
    image->extent = (VkExtent3D){swapchain->extent.width, swapchain->extent.height, 1};
    image->samples = 1;
    image->window = swapchain->surface;
    image->swapchain = swapchain->serial;
    swapchain->image[swapchain->images++] = handle;
    pp_vk_object_put(dev, &dev->objects.images, (uint64_t)handle, image);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_GetSwapchainImagesKHR(VkDevice device, VkSwapchainKHR swapchain, uint32_t *pSwapchainImageCount,
                              VkImage *pSwapchainImages)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result =
        dev->next.GetSwapchainImagesKHR(device, swapchain, pSwapchainImageCount, pSwapchainImages);
    struct pp_vk_swapchain *record = pp_map_get(&dev->objects.swapchains, (uint64_t)swapchain);
    if (result < 0 || !pSwapchainImages || !record)
        return result;
    pthread_mutex_lock(&dev->frames.lock);
    for (uint32_t i = 0; i < *pSwapchainImageCount; i++)
        learn_image_locked(dev, record, pSwapchainImages[i]);
    pthread_mutex_unlock(&dev->frames.lock);
    return result;
}

/* Acquiring an image: also a wait of the application. */

static void
note_image(struct pp_vk_device *dev, VkSwapchainKHR swapchain, VkSemaphore semaphore, VkResult result,
           uint64_t begin_ns)
{
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    if (!dev->session)
        return;
    struct pp_vk_surface *surface = pp_vk_surface_of(dev, swapchain);
    pp_vk_surface_waited(dev, begin_ns, surface);
    if (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR)
        return;
    atomic_store(&surface->acquirer, (uintptr_t)pthread_self());
    atomic_store(&surface->acquired, true);
    move_to_front(dev, surface);
    /* If there is no memory, the images of the submission may still identify the window. */
    if (semaphore != VK_NULL_HANDLE && pp_vk_surface_several(&dev->frames.surface))
        (void)!pp_map_put(&dev->objects.awaited, (uint64_t)semaphore, surface);
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
