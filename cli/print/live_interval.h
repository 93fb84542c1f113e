/** @file
 * The lines of `stat -I`: one for each interval, while the application runs. */
#ifndef PP_CLI_PRINT_LIVE_INTERVAL_H
#define PP_CLI_PRINT_LIVE_INTERVAL_H

#include <stdio.h>

#include "cli/analysis/live_interval.h"

/** Print an interval's line. @param at_s Seconds since the application's start. */
void pp_live_interval_print(FILE *out, double at_s, const struct pp_live_interval_figures *figures);

#endif
