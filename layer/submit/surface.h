/** @file
 * The series of frames of a device: one for each window that it presents to, one of its own before and
 * without. Says to which of them a submission belongs. See also frame.h (what ends a frame). */
#ifndef PP_LAYER_SUBMIT_SURFACE_H
#define PP_LAYER_SUBMIT_SURFACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "core/engine/session.h"

struct pp_vk_device;
struct pp_vk_queue;

/** A series of frames. A device's first one is part of it, and becomes its first window's. A window is its
 * VkSurfaceKHR: without a swapchain, between two sizes or minimised, it keeps its series; the record of one
 * that is gone serves the next new one, whose frames are a series of their own. */
struct pp_vk_surface {
    _Atomic(struct pp_vk_surface *) next;     /**< of the device's */
    _Atomic(uint32_t) swapchains;             /**< alive */
    _Atomic(struct pp_timeline *) timeline;   /**< made by the first submission; NULL before */
    _Atomic(bool) acquired;                   /**< an image of it is the application's */
    _Atomic(uint64_t) turn;                   /**< the highest is the one whose work is expected */
    _Atomic(uintptr_t) acquirer;              /**< thread that got its last image; 0: none yet */
    _Atomic(uintptr_t) presenter;             /**< thread that ended its last frame; 0: none yet */
    _Atomic(struct pp_vk_surface *) follower; /**< presented after it last time; NULL: unknown */
    /* guarded by the device's frame_lock */
    uint64_t handle; /**< VkSurfaceKHR; 0: no window so far, or none any more */
    bool closed;     /**< none any more */
    bool renewed;    /**< another window had it before */
    /* of the open frame */
    _Atomic(uint64_t) sync_ns;    /**< waits for fences, semaphores, idle */
    _Atomic(uint64_t) acquire_ns; /**< waits for an image */
};

/** Remember a swapchain's window. @return NULL: no memory, the device's own series. The swapchain's creation
 * is the caller's; any thread. */
struct pp_vk_surface *pp_vk_surface_open(struct pp_vk_device *dev, VkSurfaceKHR handle);

/** One of its swapchains is gone. */
void pp_vk_surface_close(struct pp_vk_surface *surface);

/** Where work belongs that no window's image tells: the window whose image this thread acquired last; after
 * its present, the one that followed it last time, else the one presented longest ago; none without a
 * swapchain while another has one. Any thread; a load if there is one window. */
struct pp_vk_surface *pp_vk_surface_current(struct pp_vk_device *dev);

/** An image was presented to it. */
void pp_vk_surface_presented(struct pp_vk_device *dev, struct pp_vk_surface *surface);

/** The series of a swapchain; the device's own for one that is unknown. */
struct pp_vk_surface *pp_vk_surface_of(struct pp_vk_device *dev, VkSwapchainKHR swapchain);

/** The window whose image's semaphore this is, once; NULL: none. */
struct pp_vk_surface *pp_vk_surface_awaited(struct pp_vk_device *dev, VkSemaphore semaphore);

/** Are there several? */
static inline bool
pp_vk_surface_several(const struct pp_vk_surface *first)
{
    return atomic_load_explicit(&first->next, memory_order_acquire) != NULL;
}

/** The thread waited for the GPU, or for an image of @p acquired (may be NULL): that counts in the frames
 * which it ends, and in those of that window. A loader thread's wait holds no frame up. */
void pp_vk_surface_waited(struct pp_vk_device *dev, uint64_t since_ns, const struct pp_vk_surface *acquired);

/** Free all but the device's first, and the swapchains that the application left. No reader may be left. */
void pp_vk_surfaces_finish(struct pp_vk_device *dev);

#endif
