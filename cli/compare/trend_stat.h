/** @file
 * Which number of a run a trend compares where the user did not choose one: the median, or on a software
 * driver p5, if other programs disturbed the runs. As diff_steady.h for two sides. A part of trend.h. */
#ifndef PP_CLI_COMPARE_TREND_STAT_H
#define PP_CLI_COMPARE_TREND_STAT_H

#include "cli/compare/diff.h"
#include "cli/compare/trend_points.h"

/** The number that is compared, and why. */
struct pp_trend_stat {
    enum pp_diff_stat stat;
    bool disturbed;               /**< by the spreads, p5 would be known better than the median */
    double p50_spread, p5_spread; /**< of neighbouring points, as shares; NaN: not known */
};

/** Choose the number. The rule is in docs/internals/statistics.md. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_trend_stat_choose(const struct pp_trend_points *points,
                                                             const struct pp_diff_options *options,
                                                             struct pp_trend_stat *ret);

#endif
