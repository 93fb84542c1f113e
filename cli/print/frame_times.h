/** @file
 * The summary's lines on frames: rates, table of times, histogram, verdicts. See also analysis/summary.h,
 * which has the figures. */
#ifndef PP_CLI_PRINT_FRAME_TIMES_H
#define PP_CLI_PRINT_FRAME_TIMES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/analysis/summary.h"

/** Print frame rates, lows, and how many frames they count. */
void pp_frame_rates_print(FILE *out, const struct pp_surface_summary *of);

/** Print the table of times. @param all Also the kinds of time that are left out otherwise. */
void pp_frame_times_print(FILE *out, const struct pp_surface_summary *of, bool all);

/** Print how many frames took how long, with bars on a terminal. Nothing where no frame time is known. */
void pp_frame_histogram_print(FILE *out, const struct pp_surface_summary *of);

/** Print what bounded how many of the frames whose GPU times are known. */
void pp_frame_verdicts_print(FILE *out, const struct pp_surface_summary *of);

#endif
