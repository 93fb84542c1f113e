/** @file
 * Says which passes and actions have estimates: values of a streaming counter source that were divided in
 * proportion to time. Collector thread only. This file knows no graphics API. See also rows.h. */
#ifndef PP_CORE_COLLECT_ROWS_ROW_ESTIMATES_H
#define PP_CORE_COLLECT_ROWS_ROW_ESTIMATES_H

#include "core/collect/rows/rows.h"

/** Fill the columns "estimate:SOURCE" of a frame's passes and actions, whose values are final: 1 if one of
 * the source's values is an estimate, 0 if none is, empty where the source has no value. */
void pp_row_estimates_note(const struct pp_session *session, struct pp_frame_row *frame);

#endif
