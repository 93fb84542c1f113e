/** @file
 * Module: times of a whole frame, computed from the times of its passes and from what the CPU measured.
 * Collector thread only. This file knows no graphics API. See also rows.h.
 *
 * GPU times of passes. The time of a pass is that of its bracket. With --serialize at level draw, each action
 * ran by itself, and the GPU was idle between two actions: then the time of a pass is the sum of the times of
 * its actions, without the gaps, and so are counters that are found by times; it begins where the first
 * action does. */
#ifndef PP_CORE_COLLECT_ROWS_FRAME_TIMES_H
#define PP_CORE_COLLECT_ROWS_FRAME_TIMES_H

#include "core/collect/rows/rows.h"
#include "core/session/timeline.h"
#include "core/session/timeline_private.h"

struct pp_thread_times;

/**
 * Fill the frame's GPU times: span and union of the times of all parts of its passes. If the time of a part
 * was lost, both are unknown, because they would be too small. If a part was not measured, the span is that
 * of the others, and the union is unknown.
 *
 * @param rows          Rows of the frame; the spans get sorted.
 * @param union_is_busy False: the brackets include gaps, so their union is not the time in which the GPU was
 * busy.
 * @param complete      False: results are missing.
 */
void pp_frame_gpu_times(struct pp_frame_rows *rows, bool union_is_busy, bool complete);

/** Fill the frame's CPU times and, if its GPU times are known, the latency. @param end The frame's end. */
void pp_frame_cpu_times(struct pp_frame_row *frame, const struct pp_frame_item *end);

/**
 * Verdict of a frame; "" if the GPU's part is not known. The application's own time is the time in which it
 * waits neither in present nor in acquire nor for the GPU. The first rule that applies decides:
 *
 * - "gpu": the GPU is busy for 85 % of the frame or more.
 * - "cpu" or "sleep": the own time is 85 % of the frame or more.
 * - "sync": the application waits for the GPU (finish, fences, idle) longer than in present, longer than
 *   it sleeps, and for a quarter of the frame or more. CPU and GPU work alternately.
 * - "cpu" or "sleep": the own time is longer than the waits in present and acquire.
 * - "gpu": the GPU is busy longer than the own time, and for 85 % of the wait in present or more. That wait
 * is for the GPU.
 * - "present": otherwise. The application waits in present: for the display, or for what throttles it there.
 *
 * Of "cpu" and "sleep", "sleep" is right if the presenting thread slept for more than half of the own time,
 * and for longer than the GPU was busy: for a limiter of the frame rate, or for another thread.
 *
 * @param thread What the presenting thread did in the frame.
 */
const char *pp_frame_bound_by(const struct pp_frame_row *row, const struct pp_frame_times *times,
                              const struct pp_thread_times *thread);

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
