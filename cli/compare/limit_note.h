/** @file
 * What a user must know of a limit of `diff --fail-above` besides its state. A part of limit_check.h, for its
 * file only. */
#ifndef PP_CLI_COMPARE_LIMIT_NOTE_H
#define PP_CLI_COMPARE_LIMIT_NOTE_H

#include "cli/compare/diff.h"
#include "cli/compare/limit.h"

/**
 * Note of a limit without any row to check: do the runs have too few frames for its percentile?
 *
 * @param ret Owned by the caller; NULL: this is not the reason.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_limit_note_frames(const struct pp_limit *limit,
                                                             const struct pp_diff *diff, char **ret);

/** Note of a limit that names a statistic: by p5, this row is above it. @param ret Owned by the caller.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_limit_note_p5(const struct pp_diff_row *row, char **ret);

#endif
