/** @file
 * Finds the rows of the runs with the same work, frame by frame, and notes what differs. */
#ifndef PP_CLI_MERGE_MERGE_ROWS_H
#define PP_CLI_MERGE_MERGE_ROWS_H

#include "cli/merge/merge_columns.h"

/** The rows of one frame in one file of a run: where the next one is. */
struct pp_merge_rows {
    uint64_t frame;
    size_t place;    /**< in the index of the file; SIZE_MAX: there are no more rows */
    uint64_t next;   /**< offset of the next row */
    unsigned misses; /**< rows of the first run that were searched for without success */
};

/** What could be found of a row. */
struct pp_merge_found {
    bool found;
    bool skipped; /**< rows in front of it have no partner */
};

/** Begin with the rows of a frame. */
void pp_merge_rows_begin(struct pp_merge_rows *ret, const struct pp_merge_table *table, uint64_t frame);

/** Read the next row of the frame into table->row. @retval 1, 0: there are no more, -ENOMEM. A damaged file
 * has no more rows. */
__attribute__((warn_unused_result)) int pp_merge_rows_next(struct pp_merge_rows *rows,
                                                           struct pp_merge_table *table);

/**
 * Find the row with an id after the last one that was found, and read it into table->row. Looks 64 rows
 * ahead, and gives up after 1,024 failed searches in a frame.
 *
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_merge_rows_find(struct pp_merge_rows *rows,
                                                           struct pp_merge_table *table,
                                                           const struct pp_cell *id,
                                                           struct pp_merge_found *ret);

/** Note a row of the first run that is not merged with a run. @param row NULL: not known.
 * @param column The count that differs; NULL: none. */
void pp_merge_rows_note(struct pp_merge_run *run, enum pp_merge_file file, enum pp_merge_difference why,
                        const struct pp_merge_table *first, const char *column);

#endif
