/** @file
 * Module: what is usual around a frame: medians over its neighbours, and from which time on a frame is slow.
 * Prints nothing. The rules are in docs/internals/statistics.md. See slow_frames.h. */
#ifndef PP_CLI_ANALYSIS_FRAME_BASELINE_H
#define PP_CLI_ANALYSIS_FRAME_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/analysis/frame_table.h"

/** Frames of a block. The neighbours of a frame are its block, the two before and the two after. */
#define PP_BASELINE_BLOCK 30U
/** Most neighbours. */
#define PP_NEIGHBOURS_MAX (5 * (size_t)PP_BASELINE_BLOCK)

/** Frames of one surface at one level, by number, without first frames. Owned; begin with all zero. */
struct pp_frame_series {
    const struct pp_frame_table *table; /**< borrowed */
    uint32_t *row;                      /**< indexes in table->row */
    size_t len;
};

/** Which of the rules decides from when on a frame is slow. */
enum pp_slow_rule {
    PP_SLOW_FACTOR, /**< times the median */
    PP_SLOW_SPREAD, /**< the neighbours' times differ much */
    PP_SLOW_COMMON, /**< one in ten neighbours is long */
    PP_SLOW_LEAST   /**< a person can notice it */
};

/** When is a frame slow? */
struct pp_baseline {
    double usual_ns;  /**< median frame time of the neighbours; NaN: too few of them */
    double slow_ns;   /**< a frame is slow from here on */
    double common_ns; /**< nine tenths of the neighbours are not longer */
    enum pp_slow_rule rule;
};

/** Collect the frames of a surface at a level. @param also Number of a frame that is collected even if it is
 * a first frame; NaN: none. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_frame_series_make(const struct pp_saved_session *rec,
                                                             const struct pp_frame_table *table,
                                                             size_t surface, size_t level, double also,
                                                             struct pp_frame_series *ret);

/** Free a series. */
void pp_frame_series_finish(struct pp_frame_series *series);

/** The neighbours of the frames of block @p block, as places in series->row: [*ret_from, *ret_to). */
void pp_baseline_neighbours(const struct pp_frame_series *series, size_t block, size_t *ret_from,
                            size_t *ret_to);

/** The baseline of the frames of block @p block, which begins at @p block * PP_BASELINE_BLOCK. */
struct pp_baseline pp_baseline_of_block(const struct pp_frame_series *series, size_t block);

/** The baseline of these neighbours. @param value Frame times above 0, nanoseconds; overwritten. */
struct pp_baseline pp_baseline_of_times(double *value, size_t n);

/** The median of a column over the neighbours of frame @p i, without that frame. @param ret_spread Median
 * distance of the neighbours from this median; may be NULL. @return NaN: fewer than 10 neighbours have it. */
double pp_baseline_usual(const struct pp_frame_series *series, size_t i, size_t column, double *ret_spread);

#endif
