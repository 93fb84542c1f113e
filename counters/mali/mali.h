/** @file
 * Room: what an Arm Mali GPU of the job-manager kind (Bifrost, early Valhall) counted. A dump is blocks of 64
 * words: front end, tiler, L2 slices, shader cores; which words mean what is data (counters/gpus/mali), as
 * are a block's words (counters/snapshot/layouts/mali.csv). From dumps to sums, from sums to metrics. Knows
 * no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_MALI_MALI_H
#define PP_COUNTERS_MALI_MALI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"
#include "counters/snapshot/value.h"

/** Kinds of blocks, in the order a dump has them. */
enum pp_mali_block {
    PP_MALI_JM,          /**< front end (job manager), one */
    PP_MALI_TILER,       /**< one */
    PP_MALI_L2,          /**< one per L2 slice */
    PP_MALI_SHADER_CORE, /**< one per bit position of the core mask up to the highest set one */
    PP_MALI_BLOCK_KINDS
};

/** How a counter's blocks become one value. */
enum pp_mali_aggregation {
    PP_MALI_SINGLE,  /**< there is one block */
    PP_MALI_SUM,     /**< sum over L2 slices */
    PP_MALI_AVERAGE, /**< sum over shader cores / number of cores, not truncated */
};

enum {
    PP_MALI_MAX_COUNTERS = 240, /**< 4 x 60: every word of every kind of block */
    PP_MALI_BLOCK_WORDS = 64,
};

/** A hardware counter. Text is UTF-8. */
struct pp_mali_counter {
    const char *symbol;      /**< Arm's name in formulas: "MaliGPUCyclesGPUActive" */
    const char *hw_name;     /**< "GPU_ACTIVE" */
    const char *title;       /**< for people */
    const char *description; /**< a sentence */
    const char *unit;        /**< as Arm spells it: "beats" */
    uint8_t block;           /**< enum pp_mali_block */
    uint8_t word;            /**< 4..63 */
    uint8_t aggregation;     /**< enum pp_mali_aggregation */
    uint8_t unit_id;         /**< enum pp_unit */
};

/** A metric. Text is UTF-8. */
struct pp_mali_metric {
    const char *section;     /**< of Arm's guide: "1.2.2.1"; "" for a user's */
    const char *symbol;      /**< "fragment_queue_utilization" */
    const char *title;       /**< for people */
    const char *description; /**< a sentence */
    const char *unit;        /**< "percent", "bytes/cycle" */
    const char *formula;     /**< infix */
    uint8_t unit_id;         /**< enum pp_unit; a ratio is PP_UNIT_COUNT, its name says the rest */
};

/** What differs between parts of one GPU. */
struct pp_mali_config {
    uint64_t core_mask;      /**< bit per shader core present; may have holes */
    uint32_t l2_slices;      /**< 1..16 */
    uint32_t bus_width_bits; /**< of the external bus: 64, 128, 256 */
};

/** A GPU. Tables are borrowed. */
struct pp_mali_gpu {
    const char *name;    /**< "mali-g76" */
    const char *title;   /**< "Mali-G76" */
    uint32_t product_id; /**< GPU_PROD_ID & 0xf00f */
    uint32_t counters;
    uint32_t metrics;
    const struct pp_mali_counter *counter;
    const struct pp_mali_metric *metric;
    struct pp_mali_config assumed; /**< for a dump from elsewhere when nobody says otherwise */
};

/** The @p index-th GPU compiled in; NULL past the last. */
const struct pp_mali_gpu *pp_mali_gpu_at(size_t index);

/** The GPU of this name ("mali-g76"); NULL when there is none. */
const struct pp_mali_gpu *pp_mali_gpu_find(const char *name);

/** The GPU whose GPU_PROD_ID register reads @p product_id (0x7211 is a G76); NULL when there is none. */
const struct pp_mali_gpu *pp_mali_gpu_by_product(uint32_t product_id);

/**
 * Configuration from register values, as panfrost's GET_PARAM gives them; kbase's GET_GPUPROPS gives the core
 * mask (OR of coherency_group_n) and raw_l2_features, and the slices directly.
 *
 * @param shader_present SHADER_PRESENT.
 * @param mem_features   MEM_FEATURES: bits 11:8 are the L2 slices less one.
 * @param l2_features    L2_FEATURES: bits 31:24 are log2 of the bus width.
 * @retval 0       *ret is written.
 * @retval -EINVAL No shader core, or a bus width beyond 2^12 bits.
 */
__attribute__((warn_unused_result)) int pp_mali_config_from_registers(uint64_t shader_present,
                                                                      uint32_t mem_features,
                                                                      uint32_t l2_features,
                                                                      struct pp_mali_config *ret);

/** Is the configuration possible: 1..64 cores, 1..16 slices, a bus width of 8..4096 bits? @retval 0, -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_mali_config_check(const struct pp_mali_config *config);

/**
 * Read a GPU and its configuration as users write them: "mali-g76", "mali-g76:cores=0x7777,l2=4,bus=128".
 * What is not named is what the GPU assumes.
 *
 * @param text    The text; NULL or "" is the first GPU compiled in.
 * @param message One line about what is wrong, where the result is -EINVAL or -ENOENT.
 * @param size    Bytes of message.
 * @retval 0       *ret_gpu and *ret_config are written.
 * @retval -EINVAL Not of this form.
 * @retval -ENOENT No such GPU.
 */
__attribute__((warn_unused_result)) int pp_mali_config_parse(const char *text,
                                                             const struct pp_mali_gpu **ret_gpu,
                                                             struct pp_mali_config *ret_config, char *message,
                                                             size_t size);

/**
 * Read the part behind the colon, for a GPU already known.
 *
 * @param text "cores=0x7777,l2=4,bus=128" or parts of it; "" is what the GPU assumes.
 * @retval 0, -EINVAL As pp_mali_config_parse().
 */
__attribute__((warn_unused_result)) int pp_mali_settings_parse(const struct pp_mali_gpu *gpu,
                                                               const char *text,
                                                               struct pp_mali_config *ret_config,
                                                               char *message, size_t size);

/** Shader cores present. */
uint32_t pp_mali_cores(const struct pp_mali_config *config);

/** Bytes of one raw dump: (2 + slices + position of the highest core + 1) blocks of 256. */
size_t pp_mali_dump_bytes(const struct pp_mali_config *config);

/** Remarks about a counter's sum. */
enum {
    PP_MALI_UNAVAILABLE = 1, /**< no block had it enabled, in at least one of the dumps */
    PP_MALI_PARTIAL = 2,     /**< some present block did not have it enabled */
    PP_MALI_SATURATED = 4,   /**< a hardware counter stopped at 2^32 - 1: a lower bound */
};

/** Running sums of one piece of work. The caller's; borrows nothing. */
struct pp_mali_sums {
    uint64_t sum[PP_MALI_MAX_COUNTERS];   /**< as gpu->counter, over blocks and dumps */
    uint8_t remark[PP_MALI_MAX_COUNTERS]; /**< PP_MALI_* */
    uint32_t dumps;                       /**< added; 0: the sums mean nothing */
    bool stretched; /**< kbase said of a sample that it covers more than was asked for */
};

/** Begin with nothing. */
void pp_mali_sums_begin(struct pp_mali_sums *sums);

/**
 * Add a raw dump that was cleared when the one before was taken: real hardware. Leave the opening dump of an
 * interval out.
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
 * Add the difference of two raw dumps of a back end that does not clear: every word counts (after - before)
 * mod 2^32, and only what both have enabled.
 *
 * @retval 0         Added.
 * @retval -EMSGSIZE @p size is not pp_mali_dump_bytes(); nothing is added.
 */
__attribute__((warn_unused_result)) int pp_mali_add_difference(const struct pp_mali_gpu *gpu,
                                                               const struct pp_mali_config *config,
                                                               const uint8_t *before, const uint8_t *after,
                                                               size_t size, struct pp_mali_sums *sums);

/** A session's memory that kbase's kinstr_prfcnt shares, and where one sample lies in it. */
struct pp_mali_kinstr {
    const uint8_t *map; /**< start of the mapping: values_offset counts from here, not from the sample */
    size_t map_bytes;
    uint64_t sample_offset;       /**< as GET_SAMPLE returned it */
    uint32_t metadata_item_bytes; /**< stride of the metadata list, as SETUP returned it */
};

/** What a sample says beside its values. */
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
 * Add one kinstr sample. Its values are 64 bits wide and never saturate; blocks that are off or unavailable
 * do not contribute.
 *
 * @param ret_sample Written on success; may be NULL.
 * @param ret_offset Offset in the mapping of what is wrong, on every error; may be NULL.
 * @retval 0        Added.
 * @retval -EBADMSG The metadata list does not begin with the sample's item, leaves the mapping, or does not
 * have the blocks that the configuration has.
 * @retval -ERANGE  A block's values lie outside the mapping.
 * @retval -EIO     The driver marks the sample as erroneous.
 */
__attribute__((warn_unused_result)) int
pp_mali_add_kinstr(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config,
                   const struct pp_mali_kinstr *kinstr, struct pp_mali_sums *sums,
                   struct pp_mali_sample *ret_sample, size_t *ret_offset);

/** Status of a counter: PP_OK, PP_PARTIAL, PP_SATURATED (partial weighs more), PP_DISABLED where unavailable,
 * PP_NOT_AVAILABLE without a dump. */
enum pp_status pp_mali_status(const struct pp_mali_sums *sums, uint32_t counter);

/** One value of a decoded row. */
struct pp_mali_cell {
    union pp_metric_number value; /**< meaningless unless pp_status_has_value(status), but see
                                     pp_metric_result.value */
    uint8_t type;                 /**< enum pp_metric_type */
    uint8_t status;               /**< enum pp_status */
    uint8_t remark;               /**< PP_MALI_*, of all counters it is computed from */
};

/** A column of decoded rows: the GPU's counters, then its metrics. */
struct pp_mali_column {
    const char *symbol; /**< borrowed from the GPU */
    const char *unit;
    enum pp_unit unit_id;
    bool metric; /**< else a counter */
};

/** Decodes dumps of one GPU. */
struct pp_mali_decoder;

/**
 * Compile a GPU's metrics for one configuration.
 *
 * Ownership: *ret is the caller's, for pp_mali_decoder_destroy(); borrows @p gpu. Allocates.
 *
 * @param error As for pp_metric_compile(), of a user's GPU; may be NULL.
 * @retval 0 Else -EINVAL for an impossible configuration, or as pp_metric_compile().
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
 * Evaluate all counters and metrics of one piece of work.
 *
 * Threads: one per decoder. Allocates, locks, logs nothing.
 *
 * @param cell pp_mali_decoder_columns() cells to write.
 */
void pp_mali_decode_sums(struct pp_mali_decoder *decoder, const struct pp_mali_sums *sums,
                         struct pp_mali_cell *cell);

/**
 * Evaluate many pieces of work, a column at a time.
 *
 * @param rows   Pieces of work.
 * @param sums   @p rows of them.
 * @param input  For every counter a column of @p rows cells of eight bytes, and one of statuses: scratch that
 * the caller owns, filled here.
 * @param result One per metric.
 */
void pp_mali_decode_columns(struct pp_mali_decoder *decoder, size_t rows, const struct pp_mali_sums *sums,
                            const struct pp_metric_result *input, const struct pp_metric_result *result);

#endif
