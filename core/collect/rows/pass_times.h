/** @file
 * GPU times of passes. The time of a pass is that of its bracket. With --serialize at level draw, each action
 * ran by itself, and the GPU was idle between two actions: then the time of a pass is the sum of the times of
 * its actions, without the gaps, and so are counters that are found by times; it begins where the first
 * action does. Collector thread only. This file knows no graphics API. See also rows.h and frame_times.h. */
#ifndef PP_CORE_COLLECT_ROWS_PASS_TIMES_H
#define PP_CORE_COLLECT_ROWS_PASS_TIMES_H

#include "core/collect/rows/rows.h"

/** Sum of two times; too large a sum is PP_REJECTED. */
struct pp_value pp_pass_times_sum(struct pp_value a, struct pp_value b);

/**
 * Note when the GPU worked on a part of a pass, and whether the actions of the part ran one by one. Between
 * the parts of a pass the GPU may have had nothing to do.
 *
 * @param rows   rows->build[number] is initialised; rows->span is long enough.
 * @param number Number of the pass.
 * @param times  Of the part's bracket.
 */
void pp_pass_times_add_part(struct pp_frame_rows *rows, uint32_t number, const struct pp_batch *batch,
                            const struct pp_pass *pass, const struct pp_bracket_times *times);

/** Add the GPU time of an action to the sum of its pass. @param isolated The action ran by itself. */
void pp_pass_times_add_action(struct pp_pass_build *build, bool isolated, struct pp_value time_ns);

/** Set the times of all passes whose actions ran one by one, after all parts and actions were added. The
 * spans of their actions replace those of the passes. */
void pp_pass_times_finish(struct pp_frame_rows *rows);

#endif
