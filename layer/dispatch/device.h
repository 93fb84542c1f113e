/** @file
 * A table of drivers that do not do what their API promises. Each row names the driver and the versions, the
 * reason, and where it was measured. Delete a row when its driver is fixed.
 *
 * The life of queues: the layer knows a queue from the moment when the application gets it, until its device
 * is destroyed. */
#ifndef PP_LAYER_DISPATCH_DEVICE_H
#define PP_LAYER_DISPATCH_DEVICE_H

#include <stdbool.h>
#include <vulkan/vulkan_core.h>

#include "layer/base/device.h"

/** Find the reason why timestamps between the draws of a pass do not measure these draws on a device. @return
 * NULL: they do. */
const char *pp_vk_quirk_draw_times(const VkPhysicalDeviceProperties *props);

/** Does the driver crash if a statistics query begins after graphics constants were pushed and before a
 * graphics pipeline was bound? Seen: lavapipe of Mesa 22.3.6, with and without passprobe. */
bool pp_vk_quirk_needs_pipeline(const VkPhysicalDeviceProperties *props);

/** Does the driver delay a timestamp outside of render passes until the next scene that it draws, although it
 * runs dispatches and copies at once? Then a barrier must be between the two. Seen: lavapipe of Mesa
 * 22.3.6, where a dispatch of 2 ms was measured as 20 us and the pass before it as 2 ms more. */
bool pp_vk_quirk_deferred_times(const VkPhysicalDeviceProperties *props);

/** Does vkGetQueryPoolResults wait for everything that was submitted, with and without
 * VK_QUERY_RESULT_WAIT_BIT? Then the application hangs if its next call would have ended that wait. Seen:
 * lavapipe of Mesa 22.3.6. */
bool pp_vk_quirk_results_wait(const VkPhysicalDeviceProperties *props);

/** Does the driver do work on the GPU in barriers that change the layout of an image? Such work resolves or
 * decompresses images, or clears their metadata. Known of the drivers of Intel's and AMD's GPUs.
 * @param driver 0: not known, as in applications of Vulkan 1.0. */
bool pp_vk_quirk_barrier_work(const VkPhysicalDeviceProperties *props, VkDriverId driver);

/** Does the driver chain a command buffer wrongly to one for simultaneous use before it in a submission, so
 * that it never runs? Buffers for simultaneous use are not chained. Seen: ANV and hasvk of Mesa 22.3.6,
 * not 25.0.7; without passprobe, too.
 * @param driver As in pp_vk_quirk_barrier_work(). */
bool pp_vk_quirk_chains_simultaneous(const VkPhysicalDeviceProperties *props, VkDriverId driver);

/** Take back all results of a device's queues, and destroy the queues. The device is idle. */
void pp_vk_queue_destroy_all(struct pp_vk_device *dev);

#endif
