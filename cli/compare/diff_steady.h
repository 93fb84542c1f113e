/** @file
 * Which number of a run is compared where the user did not choose one: the median, or on a software driver
 * p5, in each row whose runs differ less then. Also: which runs differ from the others, and did other
 * programs disturb them? A part of diff.h. The rules are in docs/internals/statistics.md. */
#ifndef PP_CLI_COMPARE_DIFF_STEADY_H
#define PP_CLI_COMPARE_DIFF_STEADY_H

#include "cli/compare/diff_build.h"

/** Is the median known badly, and p5 better, by their spreads (shares; NaN: not known)? */
bool pp_diff_is_steadier(double p50_spread, double p5_spread);

/** The statistic of a row: that of the options, or of p50 and p5 the one whose runs differ less, where the
 * comparison may choose. @param p50, p5 Keys for @p ask. */
enum pp_diff_stat pp_diff_steadiest(struct pp_diff_build *build, pp_diff_ask *ask,
                                    const struct pp_diff_keys *p50, const struct pp_diff_keys *p5);

/** pp_diff_steadiest() for a time of frames of each side's first surface, without a comparison. Each side has
 * a run. */
enum pp_diff_stat pp_diff_stat_for(const struct pp_diff_options *options, const struct pp_diff_side *olds,
                                   const struct pp_diff_side *news, enum pp_time_kind kind);

/** Leave out the run whose time is far from all others: with five runs or more, if it is away from the
 * nearest other one by more than 2 % and by more than five times the range of the others. @param value A time
 * of each run of a side; that of the run becomes NaN. @return Runs left out: 0 or 1. */
size_t pp_diff_leave_out(double *value, size_t runs);

/** Set disturbed and spread of the part that is made. @param frame_p50 Keys of the median frame time. */
void pp_diff_find_disturbed(struct pp_diff_build *build, pp_diff_ask *ask,
                            const struct pp_diff_keys *frame_p50);

/** Note the runs whose number differs from all others of their side. @param figure Its name, for people.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_apart(struct pp_diff *diff, struct pp_diff_build *build,
                                                           pp_diff_ask *ask, const struct pp_diff_keys *keys,
                                                           const char *figure);

/** Note which statistics were chosen, and that other programs disturbed the runs. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_steady(struct pp_diff *diff,
                                                            const struct pp_diff_part *part);

#endif
