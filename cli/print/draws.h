/** @file
 * The tables of draws and of label regions. Draws with GPU time are ranked by it; those whose driver
 * has none inside a pass, by the shaders' work. See also recording.h. */
#ifndef PP_CLI_PRINT_DRAWS_H
#define PP_CLI_PRINT_DRAWS_H

#include <stdio.h>

#include "cli/session/session_read.h"

/** stat's: share, mean, vertices, count a frame, place and name; the @p most dearest of each kind, at most 80
 * columns. Sorts the series and the draws. */
void pp_draws_print_short(FILE *out, struct pp_recording *rec, size_t most);

/** report's: share, mean, p95, cost a frame, count, vertices, id, name. Sorts the series and the draws. */
void pp_draws_print_long(FILE *out, struct pp_recording *rec, size_t most);

/** report's: time with and without the regions inside, share of the GPU time of all passes. */
void pp_labels_print(FILE *out, const struct pp_recording *rec, size_t most);

#endif
