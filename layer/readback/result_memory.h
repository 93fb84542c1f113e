/** @file
 * Memory to which the GPU copies results and from which the CPU reads them. A queue has a few blocks; each
 * is one allocation, one buffer and one mapping, and its readbacks take parts of it. A block for each
 * readback would make hundreds of small allocations, which count against the application's limit. Blocks
 * count against --max-memory. This file does not know what the results are. See also readback.h. */
#ifndef PP_LAYER_READBACK_RESULT_MEMORY_H
#define PP_LAYER_READBACK_RESULT_MEMORY_H

#include <stdint.h>
#include <vulkan/vulkan.h>

/** Bytes of a block at least; a larger piece gets a block of its size. */
#define PP_RESULT_MEMORY_BLOCK 0x100000U

struct pp_result_memory_block;
struct pp_vk_queue;

/** A part of a block. All zero: none. */
struct pp_result_memory {
    struct pp_result_memory_block *block;
    VkBuffer buffer;
    uint32_t offset, size; /**< bytes of the buffer */
    uint8_t *mapped;       /**< address at which the CPU reads the piece */
};

/**
 * Make a piece hold at least @p size bytes; if it grows, its contents are lost. Called by the submitting
 * thread, while the GPU does not use the piece.
 *
 * @retval 0.
 * @retval -ENOMEM The driver has no memory; the piece holds nothing.
 * @retval -ENOSPC --max-memory does not allow it; the piece holds nothing.
 */
__attribute__((warn_unused_result)) int pp_result_memory_grow(struct pp_vk_queue *queue,
                                                              struct pp_result_memory *piece, uint32_t size);

/** Give a piece back, which may hold nothing. Called by the submitting thread, while the GPU does not use the
 * piece. */
void pp_result_memory_give(struct pp_vk_queue *queue, struct pp_result_memory *piece);

#endif
