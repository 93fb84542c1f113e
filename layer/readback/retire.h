/** @file
 * Takes results back: finds out which readbacks are finished, and decodes them into core's batches. Any
 * thread; the queue's lock protects the lists. See also readback.h.
 *
 * Fences of the layer, and fences of the application: both show which readbacks are finished. */
#ifndef PP_LAYER_READBACK_RETIRE_H
#define PP_LAYER_READBACK_RETIRE_H

#include "layer/base/device.h"
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

/** A fence that covers all readbacks of a queue up to a serial. */
struct pp_vk_fence {
    struct pp_vk_fence *next;
    VkFence fence;
    uint64_t serial;
    uint64_t unwaited; /**< covers this many submissions that were not waited for, too */
};

/** Note that the application submitted a fence after all readbacks so far. */
void pp_fence_note(struct pp_vk_queue *queue, VkFence fence);

/** Serial of the last readback of a queue that a fence of the application covers; 0: none. Ask before the
 * wait: after it, another thread may have submitted the same fence again. */
uint64_t pp_fence_noted(struct pp_vk_queue *queue, VkFence fence);

/** Get a fence for the readbacks submitted so far. Called by the submitting thread. @return NULL: no fence
 * can be made. */
struct pp_vk_fence *pp_fence_get(struct pp_vk_queue *queue);

/** Put a fence back. @param submitted It was submitted after all readbacks so far; false: it was not
 * submitted.
 */
void pp_fence_put(struct pp_vk_queue *queue, struct pp_vk_fence *fence, bool submitted);

#endif
