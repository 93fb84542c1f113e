/** @file
 * See diff_stat.h. */
#include "cli/compare/diff_stat.h"

const char *
pp_diff_stat_name(enum pp_diff_stat stat)
{
    static const char *const name[PP_DIFF_STATS] = {
        [PP_DIFF_P50] = "p50", [PP_DIFF_MEAN] = "mean", [PP_DIFF_P95] = "p95",
        [PP_DIFF_P99] = "p99", [PP_DIFF_MAX] = "max",   [PP_DIFF_TOTAL] = "total"};
    return name[stat];
}
