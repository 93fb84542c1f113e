/** @file
 * Rows of frames. A part of diff.h, for its files only. */
#ifndef PP_CLI_COMPARE_DIFF_FRAMES_H
#define PP_CLI_COMPARE_DIFF_FRAMES_H

#include "cli/compare/diff_build.h"

/** Add the rows of frames: rates, times, counts. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_frames(struct pp_diff_build *build);

/** Note the runs whose frame time or GPU time differs from the others. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_runs(struct pp_diff *diff, struct pp_diff_build *build);

#endif
