/** @file
 * Copies of the application's submit-infos, with the command buffers of a rewrite, and submissions of nothing
 * but resets. The application's structs are never edited. */
#ifndef PP_LAYER_SUBMIT_SUBMIT_H
#define PP_LAYER_SUBMIT_SUBMIT_H

#include "layer/base/cmdbuf.h"
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

#endif
