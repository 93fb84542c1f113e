/** @file
 * Kinds of Arm Mali GPUs that are compiled in, the configuration of a chip, and the tables that
 * tools/gen_mali.py generates, for mali_gpu.c only. */
#ifndef PP_COUNTERS_MALI_MALI_GPU_H
#define PP_COUNTERS_MALI_MALI_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/value.h"

/** Kinds of blocks, in the order a dump has them. */
enum pp_mali_block {
    PP_MALI_JM,          /**< front end (job manager), one */
    PP_MALI_TILER,       /**< one */
    PP_MALI_L2,          /**< one per L2 slice */
    PP_MALI_SHADER_CORE, /**< one per bit position of the core mask, up to the highest bit set */
    PP_MALI_BLOCK_KINDS
};

/** How the values of a counter's blocks become one value. */
enum pp_mali_aggregation {
    PP_MALI_SINGLE,  /**< there is one block */
    PP_MALI_SUM,     /**< sum over L2 slices */
    PP_MALI_AVERAGE, /**< sum over shader cores / number of cores, not truncated */
};

enum {
    PP_MALI_MAX_COUNTERS = 240, /**< 4 x 60: every word of every kind of block */
    PP_MALI_BLOCK_WORDS = 64,
};

/** A hardware counter of a GPU. Text is UTF-8. */
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

/** A metric of a GPU. Text is UTF-8. */
struct pp_mali_metric {
    const char *section;     /**< of Arm's guide: "1.2.2.1"; "" for a user's metric */
    const char *symbol;      /**< "fragment_queue_utilization" */
    const char *title;       /**< for people */
    const char *description; /**< a sentence */
    const char *unit;        /**< "percent", "bytes/cycle" */
    const char *formula;     /**< infix */
    uint8_t unit_id;         /**< enum pp_unit; PP_UNIT_COUNT for ratios, which `unit` names */
};

/** The configuration of one chip with a GPU. */
struct pp_mali_config {
    uint64_t core_mask;      /**< bit per shader core present; may have holes */
    uint32_t l2_slices;      /**< 1..16 */
    uint32_t bus_width_bits; /**< of the external bus: 64, 128, 256 */
};

/** A kind of GPU. The tables are borrowed. */
struct pp_mali_gpu {
    const char *name;    /**< "mali-g76" */
    const char *title;   /**< "Mali-G76" */
    uint32_t product_id; /**< GPU_PROD_ID & 0xf00f */
    uint32_t counters;
    uint32_t metrics;
    const struct pp_mali_counter *counter;
    const struct pp_mali_metric *metric;
    struct pp_mali_config assumed; /**< for a dump whose chip is not known */
};

/** The @p index-th GPU compiled in; NULL past the last. */
const struct pp_mali_gpu *pp_mali_gpu_at(size_t index);

/** The GPU of this name ("mali-g76"); NULL when there is none. */
const struct pp_mali_gpu *pp_mali_gpu_find(const char *name);

/** The GPU whose GPU_PROD_ID register reads @p product_id (0x7211 is a G76); NULL when there is none. */
const struct pp_mali_gpu *pp_mali_gpu_by_product(uint32_t product_id);

/**
 * Compute a configuration from register values. panfrost's GET_PARAM gives all three; kbase's GET_GPUPROPS
 * gives the core mask (OR of coherency_group_n), raw_l2_features, and the number of slices itself.
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
 * Settings that the text leaves out are pp_mali_gpu.assumed.
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
 * Read the settings of a configuration, for a known GPU: the part after the colon of
 * pp_mali_config_parse().
 *
 * @param text "cores=0x7777,l2=4,bus=128" or some of these settings; the others are pp_mali_gpu.assumed.
 * @retval 0, -EINVAL As pp_mali_config_parse().
 */
__attribute__((warn_unused_result)) int pp_mali_settings_parse(const struct pp_mali_gpu *gpu,
                                                               const char *text,
                                                               struct pp_mali_config *ret_config,
                                                               char *message, size_t size);

/** Number of shader cores that are present. */
uint32_t pp_mali_cores(const struct pp_mali_config *config);

/** Bytes of one raw dump: (2 + slices + position of the highest core + 1) blocks of 256. */
size_t pp_mali_dump_bytes(const struct pp_mali_config *config);

/** Number of shader-core blocks in a dump: the position of the highest core, plus 1. Absent cores are
 * included. */
uint32_t pp_mali_core_positions(const struct pp_mali_config *config);

extern const struct pp_mali_gpu pp_mali_table[]; /**< as in devices.csv */
extern const uint32_t pp_mali_table_length;      /**< elements of pp_mali_table */

#endif
