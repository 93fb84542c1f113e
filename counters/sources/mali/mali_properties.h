/** @file
 * The list of properties that kbase's GET_GPUPROPS returns. Pure: knows no file, no thread. */
#ifndef PP_COUNTERS_SOURCES_MALI_MALI_PROPERTIES_H
#define PP_COUNTERS_SOURCES_MALI_MALI_PROPERTIES_H

#include <stddef.h>
#include <stdint.h>

/** The properties of a GPU that its counters need. */
struct pp_kbase_properties {
    uint64_t product, l2_slices, l2_features;
    uint64_t cores; /**< mask */
};

/**
 * Read the properties from the driver's list. For each property, the list has key * 4 + code of the size,
 * then the value, little endian and unaligned. Unknown keys are skipped. A list that ends inside a property
 * is read up to there.
 *
 * @param ret Members that the list lacks stay unchanged.
 */
void pp_kbase_properties_read(const uint8_t *bytes, size_t size, struct pp_kbase_properties *ret);

#endif
