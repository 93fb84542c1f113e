/** @file
 * The two counter sources that every graphics API has: timestamps ("time") and pipeline statistics
 * ("pipeline"). This file has their names, events and layouts. hooks/ and layer/ say which events a device
 * lacks, and write and read the queries. See also registry.h. Knows no graphics API. */
#ifndef PP_COUNTERS_SOURCES_BUILTIN_H
#define PP_COUNTERS_SOURCES_BUILTIN_H

#include <stdint.h>

#include "counters/snapshot/source.h"

/** Number of pipeline statistics, see pp_pipeline_statistic_name(). */
#define PP_PIPELINE_STATISTICS 11U

/** Name of pipeline statistic @p i (0 to PP_PIPELINE_STATISTICS - 1) in the order of Vulkan's flag bits:
 * "input_assembly_vertices". Static; "" for other values of @p i. */
const char *pp_pipeline_statistic_name(uint32_t i);

/** `self` of both sources: what a device lacks. Zeroed: it lacks nothing. Fill in the first members, then
 * pass the object to the functions of the sources. Layouts live as long as the object. */
struct pp_builtin_sources {
    const char *no_time;    /**< why timestamps are missing; NULL: available. Borrowed */
    uint8_t time_bits;      /**< valid bits of a timestamp; 0: 64 */
    enum pp_unit time_unit; /**< of a timestamp: PP_UNIT_NS or PP_UNIT_TICKS */
    const char *no_statistic[PP_PIPELINE_STATISTICS]; /**< why each is missing; NULL: available. Borrowed */
    /* owned by the sources */
    struct pp_field time_field;
    struct pp_layout time_layout;
    struct pp_statistics_layout *layouts; /**< layouts of statistics made so far */
};

extern const struct pp_source_ops pp_source_time;
extern const struct pp_source_ops pp_source_pipeline;

/** Set the reason why none of the statistics is available. @p reason Borrowed. */
void pp_builtin_no_statistics(struct pp_builtin_sources *sources, const char *reason);

/** Layout of a query that counts the statistics whose bits are in @p mask, in the order of the bits.
 * @return NULL: the mask is empty, or no memory. */
const struct pp_layout *pp_builtin_statistics_layout(struct pp_builtin_sources *sources, uint32_t mask);

/** Free the layouts. */
void pp_builtin_finish(struct pp_builtin_sources *sources);

#endif
