/** @file
 * What an Arm Mali GPU of the job-manager kind (Bifrost, early Valhall) counted. A dump has blocks of 64
 * words: front end, tiler, L2 slices, shader cores. The meaning of the words is data: counters/gpus/mali and
 * counters/snapshot/layouts/mali.csv. Raw dumps, and samples of kbase's kinstr_prfcnt interface, are added to
 * sums over a pass or action; sums give the values of counters and metrics. mali_gpu.h has the GPUs and their
 * configurations. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_MALI_MALI_DECODE_H
#define PP_COUNTERS_MALI_MALI_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali_gpu.h"
#include "counters/metric/metric_eval.h"
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

/**
 * Add a raw dump of hardware that clears its counters at each dump. Do not add the opening dump of an
 * interval.
 *
 * Threads: one per @p sums. Allocates, locks, logs nothing.
 *
 * @retval 0         Added.
 * @retval -EMSGSIZE @p size is not pp_mali_dump_bytes(); nothing is added.
 */
__attribute__((warn_unused_result)) int pp_mali_add_dump(const struct pp_mali_gpu *gpu,
                                                         const struct pp_mali_config *config,
                                                         const uint8_t *dump, size_t size,
                                                         struct pp_mali_sums *sums);

/**
 * Add the difference of two raw dumps of a back end that does not clear its counters: (after - before) mod
 * 2^32 of every word that is enabled in both.
 *
 * @retval 0         Added.
 * @retval -EMSGSIZE @p size is not pp_mali_dump_bytes(); nothing is added.
 */
__attribute__((warn_unused_result)) int pp_mali_add_difference(const struct pp_mali_gpu *gpu,
                                                               const struct pp_mali_config *config,
                                                               const uint8_t *before, const uint8_t *after,
                                                               size_t size, struct pp_mali_sums *sums);

/** The memory that kbase's kinstr_prfcnt shares with a session, and the place of one sample in it. */
struct pp_mali_kinstr {
    const uint8_t *map; /**< start of the mapping: values_offset counts from here, not from the sample */
    size_t map_bytes;
    uint64_t sample_offset;       /**< as GET_SAMPLE returned it */
    uint32_t metadata_item_bytes; /**< stride of the metadata list, as SETUP returned it */
};

/** The metadata of a sample. */
struct pp_mali_sample {
    uint64_t start_ns; /**< CLOCK_MONOTONIC_RAW */
    uint64_t end_ns;
    uint64_t sequence;
    uint64_t user_data;
    uint32_t clocks;    /**< domains in cycles[], 0 if the sample has none */
    uint64_t cycles[4]; /**< 0: top, 1: shader cores */
    bool stretched;
};

/**
 * Add one kinstr sample. The values are 64 bits wide and never saturate. Blocks that are off or unavailable
 * do not contribute.
 *
 * @param ret_sample Written on success; may be NULL.
 * @param ret_offset Offset in the mapping of what is wrong, on every error; may be NULL.
 * @retval 0        Added.
 * @retval -EBADMSG The metadata list does not begin with the sample's item, leaves the mapping, or does not
 * have the blocks that the configuration has.
 * @retval -ERANGE  A block's values are outside the mapping.
 * @retval -EIO     The driver marks the sample as erroneous.
 */
__attribute__((warn_unused_result)) int
pp_mali_add_kinstr(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config,
                   const struct pp_mali_kinstr *kinstr, struct pp_mali_sums *sums,
                   struct pp_mali_sample *ret_sample, size_t *ret_offset);

#endif
