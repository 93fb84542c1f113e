/** @file
 * Memory of readbacks: how much the results of submissions may take, and when memory and objects are given
 * back. See also readback.h. */
#ifndef PP_LAYER_READBACK_READBACK_MEMORY_H
#define PP_LAYER_READBACK_READBACK_MEMORY_H

#include "layer/readback/readback.h"

/** Count the arrays of a readback against --max-memory, after they may have grown.
 *
 * @param needed Count them even beyond the limit: without the readback, the application's buffers could not
 * run.
 * @retval 0. @retval -ENOSPC The limit is reached; the arrays are not counted. */
__attribute__((warn_unused_result)) int pp_readback_count(struct pp_vk_queue *queue,
                                                          struct pp_vk_readback *readback, bool needed);

/** Free the memory of a readback that is done, or was not submitted. Called by the submitting thread. */
void pp_readback_free_memory(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

/** Destroy the Vulkan objects of a readback that is done, or was not submitted. pp_readback_get() makes new
 * ones. Called by the submitting thread. */
void pp_readback_free_objects(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

/** Once in two seconds: let free readbacks give back what the queue does not need. Called by the submitting
 * thread. */
void pp_readback_shrink(struct pp_vk_queue *queue);

/** Make result memory for readback->bytes. @retval 0. @retval -ENOMEM. @retval -ENOSPC --max-memory does not
 * allow it. */
__attribute__((warn_unused_result)) int pp_readback_memory(struct pp_vk_queue *queue,
                                                           struct pp_vk_readback *readback);

#endif
