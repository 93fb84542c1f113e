/** @file
 * GPU memory to which command buffers of the application copy indirect arguments. A device has a few large
 * blocks; each is one allocation and one buffer. Recording threads take parts of them and give them back
 * without a lock. This file does not know what the memory contains. See also indirect.h. */
#ifndef PP_LAYER_BASE_STAGING_H
#define PP_LAYER_BASE_STAGING_H

#include "layer/base/device.h"

/** Bytes of a block, and of the smallest piece of it. */
#define PP_STAGING_BLOCK 0x200000U
#define PP_STAGING_UNIT  0x1000U

/** Most blocks of a device: 64 MiB. A device has fewer if these are more than an eighth of the allocations
 * that it allows, because the application's allocations count against the same limit. */
#define PP_STAGING_BLOCKS 32U

struct pp_staging_block;

/** A part of a block. */
struct pp_staging_piece {
    struct pp_staging_block *block;
    VkBuffer buffer;
    uint32_t offset, size; /**< bytes of the buffer; multiples of PP_STAGING_UNIT */
};

/** Make dev->staging, which has no block at first. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_staging_open(struct pp_vk_device *dev);

/** Free all blocks before the device is destroyed. Its command buffers no longer exist. */
void pp_staging_close(struct pp_vk_device *dev);

/**
 * Take a piece of at least @p size bytes, at most PP_STAGING_BLOCK. Any thread. Takes no lock, but may ask
 * the driver for another block.
 *
 * @retval 0. @retval -ENOMEM The driver has no memory, all blocks are full, or @p size is too large; @p
 * ret_piece is unchanged.
 */
__attribute__((warn_unused_result)) int pp_staging_take(struct pp_vk_device *dev, uint32_t size,
                                                        struct pp_staging_piece *ret_piece);

/** Give back a piece that the GPU no longer uses. Any thread; takes no lock. */
void pp_staging_give(const struct pp_staging_piece *piece);

#endif
