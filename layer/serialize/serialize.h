/** @file
 * --serialize: is the GPU idle, and for which submissions does the layer wait? Call the functions with the
 * root's serial_lock. Also the brackets around which counter sources are read while the GPU is idle. */
#ifndef PP_LAYER_SERIALIZE_SERIALIZE_H
#define PP_LAYER_SERIALIZE_SERIALIZE_H

#include "layer/base/device.h"
#include "layer/submit/rewrite.h"

struct pp_submit_call;

/** Wait until everything that was submitted to the queue has ended, at most 2 s. @return VK_SUCCESS: it has
 * ended. */
VkResult pp_idle_wait(struct pp_vk_queue *queue);

/** May a submission that was not waited for still run on this queue? */
bool pp_idle_has_unwaited(struct pp_vk_queue *queue);

/** pp_idle_has_unwaited() for all other queues of all devices. The map's lock keeps the devices alive. */
bool pp_idle_others_have_unwaited(const struct pp_vk_queue *mine);

/** See pp_serialize_ops.waits. */
bool pp_idle_waits(struct pp_vk_queue *queue, const struct pp_submit_call *call);

/** See pp_serialize_ops.note_unwaited. */
void pp_idle_note_unwaited(struct pp_vk_queue *queue);

/** See pp_serialize_ops.fence. */
void pp_idle_submit_fence(struct pp_vk_queue *queue);

/** See pp_serialize_ops.ended. */
void pp_idle_note_ended(struct pp_vk_queue *queue, VkResult ended);

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
