/** @file
 * Joins recorded command buffers into one batch: action lists in submission order, secondaries where they
 * were executed, and suspended passes with what resumes them. Each bracket gets the place of its results.
 * See also readback.h. */
#ifndef PP_LAYER_SUBMIT_FLATTEN_H
#define PP_LAYER_SUBMIT_FLATTEN_H

#include "layer/base/cmdbuf.h"
#include "layer/readback/readback.h"

/** A bracket of a command buffer that has a CPU cost of recording, and the same bracket in the batch. */
struct pp_flatten_cpu {
    struct pp_cmdbuf *cb;
    uint32_t from, to;
    bool repeated; /**< an earlier submission of the recording has taken the cost */
};

/** Paths that were joined recently, by a hash of what they were joined from. */
#define PP_FLATTEN_JOINS 32U

/** A path inside another. */
struct pp_flatten_join {
    pp_label_id outer, inner, region; /**< inner 0: none yet */
    pp_label_id joined;
};

/** Scratch memory for flattening; one for each queue. All zero is empty. */
struct pp_flatten {
    struct pp_flatten_join join[PP_FLATTEN_JOINS];
    uint32_t *map; /**< bracket of a command buffer -> of the batch; a stack over nested buffers */
    uint32_t maps, map_cap;
    struct pp_flatten_cpu *cpu; /**< CPU cost of recording, until the batch has memory for it */
    uint32_t cpus, cpu_cap;
};

/**
 * Fill readback->batch and the readback's lists. readback->batch may be NULL: queries are only reset. The
 * batch may borrow the action list of a command buffer that is submitted once; the command buffer then has
 * the batch's list until pp_flatten_undo().
 *
 * @param open Labels that are open on the queue before these command buffers.
 * @param collapse One pass of kind FRAME with the readback's own timestamps, instead of the recorded passes.
 * @retval 0.
 * @retval -ENOMEM The batch is incomplete and must be cancelled.
 */
__attribute__((warn_unused_result)) int pp_flatten(struct pp_flatten *flatten, struct pp_vk_queue *queue,
                                                   struct pp_vk_readback *readback,
                                                   struct pp_cmdbuf *const *buffers, uint32_t count,
                                                   const struct pp_vk_labels *open, bool collapse);

/** Undo the flattening for a readback that was not submitted: its command buffer may be submitted again. */
void pp_flatten_undo(struct pp_vk_readback *readback);

/** Free the scratch memory. */
void pp_flatten_finish(struct pp_flatten *flatten);

#endif
