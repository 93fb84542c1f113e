/** @file
 * See diff.h. */
#include "cli/compare/diff.h"

bool
pp_diff_stat_is_typical(enum pp_diff_stat stat)
{
    return stat == PP_DIFF_P50 || stat == PP_DIFF_P5;
}

const char *
pp_diff_stat_name(enum pp_diff_stat stat)
{
    static const char *const name[PP_DIFF_STATS] = {
        [PP_DIFF_P5] = "p5",   [PP_DIFF_P50] = "p50", [PP_DIFF_MEAN] = "mean",  [PP_DIFF_P95] = "p95",
        [PP_DIFF_P99] = "p99", [PP_DIFF_MAX] = "max", [PP_DIFF_TOTAL] = "total"};
    return name[stat];
}
