/** @file
 * What the readers of a session's CSV files share: columns by name and what their cells hold
 * (docs/formats/session.md), an index of rows by key, the frame of a row, sums. For the files of this folder,
 * and for those of other folders that read single rows. */
#ifndef PP_CLI_SESSION_ROW_READER_H
#define PP_CLI_SESSION_ROW_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/session/csv_read.h"
#include "cli/session/row_blocks.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_json.h"

struct pp_cell;
struct pp_row_reader;

/** Columns that are read by name. */
enum pp_saved_column {
    COL_FRAME,
    COL_API,
    COL_DEVICE,
    COL_SURFACE,
    COL_LEVEL,
    COL_CPU_START,
    COL_FRAME_TIME,
    COL_CPU_BUSY,
    COL_CPU_WAIT,
    COL_GPU_START,
    COL_GPU_TIME,
    COL_GPU_BUSY,
    COL_GPU_WAIT,
    COL_BOUND_BY,
    COL_PASS,
    COL_PASS_ID,
    COL_NAME,
    COL_LABEL,
    COL_KIND,
    COL_QUEUE,
    COL_WIDTH,
    COL_HEIGHT,
    COL_LAYERS,
    COL_SAMPLES,
    COL_ATTACHMENTS,
    COL_DRAW,
    COL_DRAW_ID,
    COL_CALL,
    COL_PIPELINE,
    COL_VERTICES,
    COL_INSTANCES,
    COL_DRAWS,
    COL_DISPATCHES,
    COL_COPIES,
    COL_BY_PLACE,
    COL_INCLUSIVE,
    COL_EXCLUSIVE,
    COL_PASSES,
    COL_STACK,
    COL_PID,
    COL_PIPELINES,
    COL_PIPELINE_TIME,
    PP_SAVED_COLUMNS
};

/** What the cells of a column hold. */
enum pp_column_kind {
    PP_COLUMN_ANY, /**< passprobe does not know the column */
    PP_COLUMN_TEXT,
    PP_COLUMN_WHOLE, /**< whole numbers; nanoseconds if the name ends in `_ns` */
    PP_COLUMN_REAL,
    PP_COLUMN_PLACE, /**< a name in schema 1, a place in an array of session.json in later ones */
};

/** Find out what the cells of a column hold. @param name Of the header; source:name is a counter. */
enum pp_column_kind pp_column_kind(const char *name);

/** Find columns in a header. @param name NULL: none of this name is wanted. @param ret_at Of each name: the
 * first column that has it; SIZE_MAX: the file has none. */
void pp_columns_find(const struct pp_cell *cell, size_t cells, const char *const *name, size_t names,
                     size_t *ret_at);

/** A key that identifies an element of an array. */
struct pp_saved_key {
    const char *text;
    const char *more; /**< further text; NULL: none */
    size_t number;
};

/** Places in an array by key: open addressing, at most half full. Begin with key and zeros; free(at). */
struct pp_row_index {
    struct pp_saved_key (*key)(const void *array, size_t i);
    uint32_t *at; /**< index + 1; 0: free */
    size_t slots;
};

/** The slot of a key: its index + 1, or 0 where it belongs. After pp_row_index_reserve(). */
uint32_t *pp_row_index_find(const struct pp_row_index *places, const void *array, struct pp_saved_key wanted);

/** Make memory for one more of @p len elements. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_row_index_reserve(struct pp_row_index *places, const void *array,
                                                             size_t len);

/** Read a cell's place in a frame or pass; 0 if the cell is empty. */
uint64_t pp_row_place(const struct pp_cell *cell);

/** Read the number of a frame. @return false: none that a frame has. */
__attribute__((warn_unused_result)) bool pp_row_frame(const struct pp_cell *cell, double *ret);

/**
 * Find the frame of a row: -1 if the row has none. Sets r->last_surface and
 * r->last_first.
 *
 * @return false: passprobe did not write this row, or frames.csv does not have its frame. After a kill, files
 * end at different frames, because each has its own buffer.
 */
bool pp_row_reader_frame(struct pp_row_reader *r, const struct pp_cell *cell, double *ret_frame);

/** Is the frame of the last row at another level than the frames that give the figures of passes? */
bool pp_row_reader_other_level(const struct pp_row_reader *r);

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
