/** @file
 * Resets for a submission that the layer has no memory to plan: the queries in its command buffers must
 * not run without a reset. This file needs only a few objects of the driver. See also submit.c. */
#ifndef PP_LAYER_SUBMIT_RESET_ONLY_H
#define PP_LAYER_SUBMIT_RESET_ONLY_H

#include "layer/base/cmdbuf.h"

/**
 * Begin a command buffer of resets; allocates no memory of the layer. Called by the submitting thread.
 *
 * @return NULL: the driver has no memory, or PP_VK_RESETS_ONLY of them are pending.
 */
struct pp_vk_reset_only *pp_reset_only_begin(struct pp_vk_queue *queue);

/** Record the resets that @p cb and what it executes need. @param cb NULL: an unknown buffer, without
 * queries. */
void pp_reset_only_add(const struct pp_vk_device *dev, struct pp_vk_reset_only *resets,
                       const struct pp_cmdbuf *cb);

/** Submit the resets, before the command buffers with the queries. If the driver refuses, the queries are not
 * reset. */
void pp_reset_only_submit(struct pp_vk_queue *queue, struct pp_vk_reset_only *resets);

/** Destroy the queue's command buffers of resets. Its work has completed. */
void pp_reset_only_finish(struct pp_vk_queue *queue);

#endif
