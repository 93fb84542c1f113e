/** @file
 * What the readers of a session's CSV files share: columns by name, growing arrays, sums. For
 * recording*.c only. */
#ifndef PP_CLI_SESSION_SESSION_READ_PRIVATE_H
#define PP_CLI_SESSION_SESSION_READ_PRIVATE_H

#include "cli/session/csv_read.h"
#include "cli/session/session_read.h"

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
    COL_BY_PLACE,
    COL_INCLUSIVE,
    COL_EXCLUSIVE,
    COL_PASSES,
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
    bool last_first;     /* is the frame the first one of its surface? rows come frame by frame */
};

/** Find the columns in a header row. */
void pp_reading_columns(struct pp_reading *r, const struct pp_cell *cell, size_t cells);

/** The cell of a column; an absent one where the file has no such column. */
const struct pp_cell *pp_reading_cell(const struct pp_reading *r, const struct pp_cell *cell,
                                      enum pp_rec_column column);

/** Level that a cell names; else PP_REC_FRAME. */
size_t pp_rec_level_of(const struct pp_cell *cell);

/**
 * The frame of a row: -1 where it has none, as for work that no frame claimed. Sets r->last_surface and
 * r->last_first.
 *
 * @return false: not a row of passprobe, or of a frame that frames.csv does not have, as after a kill: each
 * file has its own buffer.
 */
bool pp_reading_row_frame(struct pp_reading *r, const struct pp_cell *cell, double *ret_frame);

/** A place in a frame or pass, 0 where there is none. */
uint64_t pp_rec_place_of(const struct pp_cell *cell);

/** Are rows of this surface in the tables? */
bool pp_recording_is_shown(const struct pp_recording *rec, size_t surface);

/** What tells an element of an array from the others. */
struct pp_rec_key {
    const char *text;
    const char *more; /**< further text; NULL: none */
    size_t number;
};

/** Places in an array by key: open addressing, at most half full. Begin with key and zeros; free(at). */
struct pp_rec_places {
    struct pp_rec_key (*key)(const void *array, size_t i);
    uint32_t *at; /**< index + 1; 0: free */
    size_t slots;
};

/** The slot of a key: its index + 1, or 0 where it belongs. After pp_rec_places_reserve(). */
uint32_t *pp_rec_places_find(const struct pp_rec_places *places, const void *array, struct pp_rec_key wanted);

/** Make memory for one more of @p len elements. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_rec_places_reserve(struct pp_rec_places *places, const void *array,
                                                              size_t len);

/** Make memory for one more element in an array, whose address is given; new elements are zero. @retval 0,
 * -ENOMEM. */
__attribute__((warn_unused_result)) int pp_rec_grow(void *array_pointer, size_t len, size_t *cap,
                                                    size_t size);

/** Add a cell's number, where it is one. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_rec_series_add(struct pp_series *series,
                                                          const struct pp_cell *cell);

/** Add a number, if it is not NaN. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_rec_series_add_number(struct pp_series *series, double value);

/** Add a cell's number, where it is one. */
void pp_rec_sum_add(struct pp_rec_sum *sum, const struct pp_cell *cell);

/** Free what is in one; it is all zero then. */
void pp_rec_pass_finish(struct pp_rec_pass *pass);
void pp_rec_draw_finish(struct pp_rec_draw *draw);

/** Read a file of the session's directory, or from memory where @p name is NULL. */
__attribute__((warn_unused_result)) int pp_rec_rows(const struct pp_recording *rec, const char *name,
                                                    const char *text, size_t len,
                                                    const struct pp_csv_reader *reader);

/**
 * Read session.json, or its spare where that is newer.
 *
 * @param why         At least 256 bytes for the reason why there is none.
 * @param ret_missing There is no file of that name, and nothing newer.
 * @return Owned by the caller; NULL: missing or broken.
 */
json_t *pp_rec_load_json(int dir_fd, char *why, size_t size, bool *ret_missing);

/** The name of the file that holds frames: frames.csv, or its spare where that is newer. */
const char *pp_rec_frames_file(int dir_fd);

#endif
