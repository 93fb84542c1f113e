/** @file
 * The tables of draws. Draws with GPU time are ranked by it; those whose driver has none inside a pass, by
 * the shaders' work. See also analysis/draw_table.h. */
#ifndef PP_CLI_PRINT_DRAWS_H
#define PP_CLI_PRINT_DRAWS_H

#include <stdio.h>

#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/** Print stat's table: share, cost in a frame, vertices, place and name; at most 80 columns, and @p most rows
 * of each kind. Sorts the series and the draws. */
void pp_draws_print_short(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most);

/** Print report's table: share, mean, p95, cost in a frame, count, vertices, id, name. Sorts the series and
 * the draws. */
void pp_draws_print_long(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most);

#endif
