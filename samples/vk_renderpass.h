/** @file
 * Render passes and framebuffers of the Vulkan scene. See also vk_scene.h. */
#ifndef SAMPLES_VK_RENDERPASS_H
#define SAMPLES_VK_RENDERPASS_H

#include "samples/vk_scene.h"

/** Fill the targets, and create their render passes where asked for. @return 0 or -1 after a message. */
int vk_renderpass_init(struct vk_scene *it);

/** Destroy the render passes and framebuffers. */
void vk_renderpass_finish(struct vk_scene *it);

#endif
