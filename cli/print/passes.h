/** @file
 * Passes and label regions as text: titles of passes, and the tables of stat and report. See also
 * analysis/pass_table.h, which has the figures. */
#ifndef PP_CLI_PRINT_PASSES_H
#define PP_CLI_PRINT_PASSES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/analysis/pass_table.h"
#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/** The title of a pass: its label path and name, or its kind where it has neither, and the size of its render
 * target. The title contains the surface where there are several; where other passes have the same name, also
 * what it draws and its place in the frame. At most @p columns wide. @return text. */
const char *pp_pass_title(char *text, size_t size, const struct pp_saved_session *rec,
                          const struct pp_saved_pass *pass, size_t columns);

/** Print "  12.34%" in 8 columns, or "-" where it is not known. */
void pp_print_percent(FILE *out, double percent);

/** Print the table of the summary: name, draws, time in a frame, share, p95, maximum; at most @p most passes.
 */
void pp_passes_print_short(FILE *out, const struct pp_saved_session *rec, const struct pp_pass_table *table,
                           size_t most);

/** Print report's table: share, time in a frame, p50, p95, p99, maximum with its frame, draws in a frame,
 * name; mean and count where the view asks for them. At most @p most passes. A name is cut on a terminal
 * only. */
void pp_passes_print_long(FILE *out, const struct pp_saved_session *rec, const struct pp_pass_table *table,
                          const struct pp_view *view, size_t most);

/** Print report's table of label regions: share of the GPU time of all passes, time in a frame with and
 * without the regions inside, p95, p99, maximum with its frame, label; mean and count where the view asks for
 * them. At most @p most regions. Sorts the series. */
void pp_labels_print(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most);

#endif
