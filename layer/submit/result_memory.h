/** @file
 * Memory that the GPU copies results to and the host reads. A queue has a few blocks, each one allocation,
 * one buffer and one mapping, of which its slots take pieces: a slot each would have hundreds of small
 * allocations, which count against the application's limit. Knows nothing of what lies in a piece. Next:
 * slot.h. */
#ifndef PP_LAYER_SUBMIT_RESULT_MEMORY_H
#define PP_LAYER_SUBMIT_RESULT_MEMORY_H

#include <stdint.h>
#include <vulkan/vulkan.h>

/** Bytes of a block at least; a larger piece gets a block of its size. */
#define PP_RESULTS_BLOCK 0x100000U

struct pp_results_block;
struct pp_vk_queue;

/** A part of a block. All zero: none. */
struct pp_results {
    struct pp_results_block *block;
    VkBuffer buffer;
    uint32_t offset, size; /**< bytes of the buffer */
    uint8_t *mapped;       /**< where the host reads the piece */
};

/**
 * Have a piece hold at least @p size bytes; what was in it is lost if it grows.
 *
 * The submitting thread's; the GPU does not use the piece.
 * @retval 0.
 * @retval -ENOMEM The driver has no memory; the piece holds nothing.
 */
__attribute__((warn_unused_result)) int pp_results_grow(struct pp_vk_queue *queue, struct pp_results *piece,
                                                        uint32_t size);

/** Give a piece back, which may hold nothing. The submitting thread's; the GPU does not use the piece. */
void pp_results_give(struct pp_vk_queue *queue, struct pp_results *piece);

#endif
