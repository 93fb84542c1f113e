/** @file
 * Inside of mali.h: what kbase's GET_GPUPROPS writes. Pure: knows no file, no thread. */
#ifndef PP_COUNTERS_SOURCES_MALI_MALI_PROPERTIES_H
#define PP_COUNTERS_SOURCES_MALI_MALI_PROPERTIES_H

#include <stddef.h>
#include <stdint.h>

/** What a GPU is made of, as far as its counters need it. */
struct pp_kbase_properties {
    uint64_t product, l2_slices, l2_features;
    uint64_t cores; /**< mask */
};

/**
 * Take the properties out of the driver's list: for each a key times 4 plus the code of its size, then the
 * value, all little endian and unaligned. Unknown keys are skipped; a list that ends early ends there.
 *
 * @param ret Members that the list lacks stay as they are.
 */
void pp_kbase_properties_read(const uint8_t *bytes, size_t size, struct pp_kbase_properties *ret);

#endif
