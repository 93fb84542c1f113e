/** @file
 * What a render pass instance renders to, as core's shape. See also pass.c, which asks. */
#ifndef PP_LAYER_RECORD_RENDER_TARGET_H
#define PP_LAYER_RECORD_RENDER_TARGET_H

#include "layer/record/object.h"
#include "layer/record/record.h"

/** Shape of a vkCmdBeginRenderPass*; cached in the command pool by what it is made of. */
pp_render_target_id pp_vk_render_target_pass(struct pp_cmdbuf *cb, const VkRenderPassBeginInfo *info);

/** Shape of a vkCmdBeginRendering. */
pp_render_target_id pp_vk_render_target_rendering(struct pp_cmdbuf *cb, const VkRenderingInfo *info);

#endif
