/** @file
 * From sums to values of counters and metrics; part of mali.h. */
#ifndef PP_COUNTERS_MALI_MALI_DECODE_H
#define PP_COUNTERS_MALI_MALI_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali_sums.h"
#include "counters/metric/metric.h"

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
