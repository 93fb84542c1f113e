/** @file
 * Finds an event's column, and reads numbers from it. This file knows no graphics API. */
#ifndef PP_CORE_DERIVE_ROW_COLUMN_H
#define PP_CORE_DERIVE_ROW_COLUMN_H

#include "core/engine/session_private.h"
#include "core/model/row.h"

/** Find the column of an event, with or without its unit at the end. @return UINT16_MAX: it is not measured,
 * or hidden. */
uint16_t pp_row_column_find(const struct pp_session *session, const char *source, const char *event);

/** The number in a cell of @p column. @return NAN: the cell is empty. */
double pp_row_column_number(const struct pp_column *column, struct pp_value value);

#endif
