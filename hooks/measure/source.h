/** @file
 * What an OpenGL context can count by itself, as two counter sources: timestamps and pipeline statistics.
 * query_readback.c decides which queries write them. See also device.h. */
#ifndef PP_HOOKS_MEASURE_SOURCE_H
#define PP_HOOKS_MEASURE_SOURCE_H

#include "core/engine/config.h"
#include "counters/sources/source.h"

/** `self` of both sources. Fill in the reasons, then pass it to their calls. Layouts live as long as this
 * object. */
struct pp_gl_sources {
    const char *no_time;                              /**< why timestamps are missing; NULL: available */
    uint8_t time_bits;                                /**< valid bits of a timestamp */
    const char *no_statistic[PP_PIPELINE_STATISTICS]; /**< why each is missing; NULL: available */
    struct pp_field time_field;
    struct pp_layout time_layout;
    struct pp_gl_statistics_layout *layouts; /**< layouts made so far */
};

extern const struct pp_source_ops pp_gl_source_time;
extern const struct pp_source_ops pp_gl_source_statistics;

/** Free all layouts. */
void pp_gl_sources_finish(struct pp_gl_sources *sources);

#endif
