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
 * @param look      all: all figures, also those that did not change; most: figures that changed at most. */
void pp_trend_print(FILE *out, const struct pp_trend *trend, double threshold,
                    const struct pp_diff_look *look);

/** Size of the text of pp_trend_start(). */
#define PP_TREND_START_MAX 24U

/** The name of a figure with its statistic: "frame time p50", "shadow map p50". @return text. */
const char *pp_trend_title(char *text, size_t size, const struct pp_trend_series *series);

/** When a run began: "2026-11-12 09:00:07"; "": not known. @return text. */
const char *pp_trend_start(char text[PP_TREND_START_MAX], const struct pp_run_figures *run);

/**
 * Print a table with a row for each point: its value of each figure that changed, as many figures as have
 * space. Of more points than @p look shows, those around the changes, the first and the last. Prints nothing
 * if no figure changed; with look->all, the figures that did not change are printed, too.
 */
void pp_trend_table_print(FILE *out, const struct pp_trend *trend, const struct pp_diff_look *look);

#endif
