/** @file
 * The table of passes by GPU time, in its two widths: stat's and report's. Knows statistics by name
 * only. */
#ifndef PP_CLI_PRINT_PASSES_H
#define PP_CLI_PRINT_PASSES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/session/session_read.h"

/** What an empty bracket measures, from session.json; NaN where it is not known. */
struct pp_bracket_bias {
    double median_ns; /**< subtracted from means and percentiles of pass times */
    double spread_ns; /**< interquartile range; times below three of it read "below resolution" */
};

/** Read it for @p wanted, "pass", from the first device that has it. */
struct pp_bracket_bias pp_bias_of_scope(const struct pp_recording *rec, const char *wanted);

/** A time less what an empty bracket measures, not below 0; as it is where that is not known. */
double pp_less(double ns, double bias);

/** What a pass is called: its label path and name, or its kind where it has neither; with its surface where
 * there are several, and its place in the frame where others are called the same. At most @p columns wide.
 * @return text. */
const char *pp_pass_title(char *text, size_t size, const struct pp_recording *rec,
                          const struct pp_rec_pass *pass, size_t columns);

/** Is there a pass to show? Not where all was work of no frame, measured as a whole: at level frame. */
bool pp_passes_tell(const struct pp_recording *rec);

/** Print "  12.34%" in 8 columns, or "-" where it is not known. */
void pp_print_percent(FILE *out, double percent);

/** stat's: share, mean, p95, count a frame, name; the @p most dearest, at most 80 columns. Sorts the series.
 */
void pp_passes_print_short(FILE *out, struct pp_recording *rec, size_t most);

/** report's: share, mean, p50, p95, p99, count, name; the @p most dearest. Sorts the series. */
void pp_passes_print_long(FILE *out, struct pp_recording *rec, size_t most);

/** GPU time of all passes that are shown, less what their brackets measured of themselves: the whole of which
 * shares are told. */
double pp_passes_total(const struct pp_recording *rec, const struct pp_bracket_bias *bias);

#endif
