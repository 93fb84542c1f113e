/** @file
 * State of a command buffer that is recorded in parts: noted once, set again in each part. The recording
 * thread uses it. See also split.h. */
#ifndef PP_LAYER_SERIALIZE_SPLIT_STATE_H
#define PP_LAYER_SERIALIZE_SPLIT_STATE_H

#include "layer/serialize/split_private.h"

/**
 * Make memory to note a state that is being set. The note replaces what the same command set there before.
 *
 * @param repeat Sets the state again; also names the command.
 * @param size Bytes of the state.
 * @param pointed_to Bytes of what the state points to: a sum of pp_split_padded(), one for each
 * pp_split_copy().
 * @return NULL: @p split is NULL, or states are no longer known.
 */
void *pp_split_note(struct pp_split *split, pp_split_repeat repeat, const struct pp_split_key *key,
                    size_t size, size_t pointed_to);

/** Bytes that a copy of @p bytes takes after a state. */
static inline size_t
pp_split_padded(size_t bytes)
{
    return (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

/** Copy what a noted state points to, into the memory after the state. @return NULL if @p bytes is 0. */
void *pp_split_copy(struct pp_split *split, const void *from, size_t bytes);

/** Forget the noted states and the open labels. */
void pp_split_state_clear(struct pp_split *split);

/** Forget the noted states and the open labels, and free their memory. */
void pp_split_state_finish(struct pp_split *split);

/** Set all noted states again. @param inside In a render pass: only what may be set there. */
void pp_split_state_repeat(const struct pp_split *split, const struct pp_vk_device_next *real,
                           VkCommandBuffer to, bool inside);

/** Close all labels that are open in the part that ends, or open them in the one that begins. */
void pp_split_labels(const struct pp_split *split, const struct pp_vk_device_next *real, VkCommandBuffer to,
                     bool begin);

/** A state was set that could not be noted: record no more parts until the next recording. NULL is allowed.
 */
void pp_split_forget(struct pp_split *split);

#endif
