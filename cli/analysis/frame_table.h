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
/** Most of them without `every`. */
#define PP_FRAME_EXTRAS_FEW 64U

/** The frames of a session by number, ascending. Begin with all zero. */
struct pp_frame_table {
    const struct pp_saved_frame
        *row; /**< of the session; borrowed. Frames outside of the window are among them */
    size_t len;
    uint32_t *at; /**< of each row: place of its cells + 1; 0: they were not read, PP_FRAME_WANTED. Owned */
    char *extra[PP_FRAME_EXTRAS]; /**< names of further columns; known after the cells were read; owned */
    size_t extras;
    double
        *value; /**< (PP_FRAME_CELLS + extras) cells of each row that was wanted; NaN: not measured; owned */
    uint32_t cells; /**< rows whose cells are there */
};

/** In pp_frame_table.at: pp_frame_table_read_cells() reads the cells of this row. */
#define PP_FRAME_WANTED UINT32_MAX

/** Make a table of the frames of a session. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_frame_table_make(const struct pp_saved_session *rec,
                                                            struct pp_frame_table *ret);

/**
 * Read all cells of the rows that are wanted: only the parts of frames.csv in which they are.
 *
 * @param table From pp_frame_table_make(), with rows that are wanted; once.
 * @param every Read all columns with a ':', not only user counters and clocks.
 * @retval 0, -ENOMEM. @retval -errno As pp_csv_read().
 */
__attribute__((warn_unused_result)) int pp_frame_table_read_cells(const struct pp_saved_session *rec,
                                                                  bool every, struct pp_frame_table *table);

/** Free a table. */
void pp_frame_table_finish(struct pp_frame_table *table);

/** A cell of a row. @param column enum pp_frame_cell, or PP_FRAME_CELLS + index of an extra column.
 * @return NaN: not measured, or the row was not wanted. Every row has its frame time. */
double pp_frame_cell(const struct pp_frame_table *table, const struct pp_saved_frame *row, size_t column);

/** The column of frames.csv of a cell. @param column As for pp_frame_cell(). Borrowed. */
const char *pp_frame_cell_name(const struct pp_frame_table *table, size_t column);

#endif
