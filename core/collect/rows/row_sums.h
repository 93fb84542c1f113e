/** @file
 * Sums of values: passes that are the sum of their actions, and a frame as the sum of its passes. Collector
 * thread only. This file knows no graphics API. See also rows.h. */
#ifndef PP_CORE_COLLECT_ROWS_ROW_SUMS_H
#define PP_CORE_COLLECT_ROWS_ROW_SUMS_H

#include "core/collect/rows/rows.h"

/** Add the values of all columns of one row to those of another. */
void pp_row_sums_add(const struct pp_session *session, struct pp_value *to, const struct pp_value *from);

/** Compute the values of passes that were measured in their actions: at level draw, sources whose brackets
 * cannot nest measure the actions only. Such a value of a pass is the sum over its actions. */
void pp_row_sums_of_passes(const struct pp_session *session, struct pp_frame_rows *rows);

/** Compute the counts and values of a frame from its passes. @param complete False: results are missing, so
 * the frame has no values. */
void pp_row_sums_of_frame(struct pp_session *session, struct pp_frame_rows *rows, bool complete);

#endif
