/** @file
 * Ends of frames, and the CPU's times in them. A present ends a frame. On devices that never present, a frame
 * marker ends it, else a submission with actions. See also core's timelines.
 *
 * Markers are VK_EXT_frame_boundary in a submission, VK_ANDROID_frame_boundary, and a label in a command
 * buffer. They count with --frame-on=marker, and without the option while there is no swapchain.
 *
 * Samples of the GPU's clock are taken here, from which core maps ticks to nanoseconds.
 * ../readback/readback.h measures the empty brackets. */
#ifndef PP_LAYER_FRAME_FRAME_H
#define PP_LAYER_FRAME_FRAME_H

#include "layer/base/cmdbuf.h"
#include "layer/base/device.h"

/** Read the CPU and the GPU clock at the same time, where the device can; at most every 100 ms. */
void pp_vk_sample_clock(struct pp_vk_device *dev);

/** Note that a submission was accepted. @p begin_ns, @p end_ns: CLOCK_MONOTONIC before and after the
 * application's call. */
void pp_vk_frame_submitted(struct pp_vk_queue *queue, bool has_actions, uint64_t begin_ns, uint64_t end_ns);

/** End the open frame if the application called pp_annotate_frame() since the last call of this function.
 * Only for devices with a session. */
void pp_vk_frame_marked(struct pp_vk_device *dev);

/** End the open frame of a device without windows. */
void pp_vk_frame_end_now(struct pp_vk_device *dev);

/** Note that the application has waited for everything that it submitted. With --frame-on=finish this ends
 * the open frame. Only for devices with a session. @p begin_ns CLOCK_MONOTONIC before the wait. */
void pp_vk_frame_waited(struct pp_vk_device *dev, uint64_t begin_ns);

/** End a device: wait for its work, take all results back, close its timeline. */
void pp_vk_frames_finish(struct pp_vk_device *dev);

/**
 * Announce the device to the session, and open a timeline for one of its series of frames, if that has not
 * happened. The first submission calls this function, so an application that only looks at devices leaves no
 * trace.
 *
 * @return NULL: profiling is off for this device (reported once).
 */
struct pp_timeline *pp_vk_device_timeline(struct pp_vk_device *dev, struct pp_vk_surface *surface);

/** Does an inserted label say that a frame ends with the submission of its command buffer? */
bool pp_vk_frame_boundary_label(const char *text);

/** Does the chain of a submission say that a frame ends? */
bool pp_vk_frame_boundary_chain(const void *chain);

/** Does a command buffer that is submitted say that a frame ends? */
bool pp_vk_frame_boundary_buffer(const struct pp_vk_device *dev, VkCommandBuffer handle);

/**
 * Note that the submission which goes to the driver next ends a frame: from now on the application defines
 * the frames.
 *
 * @return true: this is the first such submission.
 */
bool pp_vk_frame_boundary_expect(struct pp_vk_device *dev);

/** End the frame, after the submission of pp_vk_frame_boundary_expect() went to the driver. */
void pp_vk_frame_boundary_reached(struct pp_vk_device *dev);

/** End a frame with what was submitted so far. */
void pp_vk_frame_boundary_behind(struct pp_vk_device *dev);

/** Source: the Android GPU Inspector, RenderDoc and gfxreconstruct define VK_ANDROID_frame_boundary so; it is
 * not in the registry. */
typedef void(VKAPI_PTR *pp_vk_frame_boundary_android)(VkDevice device, VkSemaphore semaphore, VkImage image);

/** vkFrameBoundaryANDROID of the application, where a layer or driver below has that command. @return NULL:
 * another function. */
PFN_vkVoidFunction pp_vk_frame_boundary_proc(const char *name);

#endif
