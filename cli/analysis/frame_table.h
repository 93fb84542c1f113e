/** @file
 * Module: the rows of frames.csv one by one, with the cells that explain a long frame, and what is usual
 * around a frame: medians over its neighbours, and from which time on a frame is slow. Prints nothing.
 * saved_session.h has series of times, without the frame of each. docs/internals/statistics.md has the rules.
 * See slow_frames.h. */
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

/** Frames of a block. The neighbours of a frame are its block, the two before and the two after. */
#define PP_BASELINE_BLOCK 30U
/** Most neighbours. */
#define PP_NEIGHBOURS_MAX (5 * (size_t)PP_BASELINE_BLOCK)

/** Frames of one surface at one level, by number, without first frames. Owned; begin with all zero. */
struct pp_frame_series {
    const struct pp_frame_table *table; /**< borrowed */
    uint32_t *row;                      /**< indexes in table->row */
    size_t len;
};

/** Which of the rules decides from when on a frame is slow. */
enum pp_slow_rule {
    PP_SLOW_FACTOR, /**< times the median */
    PP_SLOW_SPREAD, /**< the neighbours' times differ much */
    PP_SLOW_COMMON, /**< one in ten neighbours is long */
    PP_SLOW_LEAST   /**< a person can notice it */
};

/** When is a frame slow? */
struct pp_baseline {
    double usual_ns;  /**< median frame time of the neighbours; NaN: too few of them */
    double slow_ns;   /**< a frame is slow from here on */
    double common_ns; /**< nine tenths of the neighbours are not longer */
    enum pp_slow_rule rule;
};

/** Collect the frames of a surface at a level. @param also Number of a frame that is collected even if it is
 * a first frame; NaN: none. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_frame_series_make(const struct pp_saved_session *rec,
                                                             const struct pp_frame_table *table,
                                                             size_t surface, size_t level, double also,
                                                             struct pp_frame_series *ret);

/** Free a series. */
void pp_frame_series_finish(struct pp_frame_series *series);

/** The neighbours of the frames of block @p block, as places in series->row: [*ret_from, *ret_to). */
void pp_baseline_neighbours(const struct pp_frame_series *series, size_t block, size_t *ret_from,
                            size_t *ret_to);

/** The baseline of the frames of block @p block, which begins at @p block * PP_BASELINE_BLOCK. */
struct pp_baseline pp_baseline_of_block(const struct pp_frame_series *series, size_t block);

/** The baseline of these neighbours. @param value Frame times above 0, nanoseconds; overwritten. */
struct pp_baseline pp_baseline_of_times(double *value, size_t n);

/** The median of a column over the neighbours of frame @p i, without that frame. @param ret_spread Median
 * distance of the neighbours from this median; may be NULL. @return NaN: fewer than 10 neighbours have it. */
double pp_baseline_usual(const struct pp_frame_series *series, size_t i, size_t column, double *ret_spread);

/** pp_baseline_usual() of a number that @p of computes of each row; NaN: the row has none. */
double pp_baseline_usual_by(const struct pp_frame_series *series, size_t i,
                            double (*of)(const void *data, const struct pp_saved_frame *row),
                            const void *data, double *ret_spread);

/** The median of a column over those neighbours of frame @p i whose column @p like is about that of the
 * frame: off by PP_LIKE_SHARE or PP_LIKE_NS at most. @param ret_frames How many these are. @return NaN: none
 * has it.
 */
double pp_baseline_usual_like(const struct pp_frame_series *series, size_t i, size_t column, size_t like,
                              size_t *ret_frames);
#define PP_LIKE_SHARE 0.15
#define PP_LIKE_NS    3e5

#endif
