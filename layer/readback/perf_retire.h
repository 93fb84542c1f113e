/** @file
 * Counters of a submission: resets before it, results after it. See also perf.h. */
#ifndef PP_LAYER_READBACK_PERF_RETIRE_H
#define PP_LAYER_READBACK_PERF_RETIRE_H

#include "layer/counters/perf.h"

struct pp_vk_readback;

/** Read the unread results of a command buffer and give its queries back. Its executions are complete, and it
 * is recorded again or freed. */
void pp_perf_release(struct pp_cmdbuf *cb);

/**
 * Prepare a command buffer that will be submitted next, and which is therefore not pending: read its unread
 * results, and reset its queries and those of its secondaries.
 *
 * @param choose The queue may be set up for the counter set of this command buffer.
 * @return true: the command buffer measures.
 */
bool pp_perf_submit(struct pp_vk_queue *queue, struct pp_cmdbuf *cb, bool choose);

/** Will the results of a command buffer that goes to @p queue now be valid? */
bool pp_perf_is_measured(const struct pp_vk_queue *queue, const struct pp_perf_cmdbuf *perf);

/**
 * Report once that the parts of one pass or frame were not all measured in the same way.
 *
 * @param dev May have no counters.
 */
void pp_perf_mixed(struct pp_vk_device *dev);

/**
 * Note the brackets for which the results of a command buffer count.
 *
 * @param map Maps the command buffer's brackets to the batch's; NULL: only @p whole exists.
 * @param whole Bracket of the batch that a query of the whole counts for; PP_NO_BRACKET: none.
 * @retval 0.
 * @retval -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_perf_emit(struct pp_vk_queue *queue,
                                                     struct pp_vk_readback *readback, struct pp_cmdbuf *cb,
                                                     const uint32_t *map, uint32_t whole);

/**
 * Fill the rows of a readback's batch.
 *
 * @param lost The results will never be available.
 */
void pp_perf_retire(struct pp_vk_queue *queue, struct pp_vk_readback *readback, bool lost);

/** Forget the results of a readback that was not submitted. */
void pp_perf_drop(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

#endif
