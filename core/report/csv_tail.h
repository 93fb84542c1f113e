/** @file
 * Tail of the CSV files: preliminary rows at the ends of the files, which other rows replace later. Collector
 * thread only. This file does not know what the rows mean. See also csv_write.h. */
#ifndef PP_CORE_REPORT_CSV_TAIL_H
#define PP_CORE_REPORT_CSV_TAIL_H

#include "core/report/csv_write.h"

/** Preliminary rows at the ends of files. They belong to frames for which it is still open whether they
 * are frames. The rows survive a kill of the application. Otherwise other rows replace them, and they
 * stay in the files until the first of those rows is written. Zero the struct before use. */
struct pp_csv_tail {
    struct pp_csv *file[PP_CSV_FILES]; /**< a file comes after the files whose rows it names */
    uint64_t from[PP_CSV_FILES];       /**< offset at which the tail of each file begins */
    uint32_t files;
    bool there; /**< rows that are written now belong to the tail */
    bool stale; /**< the files have a tail that other rows will replace */
};

/** Allow the file to have a tail from now on. Add files in the order in which they begin. @retval 0, -ENOSPC:
 * too many files. */
__attribute__((warn_unused_result)) int pp_csv_tail_add(struct pp_csv_tail *tail, struct pp_csv *csv);

/** Start the tail: rows of all files belong to it until pp_csv_tail_drop(). */
void pp_csv_tail_begin(struct pp_csv_tail *tail);

/** Drop the tail: its rows do not count any more, and later rows will replace them. */
void pp_csv_tail_drop(struct pp_csv_tail *tail);

/** Remove a tail that is not valid any more from the files. A file is cut before the files whose rows it
 * names. @p tail may be NULL. */
void pp_csv_tail_cut(struct pp_csv_tail *tail);

/** Remove a file that will be closed from its tail. */
void pp_csv_tail_leave(struct pp_csv *csv);

/** Find the offset at which the tail of the file begins. @return NULL: the file has no tail now. */
uint64_t *pp_csv_tail_from(const struct pp_csv *csv);

#endif
