/** @file
 * The series of frames of a device: one for each window that it presents to, and one for the time before
 * and without windows. Decides to which series a submission belongs. See also frame.h (what ends a frame). */
#ifndef PP_LAYER_FRAME_SURFACE_H
#define PP_LAYER_FRAME_SURFACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "core/session/session.h"
#include "layer/base/device.h"

struct pp_vk_device;
struct pp_vk_queue;

/**
 * Remember a swapchain's window. The caller is creating the swapchain; any thread.
 *
 * @return NULL: no memory; use the device's own series.
 */
struct pp_vk_surface *pp_vk_surface_open(struct pp_vk_device *dev, VkSurfaceKHR handle);

/** Note that one of a window's swapchains was destroyed. */
void pp_vk_surface_close(struct pp_vk_surface *surface);

/** The series for work that no window's image identifies: the window whose image this thread acquired last.
 * After its present: the window that followed it last time, else the one presented longest ago. A window
 * without a swapchain is not chosen while another one has one. Any thread; costs one load if there is one
 * window. */
struct pp_vk_surface *pp_vk_surface_current(struct pp_vk_device *dev);

/** Note that an image was presented to a window. */
void pp_vk_surface_presented(struct pp_vk_device *dev, struct pp_vk_surface *surface);

/** The series of a swapchain; the device's own for one that is unknown. */
struct pp_vk_surface *pp_vk_surface_of(struct pp_vk_device *dev, VkSwapchainKHR swapchain);

/** Find the window whose acquired image has this semaphore; works once for each acquire. NULL: none. */
struct pp_vk_surface *pp_vk_surface_awaited(struct pp_vk_device *dev, VkSemaphore semaphore);

/** Has the device several series? */
static inline bool
pp_vk_surface_several(const struct pp_vk_surface *first)
{
    return atomic_load_explicit(&first->next, memory_order_acquire) != NULL;
}

/** Note that the thread waited for the GPU, or for an image of @p acquired (may be NULL). The wait counts
 * in the frames that this thread ends, and in those of that window. A wait of a loading thread delays no
 * frame. @return When the wait ended: now. */
uint64_t pp_vk_surface_waited(struct pp_vk_device *dev, uint64_t since_ns,
                              const struct pp_vk_surface *acquired);

/** Free all series except the device's first, and the swapchains that the application did not destroy. No
 * other thread may still read them. */
void pp_vk_surfaces_finish(struct pp_vk_device *dev);

#endif
