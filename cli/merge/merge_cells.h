/** @file
 * Writes merged rows. */
#ifndef PP_CLI_MERGE_MERGE_CELLS_H
#define PP_CLI_MERGE_MERGE_CELLS_H

#include <stdio.h>

#include "cli/merge/merge_columns.h"

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
