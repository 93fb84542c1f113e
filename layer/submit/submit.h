/** @file
 * Copies of the application's submit-infos, with the command buffers of a rewrite, and submissions of nothing
 * but resets. The application's structs are never edited. */
#ifndef PP_LAYER_SUBMIT_SUBMIT_H
#define PP_LAYER_SUBMIT_SUBMIT_H

#include "layer/base/cmdbuf.h"
#include "layer/base/device.h"
#include "layer/submit/rewrite.h"

/** Rewrite the submit-infos of a call. @param io_count Number of batches; increases if closed batches need
 * resets.
 * @return The copy, in memory of @p rewrite; @p submits if it has no command buffers; NULL: no memory. */
const VkSubmitInfo *pp_submit_infos_rewrite(struct pp_vk_queue *queue, struct pp_rewrite *rewrite,
                                            uint32_t *io_count, const VkSubmitInfo *submits);

/** pp_submit_infos_rewrite() for vkQueueSubmit2. The number of batches does not change. */
const VkSubmitInfo2 *pp_submit_infos_rewrite2(struct pp_vk_queue *queue, struct pp_rewrite *rewrite,
                                              uint32_t count, const VkSubmitInfo2 *submits);

/** Destroy the queue's command buffers of resets. Its work has completed. */
void pp_reset_only_finish(struct pp_vk_queue *queue);

/* Objects that may keep a submission from ending: values of timeline semaphores, which the CPU or a later
 * submission may signal; events; imported semaphores. See also serialize.h and readback.h. */

/** A call of vkQueueSubmit or vkQueueSubmit2. */
struct pp_submit_call {
    uint32_t count;
    const VkSubmitInfo *submits;
    const VkSubmitInfo2 *submits2; /**< one of the two */
};

/** With --serialize: does the submission wait for a value of a timeline semaphore that neither an earlier
 * submission nor an earlier batch of this one has signalled? Then the layer must not wait for the
 * submission. */
bool pp_host_wait_needed(struct pp_vk_device *dev, const struct pp_submit_call *call);

#endif
