/** @file
 * Sums of a Mali GPU's counters over the dumps of a pass or action; part of mali.h. */
#ifndef PP_COUNTERS_MALI_MALI_SUMS_H
#define PP_COUNTERS_MALI_MALI_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/mali/mali_gpu.h"
#include "counters/snapshot/layout.h"
#include "counters/snapshot/value.h"

/** Remarks about a counter's sum: bits of a byte. */
enum {
    PP_MALI_UNAVAILABLE = 1, /**< no block had the counter enabled, in at least one of the dumps */
    PP_MALI_PARTIAL = 2,     /**< a block of the GPU did not have the counter enabled */
    PP_MALI_SATURATED = 4,   /**< a hardware counter stopped at 2^32 - 1: a lower bound */
};

/** Running sums of the counters of one pass or action. The caller's; borrows nothing. */
struct pp_mali_sums {
    uint64_t sum[PP_MALI_MAX_COUNTERS];   /**< as gpu->counter, over blocks and dumps */
    uint8_t remark[PP_MALI_MAX_COUNTERS]; /**< PP_MALI_* */
    uint32_t dumps;                       /**< dumps that were added; 0: the sums mean nothing */
    bool stretched; /**< kbase marked a sample as stretched: it covers more time than the interval */
};

/** Begin sums: all zero, no dumps. */
void pp_mali_sums_begin(struct pp_mali_sums *sums);

/** Status of a counter's sum: PP_NOT_AVAILABLE without a dump, PP_DISABLED where no block had the counter
 * enabled, else PP_PARTIAL, PP_SATURATED or PP_OK. */
enum pp_status pp_mali_status(const struct pp_mali_sums *sums, uint32_t counter);

/** One dump or sample being added, block by block. */
struct pp_mali_dump {
    const struct pp_mali_gpu *gpu;
    uint64_t sum[PP_MALI_MAX_COUNTERS];
    uint8_t contributed[PP_MALI_MAX_COUNTERS]; /**< per counter: blocks that had it enabled */
    bool saturated[PP_MALI_MAX_COUNTERS];
    uint32_t blocks[PP_MALI_BLOCK_KINDS]; /**< blocks of each kind that are present */
};

/** Begin a dump: nothing is added yet. */
void pp_mali_dump_begin(struct pp_mali_dump *dump, const struct pp_mali_gpu *gpu);

/**
 * Add a block that is present.
 *
 * @param layout A layout of 64 words.
 * @param before As for pp_layout_delta(); NULL: @p after is the count.
 * @param after  The block's words; NULL: the block is off and contributes nothing.
 */
void pp_mali_dump_block(struct pp_mali_dump *dump, enum pp_mali_block kind, const struct pp_layout *layout,
                        const uint8_t *before, const uint8_t *after);

/** Add the dump to the sums of a pass or action. */
void pp_mali_dump_end(const struct pp_mali_dump *dump, struct pp_mali_sums *sums);

#endif
