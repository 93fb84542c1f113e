/** @file
 * What the readers of a session's CSV files share: columns by name, sums. For the files of
 * this folder, and for those of cli/analysis/ that read single rows (frame_table.c, near_rows.c). */
#ifndef PP_CLI_SESSION_ROW_READER_H
#define PP_CLI_SESSION_ROW_READER_H

#include "cli/session/columns.h"
#include "cli/session/row_blocks.h"
#include "cli/session/row_index.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_files.h"

/** One file being read. */
struct pp_row_reader {
    struct pp_saved_session *rec;
    size_t at[PP_SAVED_COLUMNS]; /**< column of the file, SIZE_MAX: it has none */
    int error;
    uint64_t number[PP_CSV_COLUMNS_MOST / 64]; /* bits of the columns that hold numbers */
    const uint64_t *rows;                      /* as in struct pp_csv_reader; NULL: rows are not checked */
    const char *file;                          /* which is checked; in messages */
    bool begun;
    double last;                  /* frame of the previous row */
    size_t last_surface;          /* surface of that frame */
    size_t last_level;            /* its level */
    bool last_first;              /* is that frame the first one of its surface? */
    double framed;                /* rows so far whose frame is in frames.csv, and in the window */
    struct pp_row_blocks *blocks; /* where rows are noted; NULL: nowhere. Borrowed */
};

/** Find the columns in a header row. */
void pp_row_reader_columns(struct pp_row_reader *r, const struct pp_cell *cell, size_t cells);

/** Look whether all cells of a row that must be numbers are numbers, and remember the first one that is none:
 * it was forged or damaged. The figures of such a cell are missing. @param r With `rows` and `file`. */
void pp_row_reader_check(struct pp_row_reader *r, const struct pp_cell *cell, size_t cells);

/** The cell of a column; an absent one where the file has no such column. */
const struct pp_cell *pp_row_reader_cell(const struct pp_row_reader *r, const struct pp_cell *cell,
                                         enum pp_saved_column column);

/** The number in a column; NaN: it is not there, or the cell holds none. */
double pp_row_reader_number(const struct pp_row_reader *r, const struct pp_cell *cell,
                            enum pp_saved_column column);

/** Remember the call stack that a cell names, if it is new and not too many are known. */
void pp_saved_add_stack(struct pp_saved_calls *calls, const struct pp_cell *cell);

/** Level that a cell names; PP_SAVED_FRAME if it names none. */
size_t pp_saved_level_of(const struct pp_cell *cell);

/** A verdict as the column `bound_by` names it; "unknown" for PP_VERDICT_NONE. */
const char *pp_saved_verdict_name(enum pp_verdict verdict);

/** Verdict that a cell of the column `bound_by` names; PP_VERDICT_NONE if it names none. */
enum pp_verdict pp_saved_verdict_of(const struct pp_cell *cell);

/** Add a cell's number, where it is one. */
void pp_saved_sum_add(struct pp_saved_sum *sum, const struct pp_cell *cell);

/** Let a cell's number vote for the count that most rows have. */
void pp_saved_usual_add(struct pp_usual_count *usual, double value);

/** Read a file of the session's directory, or from memory where @p name is NULL. */
__attribute__((warn_unused_result)) int pp_saved_rows(const struct pp_saved_session *rec, const char *name,
                                                      const char *text, size_t len,
                                                      const struct pp_csv_reader *reader);

#endif
