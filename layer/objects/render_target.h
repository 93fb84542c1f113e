/** @file
 * The attachments of a render pass instance as a render target of core. See also pass.c, which calls it. */
#ifndef PP_LAYER_OBJECTS_RENDER_TARGET_H
#define PP_LAYER_OBJECTS_RENDER_TARGET_H

#include "layer/objects/object.h"
#include "layer/record/record.h"

/** Render target of a vkCmdBeginRenderPass*. The command pool caches it by a hash of its attachments. */
pp_render_target_id pp_vk_render_target_pass(struct pp_cmdbuf *cb, const VkRenderPassBeginInfo *info);

/** Render target of a vkCmdBeginRendering. */
pp_render_target_id pp_vk_render_target_rendering(struct pp_cmdbuf *cb, const VkRenderingInfo *info);

#endif
