/** @file
 * Why a frame was slow. Prints nothing. See slow_frames.h, whose function calls this for each slow frame. */
#ifndef PP_CLI_ANALYSIS_SLOW_CAUSES_H
#define PP_CLI_ANALYSIS_SLOW_CAUSES_H

#include <stdbool.h>

#include "cli/analysis/slow_frames.h"

/** Look for the causes of a frame. @param slow Has the table, the series, and the passes of this frame and of
 * those before it. @param frame In the array of @p slow; its causes are set. */
void pp_slow_frame_explain(const struct pp_slow_frames *slow, struct pp_slow_frame *frame);

/** Does a cause explain time? Otherwise the causes are only facts that differ from the usual, or none. */
bool pp_slow_frame_is_explained(const struct pp_slow_frame *frame);

#endif
