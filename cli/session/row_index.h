/** @file
 * The index of rows: finds a pass, draw or label by its key, and the frame of a row. */
#ifndef PP_CLI_SESSION_ROW_INDEX_H
#define PP_CLI_SESSION_ROW_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_cell;
struct pp_row_reader;

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

#endif
