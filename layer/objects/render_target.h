/** @file
 * The attachments of a render pass instance as a render target of core. See also pass.c, which calls it. */
#ifndef PP_LAYER_OBJECTS_RENDER_TARGET_H
#define PP_LAYER_OBJECTS_RENDER_TARGET_H

#include "layer/base/cmdbuf.h"
#include "layer/objects/object.h"

/** Render target of a vkCmdBeginRenderPass*. The command pool caches it by a hash of its attachments. */
pp_render_target_id pp_vk_render_target_pass(struct pp_cmdbuf *cb, const VkRenderPassBeginInfo *info);

/** Render target of a vkCmdBeginRendering. */
pp_render_target_id pp_vk_render_target_rendering(struct pp_cmdbuf *cb, const VkRenderingInfo *info);

/**
 * What a pass of barriers works on. Its name says what the barriers do.
 *
 * @param image The only image; NULL: unknown, or several.
 * @param images Number of images.
 * @param layout Do some of them change their layout? Else they change their queue family.
 */
pp_render_target_id pp_vk_render_target_barrier(struct pp_cmdbuf *cb, const struct pp_vk_image *image,
                                                uint32_t images, bool layout);

#endif
