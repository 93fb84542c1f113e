/** @file
 * Submissions. Puts our command buffers around the application's inside its own batches, replays what was
 * recorded once the driver has accepted it, and lets results come back. See also flatten.h, readback.h,
 * frame.h. */
#ifndef PP_LAYER_SUBMIT_SUBMIT_H
#define PP_LAYER_SUBMIT_SUBMIT_H

#include "layer/submit/flatten.h"

/** "graphics 0", "compute 1", "transfer 0": by what the family can do and the queue's index in it. */
void pp_vk_queue_name(struct pp_vk_queue *queue, uint32_t index);

/** Take back all results of a queue whose device is idle, and destroy its objects. */
void pp_vk_queue_finish(struct pp_vk_queue *queue);

/** Submit a fence of ours behind what the queue has not fenced yet; in a call of the application's on this
 * queue.
 */
void pp_vk_queue_fence(struct pp_vk_queue *queue);

#endif
