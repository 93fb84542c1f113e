/** @file
 * Room: what a render pass instance renders to, as core's shape. Next room: pass.c, which asks. */
#ifndef PP_LAYER_RECORD_RENDER_TARGET_H
#define PP_LAYER_RECORD_RENDER_TARGET_H

#include "layer/record/object.h"
#include "layer/record/record.h"

/** Shape of a vkCmdBeginRenderPass*; cached in the command pool by what it is made of. */
pp_shape_id pp_vk_shape_pass(struct pp_cmdbuf *cb, const VkRenderPassBeginInfo *info);

/** Shape of a vkCmdBeginRendering. */
pp_shape_id pp_vk_shape_rendering(struct pp_cmdbuf *cb, const VkRenderingInfo *info);

#endif
