/** @file
 * Which events of which counter sources play a part in the rules of plausibility.h. Knows no graphics API. */
#ifndef PP_COUNTERS_PLAUSIBILITY_PART_TABLE_H
#define PP_COUNTERS_PLAUSIBILITY_PART_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/** The parts that events play in the rules. Those from PP_PART_VS_INVOCATIONS on come from `pipeline`. */
enum pp_part {
    PP_PART_CLOCKS,     /**< clocks of the GPU in the bracket */
    PP_PART_TIME_NS,    /**< time of the bracket, as the source itself measured it */
    PP_PART_BUSY,       /**< percentage of the clocks in which the GPU was busy */
    PP_PART_VS_THREADS, /**< hardware threads that were started for vertex shaders */
    PP_PART_HS_THREADS,
    PP_PART_DS_THREADS,
    PP_PART_GS_THREADS,
    PP_PART_VS_INVOCATIONS,
    PP_PART_HS_PATCHES,
    PP_PART_DS_INVOCATIONS,
    PP_PART_GS_INVOCATIONS,
    PP_PARTS
};

/** Number of events that can play a part, over all sources. @return The @p i-th one's source, event and part;
 * false past the last. */
bool pp_part_at(uint32_t i, const char **ret_source, const char **ret_event, enum pp_part *ret_part);

#endif
