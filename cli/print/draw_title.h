/** @file
 * Names of draws in tables. See also draws.h. */
#ifndef PP_CLI_PRINT_DRAW_TITLE_H
#define PP_CLI_PRINT_DRAW_TITLE_H

#include <stddef.h>

#include "cli/analysis/draw_table.h"

/** The name of a row: place, call, pipeline, label and pass of a draw, or what the draws of a group have in
 * common and their number. At most @p columns wide: what does not fit is left out, words of the pass first;
 * no word is cut.
 * @return text. */
const char *pp_draw_title(char *text, size_t size, const struct pp_saved_session *rec,
                          const struct pp_draw_table *table, const struct pp_draw_figures *row,
                          size_t columns);

#endif
