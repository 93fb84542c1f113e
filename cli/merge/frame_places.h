/** @file
 * Where the rows of each frame are in a CSV file of a session. Rows of a frame are neighbours as a rule, but
 * need not be. */
#ifndef PP_CLI_MERGE_FRAME_PLACES_H
#define PP_CLI_MERGE_FRAME_PLACES_H

#include <stdbool.h>

#include "cli/session/csv_read.h"

/** Neighbouring rows of one frame. */
struct pp_frame_place {
    uint64_t frame;
    uint64_t offset;  /**< of the first row */
    uint32_t surface; /**< of frames.csv; 0 in the other files */
    bool done;        /**< for the user of the index */
};

/** The index of a file; sorted by surface, frame and offset. Begin with all zero. */
struct pp_frame_places {
    struct pp_frame_place *place;
    size_t len, cap;
    uint64_t rows; /**< of the file, with or without a frame */
};

/** Read a cell that is a whole number. @return false: it is none. */
bool pp_frame_places_number(const struct pp_cell *cell, uint64_t *ret);

/**
 * Index the rest of a file.
 *
 * @param frame_at   Column `frame`.
 * @param surface_at Column `surface`; SIZE_MAX: the file has none.
 * @retval 0       Read. Rows without a frame are counted only.
 * @retval -EFBIG  There are more than 16,777,216 places.
 * @retval -ENOMEM, -errno As for pp_csv_file_next().
 */
__attribute__((warn_unused_result)) int pp_frame_places_read(struct pp_csv_file *file, size_t frame_at,
                                                             size_t surface_at, struct pp_frame_places *ret);

/** Find the first place of a frame. @return SIZE_MAX: there is none. */
size_t pp_frame_places_find(const struct pp_frame_places *places, uint32_t surface, uint64_t frame);

/** Find the first place of a surface. @return SIZE_MAX: there is none. */
size_t pp_frame_places_of_surface(const struct pp_frame_places *places, uint32_t surface);

/** Is place @p at + 1 of the same frame as place @p at? */
bool pp_frame_places_goes_on(const struct pp_frame_places *places, size_t at);

/** Has the file frames of several surfaces? */
bool pp_frame_places_several(const struct pp_frame_places *places);

/** Free the index. */
void pp_frame_places_finish(struct pp_frame_places *places);

#endif
