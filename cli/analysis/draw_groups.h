/** @file
 * Groups of draws: by shader program or pipeline, or by call. A part of draw_table.h, and for its file only.
 */
#ifndef PP_CLI_ANALYSIS_DRAW_GROUPS_H
#define PP_CLI_ANALYSIS_DRAW_GROUPS_H

#include "cli/analysis/draw_table.h"

/** Replace the rows of a table, each one draw, by one row for each group. @param by PP_BY_CALL, or by shader
 * program or pipeline. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_draw_groups_make(struct pp_draw_table *table, enum pp_by by);

/** Replace the rows of a table, each one draw, by one row for each shader program or pipeline, and below it,
 * by place, those of its draws that are among the most expensive ones: as many as there are rows left in
 * @p most. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_draw_groups_open(struct pp_draw_table *table,
                                                            const struct pp_view *view, size_t most);

#endif
