/** @file
 * Rows of passes. A part of diff.h, for its files only. */
#ifndef PP_CLI_COMPARE_DIFF_PASSES_H
#define PP_CLI_COMPARE_DIFF_PASSES_H

#include "cli/compare/diff_build.h"

/** Add the rows of passes, and of what is left of the GPU time. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_passes(struct pp_diff_build *build);

#endif
