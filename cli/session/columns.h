/** @file
 * The columns of a session's CSV files (docs/formats/session.md): the name of each that is read, and what its
 * cells hold. */
#ifndef PP_CLI_SESSION_COLUMNS_H
#define PP_CLI_SESSION_COLUMNS_H

#include "cli/session/csv_read.h"

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

/** Find all columns that are read by name. @param ret_at PP_SAVED_COLUMNS places, as of pp_columns_find(). */
void pp_columns_find_all(const struct pp_cell *cell, size_t cells, size_t *ret_at);

#endif
