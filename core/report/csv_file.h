/** @file
 * A CSV file of the session directory: its header, and its cells with values of counters and user metrics.
 * Collector thread only. See also csv_write.h, which knows no sessions.
 *
 * Adds columns to a CSV file that already has rows. Collector thread only. This file does not know what the
 * cells mean. See also csv_write.h. */
#ifndef PP_CORE_REPORT_CSV_FILE_H
#define PP_CORE_REPORT_CSV_FILE_H

#include "core/engine/session_private.h"
#include "core/report/csv_write.h"
#include "core/report/writer.h"

/** The CSV files of a session. Zero it first. */
struct pp_csv_files {
    struct pp_csv_tail tail; /**< files that are open, in the order in which they began */
    struct pp_csv
        *rows[PP_CSV_FILES]; /**< files whose rows frames.csv names, while they are open; else NULL */
};

/** What a CSV file has in its header. */
struct pp_csv_header {
    const char *name;          /**< of the file; a literal */
    const char *spare;         /**< name of a spare for pp_csv_widen(); NULL: none */
    const char *const *column; /**< columns before the counters */
    size_t columns;
    const char *last[5]; /**< columns after the counters and metrics; NULL: none */
    bool metrics;        /**< the file has the session's user metrics */
    bool sums;           /**< rows are sums over passes: columns that are not defined for sums are left out */
    bool names_rows; /**< the file names rows of all files that began before it, and is written after them */
};

/** Make a file, write its header, and add it to @p place->files. @p csv must stay where it is until
 * pp_csv_file_end().
 * @retval 0
 * @retval -ENOSPC More than PP_CSV_FILES files.
 * @retval -errno The file cannot be made; pp_csv_file_end() is still due. */
__attribute__((warn_unused_result)) int pp_csv_file_begin(const struct pp_writer_place *place,
                                                          const struct pp_csv_header *header,
                                                          struct pp_csv *csv);

/** Flush and close the file, and remove it from @p place->files. */
void pp_csv_file_end(const struct pp_writer_place *place, struct pp_csv *csv);

/** Append the counters of a row: values of the session's columns. Hidden columns have no cell. */
void pp_csv_counters(struct pp_csv *csv, const struct pp_session *session, const struct pp_value *counter);

/** Append the user metrics of a row, whose values are after those of the columns. */
void pp_csv_metrics(struct pp_csv *csv, const struct pp_session *session, const struct pp_value *counter);

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
