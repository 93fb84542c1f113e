/** @file
 * Ends of frames that programs without a swapchain tell, for tools: VK_EXT_frame_boundary in a
 * submission, VK_ANDROID_frame_boundary, and a label in a command buffer. They count with --frame-on=marker,
 * and by themselves while there is no swapchain. See also frame.h. */
#ifndef PP_LAYER_SUBMIT_FRAME_BOUNDARY_H
#define PP_LAYER_SUBMIT_FRAME_BOUNDARY_H

#include "layer/record/record.h"

/** Does an inserted label say that a frame ends with the submission of its command buffer? */
bool pp_vk_boundary_label(const char *text);

/** Does a submission's chain? */
bool pp_vk_boundary_chain(const void *chain);

/** Does a command buffer that is submitted? */
bool pp_vk_boundary_buffer(const struct pp_vk_device *dev, VkCommandBuffer handle);

/** A submission that is about to go down ends frames: from now on they are what the application says. @return
 * It is the first. */
bool pp_vk_boundary_expect(struct pp_vk_device *dev);

/** It has. */
void pp_vk_boundary_reached(struct pp_vk_device *dev);

/** A frame ended with what was submitted so far. */
void pp_vk_boundary_behind(struct pp_vk_device *dev);

/** Source: VK_ANDROID_frame_boundary as the Android GPU Inspector, RenderDoc and gfxreconstruct have it; it
 * is not in the registry. */
typedef void(VKAPI_PTR *pp_vk_frame_boundary_android)(VkDevice device, VkSemaphore semaphore, VkImage image);

/** vkFrameBoundaryANDROID, where a layer or driver below has it. @return NULL: it is another function. */
PFN_vkVoidFunction pp_vk_boundary_proc(const char *name);

#endif
