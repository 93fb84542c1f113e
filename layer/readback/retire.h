/** @file
 * Takes results back: finds out which readbacks are finished, and decodes them into core's batches. Any
 * thread; the queue's lock protects the lists. See also readback.h and fence.h. */
#ifndef PP_LAYER_READBACK_RETIRE_H
#define PP_LAYER_READBACK_RETIRE_H

#include "layer/readback/readback.h"

/** Append a submitted readback to the pending list. */
void pp_retire_append(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

/** Retire a plain readback that was submitted: it has no results, so its counts go on at once. */
void pp_retire_plain(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

/** Take back the available results of one queue. Any thread; never waits for the GPU. */
void pp_retire_available(struct pp_vk_queue *queue);

/** Take back the available results of all queues of a device. Any thread; never waits for the GPU. */
void pp_retire_device(struct pp_vk_device *dev);

/** Take all results of a queue back. The application has waited for everything on it. */
void pp_retire_all(struct pp_vk_queue *queue);

/** Hand on the batches of a lost device, whose results will never be available. */
void pp_retire_lost(struct pp_vk_queue *queue);

/** Note that the driver reported a lost device: write what exists, and inject nothing more. */
void pp_retire_device_lost(struct pp_vk_device *dev);

/** Note that the application has seen the readbacks up to @p serial complete. */
void pp_retire_note_done(struct pp_vk_queue *queue, uint64_t serial);

/** Is nothing of the queue pending any more, as far as the layer knows? */
bool pp_retire_is_idle(struct pp_vk_queue *queue);

/** Submit a fence of the layer after what the queue has not fenced yet, during a call of the application on
 * this queue. */
void pp_retire_fence(struct pp_vk_queue *queue);

#endif
