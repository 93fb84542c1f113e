/** @file
 * What the numbers of runs say about one row. A part of diff.h, for its files only. */
#ifndef PP_CLI_COMPARE_DIFF_JUDGE_H
#define PP_CLI_COMPARE_DIFF_JUDGE_H

#include "cli/compare/diff_build.h"

/** A number of each run; NaN: the run lacks it. Borrowed. */
struct pp_diff_values {
    const double *olds, *news;
    size_t old_runs, new_runs;
    double old_half, new_half; /**< half of the interval within the first run of a side; NaN: not known */
    bool too_correlated;       /**< these halves are too small */
    bool counts_changed;       /**< counts of draws or the like changed, too */
};

/** Set the numbers and the verdict of a row that has kind, unit and stat. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_judge(struct pp_diff_row *row,
                                                      const struct pp_diff_values *values,
                                                      const struct pp_diff_options *options);

/** Find the verdicts of a part's rows together: they share what is known about the spread of runs
 * (stats_spread.h), and their number is taken into account (Benjamini and Hochberg). @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_correct(struct pp_diff_part *part, enum pp_diff_kind kind,
                                                        const struct pp_diff_options *options);

/**
 * Compare each pass with the other passes of its runs, where this is surer: a machine that is slower during
 * one run makes all passes of it longer. A pass that is slower or faster by this comparison, and not by the
 * plain one, gets that verdict; `visible_percent` is that of the surer comparison. Not with --pairs, which
 * cancel most of this by themselves, and not if the passes changed together by more than chance.
 *
 * @param build The rows of passes are made and corrected.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_diff_judge_relative(struct pp_diff_build *build);

/** Take into account how many rows of frames a part has: they are many numbers of the same few times, so that
 * one of them differs by chance more often than in 5 % (Benjamini and Hochberg). @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_correct_frames(struct pp_diff_part *part,
                                                               const struct pp_diff_options *options);

/** Did a count change? @param exact Both are the same in each run: any difference counts. */
bool pp_diff_count_changed(double old_value, double new_value, bool exact);

#endif
