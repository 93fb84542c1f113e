/** @file
 * Submissions. Puts the layer's command buffers before and after the application's inside the
 * application's batches. Flattens what was recorded after the driver has accepted the submission, and lets
 * results return. See also flatten.h, readback.h, frame.h. */
#ifndef PP_LAYER_SUBMIT_SUBMIT_H
#define PP_LAYER_SUBMIT_SUBMIT_H

#include "layer/submit/flatten.h"

/** Submit a fence of the layer after what the queue has not fenced yet, during a call of the application on
 * this queue. */
void pp_vk_submit_fence(struct pp_vk_queue *queue);

#endif
