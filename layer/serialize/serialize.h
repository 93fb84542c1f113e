/** @file
 * --serialize. A submission is waited for, and where a source counts the whole GPU, each of its passes
 * (and actions outside of render passes) is submitted alone, so that the source can be read around it
 * with the GPU idle. Knows one form for vkQueueSubmit and vkQueueSubmit2. See also cmdbuf_split.h, plan.h. */
#ifndef PP_LAYER_SERIALIZE_SERIALIZE_H
#define PP_LAYER_SERIALIZE_SERIALIZE_H

#include "layer/submit/host_wait.h"
#include "layer/submit/rewrite.h"

/**
 * Is the queue's next submission held back until it has ended? Not one that waits for a value of a timeline
 * semaphore which nobody has signalled so far, nor what follows it in its queue before it has ended. Nor
 * behind one that did not end within 2 s, since that waits for a later one: the next 4 of its queue are not,
 * then 8 behind the next such one, and so on up to 4096. Other queues' are, also of other devices, but
 * measure nothing while one that was not waited for may run. With the lock over serialized submissions, as
 * all here.
 */
bool pp_alone_holds(struct pp_vk_queue *queue, const struct pp_hold_call *call);

/** One that was not held back, or did not end, went down; a fence of ours went with it and is put next, or
 * pp_alone_fence() follows. */
void pp_alone_loose(struct pp_vk_queue *queue);

/** Learn when all that the queue was given so far has ended. */
void pp_alone_fence(struct pp_vk_queue *queue);

/** A planned submission, as it would go down. */
struct pp_alone {
    struct pp_vk_queue *queue;
    const struct pp_plan *plan; /**< its items are the command buffers of all batches, in order */
    uint32_t count;
    const VkSubmitInfo *submits;
    const VkSubmitInfo2 *submits2; /**< one of the two */
    VkFence fence;                 /**< for the last batch */
    uint64_t submitted_ns;         /**< returned: when the driver had it all */
    bool overlapped;               /**< returned: something else may have run beside it */
    bool begun;                    /**< returned: the driver had some of it */
    VkResult ended;                /**< returned: VK_SUCCESS: all of it has ended; else the wait's result */
};

/**
 * Submit it, wait for it, and read what counts the whole GPU. With the lock over serialized submissions,
 * while the slots are the plan's.
 *
 * @return The driver's answer: its refusal only where it took nothing, so that the application may try again
 * or go on. What follows a part that it took is tried again (for a quarter of a second) where memory was
 * short; then the answer is VK_ERROR_DEVICE_LOST, the only one for a submission that is neither done nor left
 * alone.
 */
VkResult pp_alone_submit(struct pp_alone *alone);

/** What pp_alone.ended says, once the slots are pending. */
void pp_alone_settle(struct pp_vk_queue *queue, VkResult ended);

#endif
