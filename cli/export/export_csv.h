/** @file
 * A CSV file of a session as a table. */
#ifndef PP_CLI_EXPORT_EXPORT_CSV_H
#define PP_CLI_EXPORT_EXPORT_CSV_H

#include "cli/export/export_session.h"

/**
 * Write a file as a table. Rows of frames that frames.csv does not have are left out, and counted in
 * e->rec.early_rows. Values of user counters in frames.csv also become rows of the table `app_counters`.
 *
 * @param ret_rows   Rows of the file, damaged ones and those that are left out, too; NULL: not counted.
 * @param ret_framed Rows of frames that frames.csv has.
 * @retval 0      The file was read; or the format failed (e->error).
 * @retval -errno As pp_csv_read(); the rows before were written.
 */
__attribute__((warn_unused_result)) int pp_export_csv(struct pp_export *e, const char *file,
                                                      const char *table, uint64_t *ret_rows,
                                                      double *ret_framed);

#endif
