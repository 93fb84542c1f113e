/** @file
 * Room: the table of passes by GPU time, in its two widths: stat's and report's. Knows statistics by name
 * only. */
#ifndef PP_CLI_PASSES_H
#define PP_CLI_PASSES_H

#include <stdio.h>

#include "cli/recording.h"

/** What an empty bracket measures, from session.json; NaN where it is not known. */
struct pp_bracket_bias {
    double median_ns; /**< subtracted from means and percentiles of pass times */
    double spread_ns; /**< interquartile range; times below three of it read "below resolution" */
};

/** Read it for passes, from the first device that has it. */
struct pp_bracket_bias pp_passes_bias(const struct pp_recording *rec);

/** stat's: share, mean, p95, count a frame, name; the @p most dearest, at most 80 columns. Sorts the series.
 */
void pp_passes_print_short(FILE *out, struct pp_recording *rec, size_t most);

/** report's: share, mean, p50, p95, p99, count, name; all of them. Sorts the series. */
void pp_passes_print_long(FILE *out, struct pp_recording *rec);

#endif
