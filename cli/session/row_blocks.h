/** @file
 * Where in a file the rows of which frames are, block by block: so rows of a few frames are found without
 * reading the whole file again. Knows no column. */
#ifndef PP_CLI_SESSION_ROW_BLOCKS_H
#define PP_CLI_SESSION_ROW_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/session/csv_read.h"

/** The rows that begin in one block of the file. */
struct pp_row_block {
    uint64_t begin;         /**< where the first of them begins */
    double lowest, highest; /**< frames of these rows */
};

/** The blocks of a file. Begin with all zero; pp_row_blocks_finish(). */
struct pp_row_blocks {
    struct pp_row_block *block; /**< by their begin, ascending; owned */
    size_t len, cap;
    uint64_t row; /**< where the row begins that is read: pp_csv_reader.place */
};

/** Add the row that is read, which belongs to a frame. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_row_blocks_add(struct pp_row_blocks *blocks, double frame);

/**
 * Read the rows of some frames, and others that are near them in the file.
 *
 * @param blocks Of all rows of this file; without blocks, the whole file is read.
 * @param frame  Numbers of frames, ascending.
 * @retval 0, -errno As pp_csv_read(); -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_row_blocks_read(const struct pp_row_blocks *blocks, int dir_fd,
                                                           const char *name, const double *frame,
                                                           size_t frames, const struct pp_csv_reader *reader);

/** Free the blocks. */
void pp_row_blocks_finish(struct pp_row_blocks *blocks);

#endif
