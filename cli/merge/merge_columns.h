/** @file
 * Which columns of the runs' files are compared, and which become cells of merged rows. Writes these rows. */
#ifndef PP_CLI_MERGE_MERGE_COLUMNS_H
#define PP_CLI_MERGE_MERGE_COLUMNS_H

#include <stdio.h>

#include "cli/merge/merge_run.h"

/** Where the cells of a merged column come from. */
enum pp_merge_rule {
    PP_MERGE_FIRST,      /**< the first run: times, places, texts */
    PP_MERGE_ANY,        /**< the first of the runs that has a value */
    PP_MERGE_BOTTLENECK, /**< likewise; but a unit is preferred to `under-used` */
    PP_MERGE_LEAST,      /**< the smallest value of all runs */
    PP_MERGE_MOST,       /**< the largest value of all runs */
    PP_MERGE_DIFFER      /**< number of runs that are not merged in this row */
};

/** A column of a merged file. */
struct pp_merge_column {
    const char *name; /**< borrowed from a run's header, or static */
    enum pp_merge_rule rule;
    size_t *at;     /**< column of each run; SIZE_MAX: the run has none */
    bool has_empty; /**< a merged row has no value here */
};

/** A count that is compared. */
struct pp_merge_compared {
    const char *name;  /**< borrowed */
    size_t first, run; /**< columns of the first run and of the other run */
    bool may_lack;     /**< equal if one of the cells is empty: a result may be lost */
};

/** The columns of one merged file. */
struct pp_merge_columns {
    struct pp_merge_column *column;
    size_t columns;
    size_t *memory;                      /**< of column[].at */
    struct pp_merge_compared **compared; /**< of each run */
    size_t *compared_len;
    size_t runs;
    const char **left_out; /**< names of columns that do not fit into PP_MERGE_COLUMNS, each once; borrowed
                              from the runs' headers. At most PP_MERGE_COLUMNS of them are noted */
    size_t left_outs, left_out_cap;
};

/**
 * Find the columns of a merged file: those of the first run, then in front of the metrics those that only
 * other runs have. What does not fit becomes `left_out`.
 *
 * @param run  Borrowed. The first one has the file.
 * @param ret  Owned by the caller, for pp_merge_columns_finish(), also on failure.
 * @retval 0, -ENOMEM. @retval -EFBIG The first run alone has too many.
 */
__attribute__((warn_unused_result)) int pp_merge_columns_make(const struct pp_merge_run *run, size_t runs,
                                                              enum pp_merge_file file,
                                                              struct pp_merge_columns *ret);

/** Compare the counts of two rows. @return The first count that differs; NULL: all are equal. */
const struct pp_merge_compared *pp_merge_columns_differ(const struct pp_merge_columns *columns, size_t run,
                                                        const struct pp_csv_row *first,
                                                        const struct pp_csv_row *other);

/** A cell of a row; an empty one where the row has none. */
struct pp_cell pp_merge_cell(const struct pp_csv_row *row, size_t at);

/** Free the memory. */
void pp_merge_columns_finish(struct pp_merge_columns *columns);

/** Write the header row. Errors stay in the stream. */
void pp_merge_cells_header(FILE *out, const struct pp_merge_columns *columns);

/**
 * Write a merged row from the rows that the runs' tables hold. Errors stay in the stream.
 * Notes which columns have empty cells.
 *
 * @param agree  Runs whose row is merged, with the first one.
 * @param differ Number of runs whose row is not; -1: the row is not compared.
 */
void pp_merge_cells_row(FILE *out, struct pp_merge_columns *columns, const struct pp_merge_run *run,
                        enum pp_merge_file file, const struct pp_run_set *agree, int differ);

#endif
