/** @file
 * Which number of a run is compared where the user did not choose one: the median, or on a software driver
 * p5, if other programs disturbed the runs. A part of diff.h. */
#ifndef PP_CLI_COMPARE_DIFF_STEADY_H
#define PP_CLI_COMPARE_DIFF_STEADY_H

#include "cli/compare/diff.h"

/** Set options.stat of a comparison that may choose it (options.choose_stat), and note why. The rule is in
 * docs/internals/statistics.md. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_choose_stat(struct pp_diff *diff);

/** Is the median known badly, and p5 better, by their spreads (shares; NaN: not known)? */
bool pp_diff_is_steadier(double p50_spread, double p5_spread);

/** The number of each run that these options compare: their own stat, or p5 if they may choose and the runs
 * of a software driver were disturbed. Each side has a run. */
enum pp_diff_stat pp_diff_stat_for(const struct pp_diff_options *options, const struct pp_diff_side *olds,
                                   const struct pp_diff_side *news);

#endif
