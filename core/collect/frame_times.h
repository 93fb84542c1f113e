/** @file
 * Module: the times of a whole frame, from those of its passes and from what the CPU saw. Collector thread
 * only. Knows no graphics API. Next module: frame.h. */
#ifndef PP_CORE_COLLECT_FRAME_TIMES_H
#define PP_CORE_COLLECT_FRAME_TIMES_H

#include "core/collect/rows.h"

/**
 * Fill the frame's GPU times: span and union of the times of all parts of its passes. A part without a time
 * makes both unknown, since they would be too small.
 *
 * @param rows          Of the frame; the spans are sorted.
 * @param union_is_busy False: the brackets hold gaps, so that their union is not the GPU's busy time.
 * @param complete      False: results are missing.
 */
void pp_frame_gpu_times(struct pp_frame_rows *rows, bool union_is_busy, bool complete);

/** Fill the frame's CPU times and, with its GPU times known, the latency. @param end The frame's end. */
void pp_frame_cpu_times(struct pp_frame_row *frame, const struct pp_frame_item *end);

#endif
