/** @file
 * The table of passes by GPU time, in its two widths: stat's and report's. Knows statistics by name
 * only. */
#ifndef PP_CLI_PRINT_PASSES_H
#define PP_CLI_PRINT_PASSES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/analysis/bracket_bias.h"
#include "cli/session/saved_session.h"

/** The title of a pass: its label path and name, or its kind where it has neither. The title contains the
 * surface where there are several, and the place in the frame where other passes have the same name. At most
 * @p columns wide. @return text. */
const char *pp_pass_title(char *text, size_t size, const struct pp_saved_session *rec,
                          const struct pp_saved_pass *pass, size_t columns);

/** Is there a pass to show? At level frame there is none: all work is work of no frame, measured as a
 * whole. */
bool pp_passes_any(const struct pp_saved_session *rec);

/** Print "  12.34%" in 8 columns, or "-" where it is not known. */
void pp_print_percent(FILE *out, double percent);

/** Print stat's table: share, mean, p95, count in a frame, name; at most 80 columns. Shows at most @p most
 * passes, the most expensive first. Sorts the series. */
void pp_passes_print_short(FILE *out, struct pp_saved_session *rec, size_t most);

/** Print report's table: share, mean, p50, p95, p99, count, name. Shows at most @p most passes, the most
 * expensive first. Sorts the series. */
void pp_passes_print_long(FILE *out, struct pp_saved_session *rec, size_t most);

/** GPU time of all shown passes, minus what empty brackets measure. Shares refer to this
 * time. */
double pp_passes_total(const struct pp_saved_session *rec, const struct pp_bracket_bias *bias);

#endif
