/** @file
 * Columns that are computed from hidden columns: counters of sources whose raw fields go into formulas (`oa`,
 * `mali`). Collector thread only. This file knows no graphics API. */
#ifndef PP_CORE_COLLECT_DECODE_FORMULAS_H
#define PP_CORE_COLLECT_DECODE_FORMULAS_H

#include <stddef.h>

#include "core/model/row.h"

struct pp_session;

/** Compute the session's computed columns of some rows. @param row Counters of each row:
 * session->rows.columns values. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_formulas_compute(const struct pp_session *session,
                                                            struct pp_value *const *row, size_t rows);

#endif
