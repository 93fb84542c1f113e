/** @file
 * See row_blocks.h. */
#include "cli/session/row_blocks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

/* Bytes of a block. Of a file of 10 GB, the blocks take 4 MB of memory. */
#define BLOCK_BYTES (UINT64_C(1) << 16)

int
pp_row_blocks_add(struct pp_row_blocks *blocks, double frame)
{
    if (blocks->len) {
        struct pp_row_block *last = &blocks->block[blocks->len - 1];
        if (last->begin / BLOCK_BYTES == blocks->row / BLOCK_BYTES) {
            last->lowest = frame < last->lowest ? frame : last->lowest;
            last->highest = frame > last->highest ? frame : last->highest;
            return 0;
        }
    }
    if (pp_grow_large_array(&blocks->block, &blocks->cap, blocks->len + 1, sizeof(*blocks->block)))
        return -ENOMEM;
    blocks->block[blocks->len++] = (struct pp_row_block){blocks->row, frame, frame};
    return 0;
}

/* Has a block one of the frames, as far as its lowest and highest frame say? */
static bool
has_any(const struct pp_row_block *block, const double *frame, size_t frames)
{
    size_t low = 0, high = frames;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frame[middle] < block->lowest)
            low = middle + 1;
        else
            high = middle;
    }
    return low < frames && frame[low] <= block->highest;
}

int
pp_row_blocks_read(const struct pp_row_blocks *blocks, int dir_fd, const char *name, const double *frame,
                   size_t frames, const struct pp_csv_reader *reader)
{
    struct pp_csv_file *file = NULL;
    struct pp_csv_row header = {.cells = 0};
    if (!blocks->len)
        return pp_csv_read(dir_fd, name, reader);
    int rc = pp_csv_file_open(dir_fd, name, reader, &file);
    rc = rc ? rc : pp_csv_file_next(file, &header);
    bool more = rc > 0 && reader->header(reader->data, header.cell, header.cells);
    rc = rc > 0 ? 0 : rc;
    for (size_t i = 0; more && rc == 0 && i < blocks->len;) {
        size_t next = i;
        while (next < blocks->len && has_any(&blocks->block[next], frame, frames))
            next++;
        if (next == i) {
            i++;
            continue;
        }
        rc = pp_csv_file_part(file, blocks->block[i].begin,
                              next < blocks->len ? blocks->block[next].begin : UINT64_MAX);
        i = next;
    }
    pp_csv_file_close(file);
    return rc;
}

void
pp_row_blocks_finish(struct pp_row_blocks *blocks)
{
    free(blocks->block);
    memset(blocks, 0, sizeof(*blocks));
}
