/** @file
 * Fences of the layer, and fences of the application: both show which readbacks are finished. Any thread; the
 * queue's lock protects the lists. See also retire.h. */
#ifndef PP_LAYER_READBACK_FENCE_H
#define PP_LAYER_READBACK_FENCE_H

#include "layer/base/device.h"

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
