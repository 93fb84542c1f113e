/** @file
 * Prints one frame next to what is usual: `report --frame N`. See analysis/slow_frames.h. */
#ifndef PP_CLI_PRINT_ONE_FRAME_H
#define PP_CLI_PRINT_ONE_FRAME_H

#include <stdio.h>

#include "cli/session/saved_session.h"

/** Print a frame: its times, its passes, its counts and counters, each with the median of the frames around
 * it, and why it was slow. @retval 0, -ENOMEM. @retval -ENOENT There is no such frame. */
__attribute__((warn_unused_result)) int pp_one_frame_print(FILE *out, const struct pp_saved_session *rec,
                                                           double frame);

#endif
