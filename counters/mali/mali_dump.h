/** @file
 * Adding raw dumps to sums; part of mali.h.
 *
 * Adding samples of kbase's kinstr_prfcnt interface to sums; part of mali.h. */
#ifndef PP_COUNTERS_MALI_MALI_DUMP_H
#define PP_COUNTERS_MALI_MALI_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali_decode.h"

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
