/** @file
 * Adds columns to a CSV file that already has rows. Collector thread only. This file does not know what the
 * cells mean. See also csv_write.h. */
#ifndef PP_CORE_REPORT_CSV_WIDEN_H
#define PP_CORE_REPORT_CSV_WIDEN_H

#include "core/report/csv_write.h"

/**
 * Add columns at the right of a file that has a spare. Existing rows get empty cells. Call it only between
 * two rows.
 *
 * The wider rows go into the spare, whose first byte is NUL until it is whole. Then the file and the spare
 * exchange their names, and the older one is emptied. If names must not be changed, the wider rows are copied
 * over the file, and then the spare is emptied. So a reader takes the file or its spare, whichever begins
 * with the wider header; if both are equal, the spare.
 *
 * @retval 0 The file has the columns.
 * @retval -errno The file is unchanged.
 */
__attribute__((warn_unused_result)) int pp_csv_widen(struct pp_csv *csv, const char *const *column,
                                                     uint32_t columns);

#endif
