/** @file
 * Adding raw dumps to sums; part of mali.h. */
#ifndef PP_COUNTERS_MALI_MALI_DUMP_H
#define PP_COUNTERS_MALI_MALI_DUMP_H

#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali_sums.h"

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

#endif
