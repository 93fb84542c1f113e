/** @file
 * Module: the rows of frames.csv one by one, with the cells that explain a long frame. Prints nothing.
 * saved_session.h has series of times, without the frame of each; this has the frames. See slow_frames.h. */
#ifndef PP_CLI_ANALYSIS_FRAME_TABLE_H
#define PP_CLI_ANALYSIS_FRAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/session/saved_session.h"

/** Cells of each row; nanoseconds where the column ends in `_ns`. */
enum pp_frame_cell {
    PP_CELL_CPU_START,
    PP_CELL_FRAME_TIME,
    PP_CELL_CPU_BUSY,
    PP_CELL_CPU_WAIT,
    PP_CELL_CPU_SYNC,
    PP_CELL_CPU_ACQUIRE,
    PP_CELL_GPU_START,
    PP_CELL_GPU_TIME,
    PP_CELL_GPU_BUSY,
    PP_CELL_DRAWS,
    PP_CELL_DISPATCHES,
    PP_CELL_COPIES,
    PP_CELL_PIPELINES,
    PP_CELL_PIPELINE_TIME,
    PP_CELL_TASK_CLOCK,
    PP_CELL_RUN_DELAY,
    PP_CELL_PAGE_FAULTS,
    PP_CELL_MAJOR_FAULTS,
    PP_CELL_PREEMPTED,
    PP_CELL_FRAGMENTS,
    PP_FRAME_CELLS
};

/** Most columns beyond those: user counters (`app:NAME`) and clocks (`hwmon:NAME_hz`), or all counters. */
#define PP_FRAME_EXTRAS 1024U
/** Most of them without pp_rows_from.every. */
#define PP_FRAME_EXTRAS_FEW 64U

/** A frame. A session may have millions of frames, so this is small. */
struct pp_table_row {
    double frame;        /**< its number */
    double time_ns;      /**< the cell PP_CELL_FRAME_TIME */
    uint32_t at;         /**< place of its cells + 1; 0: they were not read */
    uint16_t surface;    /**< index in the session */
    uint8_t level : 4;   /**< PP_SAVED_FRAME ... */
    uint8_t verdict : 4; /**< enum pp_verdict */
    bool wanted;         /**< pp_frame_table_read_cells() reads its cells */
};

/** The frames of a session by number, ascending. Owned; begin with all zero. */
struct pp_frame_table {
    struct pp_table_row *row;
    size_t len, cap;
    char *extra[PP_FRAME_EXTRAS]; /**< names of further columns; known after the cells were read */
    size_t extras;
    double *value;  /**< (PP_FRAME_CELLS + extras) cells of each row that was wanted; NaN: not measured */
    uint32_t cells; /**< rows whose cells are there */
};

/** Where the rows of a file are. */
struct pp_rows_from {
    int dir_fd;       /**< the session's directory; borrowed */
    const char *text; /**< for tests: the file's text, in place of the directory; NULL: none */
    size_t len;       /**< of the text */
    bool every;       /**< read all columns with a ':', not only user counters and clocks */
};

/**
 * Read the frames and their times from frames.csv.
 *
 * @param rec A session that was read: it knows the surfaces.
 * @retval 0       Read. Rows without a surface are left out.
 * @retval -ENOMEM No memory.
 * @retval -errno  As pp_csv_read().
 */
__attribute__((warn_unused_result)) int pp_frame_table_read(const struct pp_saved_session *rec,
                                                            const struct pp_rows_from *from,
                                                            struct pp_frame_table *ret);

/** Read all cells of the rows that are wanted: frames.csv is read again. @param table From
 * pp_frame_table_read(), with `wanted` set; once. @retval 0, -ENOMEM, -errno As pp_frame_table_read(). */
__attribute__((warn_unused_result)) int pp_frame_table_read_cells(const struct pp_saved_session *rec,
                                                                  const struct pp_rows_from *from,
                                                                  struct pp_frame_table *table);

/** Free a table. */
void pp_frame_table_finish(struct pp_frame_table *table);

/** A cell of a row. @param column enum pp_frame_cell, or PP_FRAME_CELLS + index of an extra column.
 * @return NaN: not measured, or the row was not wanted. Every row has its frame time. */
double pp_frame_cell(const struct pp_frame_table *table, const struct pp_table_row *row, size_t column);

/** The column of frames.csv of a cell. @param column As for pp_frame_cell(). Borrowed. */
const char *pp_frame_cell_name(const struct pp_frame_table *table, size_t column);

#endif
