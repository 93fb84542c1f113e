/** @file
 * The statistics that a comparison knows. See diff.h. */
#ifndef PP_CLI_COMPARE_DIFF_STAT_H
#define PP_CLI_COMPARE_DIFF_STAT_H

#include <stdbool.h>

/** Which number of a run is compared; the first ones in the order of --stat in docs/options.yaml. */
enum pp_diff_stat {
    PP_DIFF_P5, /**< 5 % of the frames took less: those that nothing disturbed */
    PP_DIFF_P50,
    PP_DIFF_MEAN,
    PP_DIFF_P95,
    PP_DIFF_P99,
    PP_DIFF_MAX,
    PP_DIFF_TOTAL, /**< over all frames, or a frame rate: no statistic of frames */
    PP_DIFF_STATS
};

/** Does a statistic show the time of a usual frame: p50 or p5? Passes that run once in each frame have it. */
bool pp_diff_stat_is_typical(enum pp_diff_stat stat);

/** Name of a statistic: "p50", "mean", ...; static. */
const char *pp_diff_stat_name(enum pp_diff_stat stat);

#endif
