/** @file
 * Resets for a submission that memory of ours is too short to plan: the queries that its command buffers hold
 * must not run unreset. Needs nothing but a few objects of the driver's. Next: submit.h. */
#ifndef PP_LAYER_SUBMIT_RESET_ONLY_H
#define PP_LAYER_SUBMIT_RESET_ONLY_H

#include "layer/record/record.h"

/**
 * Begin a command buffer of resets: allocates no memory of ours.
 *
 * The submitting thread's.
 * @return NULL: the driver has no memory, or PP_VK_RESERVES are under way.
 */
struct pp_vk_reserve *pp_reserve_begin(struct pp_vk_queue *queue);

/** Record the resets that @p cb and what it executes need. @param cb NULL: an unknown buffer, without
 * queries. */
void pp_reserve_add(const struct pp_vk_device *dev, struct pp_vk_reserve *reserve,
                    const struct pp_cmdbuf *cb);

/** Submit the resets, in front of what runs the queries. A driver that refuses leaves them unreset. */
void pp_reserve_submit(struct pp_vk_queue *queue, struct pp_vk_reserve *reserve);

/** Destroy what the queue has of these. Its work has completed. */
void pp_reserve_finish(struct pp_vk_queue *queue);

#endif
