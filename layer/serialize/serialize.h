/** @file
 * --serialize: the layer waits for each submission. Where a counter source counts the whole GPU, it also
 * submits each pass, and each action outside of render passes, by itself. So the source can be read before
 * and after it while the GPU is idle. Knows one form for vkQueueSubmit and vkQueueSubmit2. See also
 * cmdbuf_split.h and rewrite.h. */
#ifndef PP_LAYER_SERIALIZE_SERIALIZE_H
#define PP_LAYER_SERIALIZE_SERIALIZE_H

#include "layer/submit/host_wait.h"
#include "layer/submit/rewrite.h"

/** Is the queue's next submission held back until it has ended? Three kinds are not held back. First, a
 * submission that waits for a value of a timeline semaphore which was not signalled yet. Second, what follows
 * it in its queue before it has ended. Third, submissions after one that did not end within 2 s, because that
 * one waits for a later one: the next 4 of its queue, then 8 after the next such one, and so on up to 4096.
 * Submissions of other queues, also of other devices, are held back, but measure nothing while one that was
 * not waited for may run. Call with the lock over serialized submissions, as all functions here. */
bool pp_serialize_waits(struct pp_vk_queue *queue, const struct pp_submit_call *call);

/** Note that a submission which was not held back, or did not end, went to the driver. A fence of the layer
 * went with it and is put next, or pp_serialize_fence() follows. */
void pp_serialize_note_unwaited(struct pp_vk_queue *queue);

/** Find out when everything that the queue has got so far has ended. */
void pp_serialize_fence(struct pp_vk_queue *queue);

/** A planned submission, as it would go to the driver. */
struct pp_serialize_call {
    struct pp_vk_queue *queue;
    const struct pp_rewrite *rewrite; /**< its items are the command buffers of all batches, in order */
    uint32_t count;
    const VkSubmitInfo *submits;
    const VkSubmitInfo2 *submits2; /**< one of the two */
    VkFence fence;                 /**< for the last batch */
    uint64_t submitted_ns;         /**< returned: when the driver had it all */
    bool overlapped;               /**< returned: other work may have run at the same time */
    bool begun;                    /**< returned: the driver had some of it */
    VkResult ended;                /**< returned: VK_SUCCESS: all of it has ended; else the wait's result */
};

/**
 * Submit @p call, wait for it, and read the counter sources that count the whole GPU. Call with the lock
 * over serialized submissions, while the readbacks belong to the rewrite.
 *
 * @return The driver's answer. A refusal is returned only if the driver took nothing, so that the application
 * may try again or go on. If the driver took a part and then memory was short, the rest is tried again for a
 * quarter of a second. After that the answer is VK_ERROR_DEVICE_LOST, the only one for a submission that is
 * neither done nor untouched.
 */
VkResult pp_serialize_submit(struct pp_serialize_call *call);

/** Act on @p ended, which is pp_serialize_call.ended, after the readbacks are pending: mark them done, mark
 * the device lost, or, after a time-out, hold back none of the queue's next submissions. */
void pp_serialize_ended(struct pp_vk_queue *queue, VkResult ended);

#endif
