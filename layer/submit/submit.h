/** @file
 * Submissions. Puts the layer's command buffers before and after the application's inside the
 * application's batches. Flattens what was recorded after the driver has accepted the submission, and lets
 * results return. See also flatten.h, readback.h, frame.h. */
#ifndef PP_LAYER_SUBMIT_SUBMIT_H
#define PP_LAYER_SUBMIT_SUBMIT_H

#include "layer/submit/flatten.h"

/** Name a queue by what its family can do and by its index: "graphics 0", "compute 1", "transfer 0". */
void pp_vk_queue_name(struct pp_vk_queue *queue, uint32_t index);

/** Take back all results of a queue whose device is idle, and destroy its objects. */
void pp_vk_queue_finish(struct pp_vk_queue *queue);

/** Submit a fence of the layer after what the queue has not fenced yet, during a call of the application on
 * this queue. */
void pp_vk_queue_fence(struct pp_vk_queue *queue);

#endif
