/** @file
 * Several runs as tables: what `stat -r` prints, and what `diff --trend` found. Prints the figures of
 * compare/spread.h and compare/trend.h; decides nothing. */
#ifndef PP_CLI_PRINT_RUNS_H
#define PP_CLI_PRINT_RUNS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/compare/spread.h"
#include "cli/compare/trend.h"
#include "cli/print/diff.h"

/** What the table says that the runs do not have. */
struct pp_runs_spread_look {
    const char *command; /**< as typed */
    const char *folder;  /**< of the runs */
    bool verbose;        /**< all passes and counters */
};

/** Print repeated runs. */
void pp_runs_spread_print(FILE *out, const struct pp_runs_spread *spread,
                          const struct pp_runs_spread_look *look);

/** Print the changes of a trend, the newest one first in each figure.
 * @param threshold As a share.
 * @param look      all: all figures, also those that did not change, and all points; most: figures that
 *                  changed at most, and points at most. */
void pp_trend_print(FILE *out, const struct pp_trend *trend, double threshold,
                    const struct pp_diff_look *look);

#endif
