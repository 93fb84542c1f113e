/** @file
 * The tables of draws. Draws with GPU time are ranked by it; those whose driver
 * has none inside a pass, by the shaders' work. See also saved_session.h. */
#ifndef PP_CLI_PRINT_DRAWS_H
#define PP_CLI_PRINT_DRAWS_H

#include <stdio.h>

#include "cli/session/saved_session.h"

/** Print stat's table: share, mean, vertices, count in a frame, place and name; at most 80 columns. Shows at
 * most @p most draws of each kind, the most expensive first. Sorts the series and the draws. */
void pp_draws_print_short(FILE *out, struct pp_saved_session *rec, size_t most);

/** Print report's table: share, mean, p95, cost in a frame, count, vertices, id, name. Sorts the series and
 * the draws. */
void pp_draws_print_long(FILE *out, struct pp_saved_session *rec, size_t most);

#endif
