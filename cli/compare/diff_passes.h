/** @file
 * Rows of passes, and their names. A part of diff.h and trend.h, for their files only. */
#ifndef PP_CLI_COMPARE_DIFF_PASSES_H
#define PP_CLI_COMPARE_DIFF_PASSES_H

#include "cli/compare/diff_build.h"

/** Add the rows of passes, and of what is left of the GPU time. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_passes(struct pp_diff_build *build);

/** A pass's name for tables: "label: name", or the label if its last part is the name. @return Owned by the
 * caller; NULL: no memory. */
char *pp_diff_pass_title(const struct pp_pass_figures *pass);

/** Note the passes that are gone, and the new ones. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_passes(struct pp_diff *diff,
                                                            const struct pp_diff_part *part);

#endif
