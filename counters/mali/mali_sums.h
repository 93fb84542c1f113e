/** @file
 * Inside of mali.h: adding up one dump or sample, block by block. */
#ifndef PP_COUNTERS_MALI_MALI_SUMS_H
#define PP_COUNTERS_MALI_MALI_SUMS_H

#include "counters/mali/mali.h"
#include "counters/snapshot/layout.h"

/** What one dump gave so far, per counter. */
struct pp_mali_dump {
    const struct pp_mali_gpu *gpu;
    uint64_t sum[PP_MALI_MAX_COUNTERS];
    uint8_t contributed[PP_MALI_MAX_COUNTERS]; /**< blocks that had it enabled */
    bool saturated[PP_MALI_MAX_COUNTERS];
    uint32_t blocks[PP_MALI_BLOCK_KINDS]; /**< of each kind that are present */
};

/** Begin a dump. */
void pp_mali_dump_begin(struct pp_mali_dump *dump, const struct pp_mali_gpu *gpu);

/**
 * Count a block that is present.
 *
 * @param layout A layout of 64 words.
 * @param before As for pp_layout_delta(); NULL: @p after is the count.
 * @param after  The block's words; NULL: it is off and gives nothing.
 */
void pp_mali_dump_block(struct pp_mali_dump *dump, enum pp_mali_block kind, const struct pp_layout *layout,
                        const uint8_t *before, const uint8_t *after);

/** Add the dump to the sums of a piece of work. */
void pp_mali_dump_end(const struct pp_mali_dump *dump, struct pp_mali_sums *sums);

#endif
