/** @file
 * Rows of label regions, draws, counters and metrics. A part of diff.h, for its files only. */
#ifndef PP_CLI_COMPARE_DIFF_OTHERS_H
#define PP_CLI_COMPARE_DIFF_OTHERS_H

#include "cli/compare/diff_build.h"

/** Mark the rows of regions that have one pass: its row says the same. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_mark_repeats(struct pp_diff_part *part);

/** Add the rows of label regions. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_labels(struct pp_diff_build *build);

/** Add the rows of groups of draws. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_draws(struct pp_diff_build *build);

/** Add the rows of counters and metrics. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_counters(struct pp_diff_build *build);

#endif
