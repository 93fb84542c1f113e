/** @file
 * Ends of frames that applications without a swapchain mark for tools: VK_EXT_frame_boundary in a
 * submission, VK_ANDROID_frame_boundary, and a label in a command buffer. They count with
 * --frame-on=marker, and without the option while there is no swapchain. See also frame.h. */
#ifndef PP_LAYER_FRAME_FRAME_BOUNDARY_H
#define PP_LAYER_FRAME_FRAME_BOUNDARY_H

#include "layer/base/cmdbuf.h"

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
