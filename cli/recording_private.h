/** @file
 * Room: what the readers of a session's CSV files share: columns by name, growing arrays, sums. For
 * recording*.c only. */
#ifndef PP_CLI_RECORDING_PRIVATE_H
#define PP_CLI_RECORDING_PRIVATE_H

#include "cli/csv.h"
#include "cli/recording.h"

/** Columns that are read by name. */
enum pp_rec_column {
    COL_FRAME,
    COL_API,
    COL_DEVICE,
    COL_SURFACE,
    COL_LEVEL,
    COL_FRAME_TIME,
    COL_CPU_BUSY,
    COL_CPU_WAIT,
    COL_GPU_TIME,
    COL_GPU_BUSY,
    COL_GPU_WAIT,
    COL_BOUND_BY,
    COL_PASS,
    COL_PASS_ID,
    COL_NAME,
    COL_LABEL,
    COL_KIND,
    COL_DRAW,
    COL_DRAW_ID,
    COL_CALL,
    COL_PIPELINE,
    COL_VERTICES,
    COL_INSTANCES,
    COL_DRAWS,
    COL_DISPATCHES,
    COL_COPIES,
    COL_INCLUSIVE,
    COL_EXCLUSIVE,
    PP_REC_COLUMNS
};

/** One file being read. */
struct pp_reading {
    struct pp_recording *rec;
    size_t at[PP_REC_COLUMNS]; /**< column of the file, SIZE_MAX: it has none */
    int error;
    bool begun;
    double last;         /* frame of the row before, */
    size_t last_surface; /* whose it is, */
    bool last_first;     /* and whether it is a surface's first; rows come frame by frame */
};

/** Whose frame is this? For rows in any order; quick where the row before is of the same frame. */
void pp_reading_frame(struct pp_reading *r, double frame);

/** Find the columns in a header row. */
void pp_reading_columns(struct pp_reading *r, const struct pp_cell *cell, size_t cells);

/** The cell of a column; an absent one where the file has no such column. */
const struct pp_cell *pp_reading_cell(const struct pp_reading *r, const struct pp_cell *cell,
                                      enum pp_rec_column column);

/** Level that a cell names; else PP_REC_FRAME. */
size_t pp_rec_level_of(const struct pp_cell *cell);

/** Room for one more element in an array, whose address is given; new ones are zero. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_rec_grow(void *array_pointer, size_t len, size_t *cap,
                                                    size_t size);

/** Add a cell's number, where it is one. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_rec_series_add(struct pp_series *series,
                                                          const struct pp_cell *cell);

/** Add a cell's number, where it is one. */
void pp_rec_sum_add(struct pp_rec_sum *sum, const struct pp_cell *cell);

/** Read from a path, or from memory where it is NULL. */
__attribute__((warn_unused_result)) int pp_rec_rows(const char *path, const char *text, size_t len,
                                                    const struct pp_csv_reader *reader);

#endif
