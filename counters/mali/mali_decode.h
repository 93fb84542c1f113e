/** @file
 * From sums to values of counters and metrics; part of mali.h.
 *
 * Sums of a Mali GPU's counters over the dumps of a pass or action; part of mali.h. */
#ifndef PP_COUNTERS_MALI_MALI_DECODE_H
#define PP_COUNTERS_MALI_MALI_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali_gpu.h"
#include "counters/metric/metric.h"
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

/** One value of a decoded row. */
struct pp_mali_cell {
    union pp_metric_number value; /**< meaningless unless pp_status_has_value(status), but see
                                     pp_metric_result.value */
    uint8_t type;                 /**< enum pp_metric_type */
    uint8_t status;               /**< enum pp_status */
    uint8_t remark;               /**< PP_MALI_*, of all counters that the value is computed from */
};

/** A column of decoded rows: the GPU's counters, then its metrics. */
struct pp_mali_column {
    const char *symbol; /**< borrowed from the GPU */
    const char *unit;
    enum pp_unit unit_id;
    bool metric; /**< else a counter */
};

/** The compiled metrics of one GPU and configuration. */
struct pp_mali_decoder;

/**
 * Compile a GPU's metrics for one configuration.
 *
 * Ownership: *ret is the caller's, for pp_mali_decoder_destroy(); borrows @p gpu. Allocates.
 *
 * @param error As for pp_metric_compile(); may be NULL. Only the metrics of a user's GPU can have mistakes.
 * @retval 0       Compiled.
 * @retval -EINVAL The configuration is impossible.
 * @return Else as pp_metric_compile().
 */
__attribute__((warn_unused_result)) int pp_mali_decoder_create(const struct pp_mali_gpu *gpu,
                                                               const struct pp_mali_config *config,
                                                               struct pp_mali_decoder **ret,
                                                               struct pp_metric_error *error);

/** Free a decoder; NULL is fine. */
void pp_mali_decoder_destroy(struct pp_mali_decoder *decoder);

/** Number of columns: counters and metrics. */
size_t pp_mali_decoder_columns(const struct pp_mali_decoder *decoder);

/** Describe column @p column. */
struct pp_mali_column pp_mali_decoder_column(const struct pp_mali_decoder *decoder, size_t column);

/**
 * Evaluate all counters and metrics of the sums of one pass or action.
 *
 * Threads: one per decoder. Allocates, locks, logs nothing.
 *
 * @param cell pp_mali_decoder_columns() cells to write.
 */
void pp_mali_decode_sums(struct pp_mali_decoder *decoder, const struct pp_mali_sums *sums,
                         struct pp_mali_cell *cell);

/**
 * Evaluate the metrics of many sums, a column at a time.
 *
 * @param rows   Number of sums.
 * @param sums   The sums, one per row.
 * @param input  For every counter, a column of @p rows cells of eight bytes and a column of statuses: the
 * caller's scratch memory, filled by this function.
 * @param result One per metric.
 */
void pp_mali_decode_columns(struct pp_mali_decoder *decoder, size_t rows, const struct pp_mali_sums *sums,
                            const struct pp_metric_result *input, const struct pp_metric_result *result);

#endif
