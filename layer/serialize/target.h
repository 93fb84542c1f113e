/** @file
 * --serialize: brackets around which counter sources are read while the GPU is idle. See also serialize.h. */
#ifndef PP_LAYER_SERIALIZE_TARGET_H
#define PP_LAYER_SERIALIZE_TARGET_H

#include "layer/submit/rewrite.h"

/** A bracket during which nothing else runs on the GPU. */
struct pp_target {
    struct pp_batch *batch;
    uint32_t bracket; /**< PP_NO_BRACKET: none */
    uint32_t pass;    /**< bracket of the pass whose only action has @p bracket; PP_NO_BRACKET: none */
};

/** A target without a bracket: the functions below do nothing with it. */
struct pp_target pp_target_empty(void);

/** Target for a bracket of a pass or an action. */
struct pp_target pp_target_bracket(struct pp_batch *batch, uint32_t bracket);

/** Read the counters of a target. @param end 0: before it; 1: after it. */
void pp_target_read(const struct pp_target *target, unsigned end);

/** Mark the brackets of two targets: nothing else ran on the GPU in their submission, and the GPU was idle
 * before and after. */
void pp_target_apart(const struct pp_target *target, const struct pp_target *around);

/** A target was submitted whole. @param idle The GPU is idle again: read the counters and mark the brackets;
 * else mark the target as not read. */
void pp_target_finish(const struct pp_target *target, bool idle);

/** Mark a target as not read: the GPU was not idle. */
void pp_target_lose(const struct pp_target *target);

/** Target for the only pass of a call. Empty if there is not exactly one pass, or no source reads an idle
 * GPU. */
struct pp_target pp_target_only_pass(const struct pp_rewrite *rewrite);

/** Target for the only pass of one batch of a call. Empty in the same cases. @param at First item of the
 * batch. @param items Number of its items. */
struct pp_target pp_target_only_pass_of(const struct pp_rewrite *rewrite, uint32_t at, uint32_t items);

#endif
