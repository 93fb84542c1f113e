/** @file
 * Memory of batches; see batch.h. */
#include "core/model/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/heap.h"

static void
free_rows(struct pp_batch *batch)
{
    free(batch->rows);
    free(batch->status);
    free(batch->set);
    batch->rows = NULL;
    batch->status = NULL;
    batch->set = NULL;
    batch->bracket_cap = 0;
}

void
pp_batch_free_arrays(struct pp_batch *batch)
{
    pp_action_list_finish(&batch->action_list);
    free_rows(batch);
}

void
pp_batch_set_row_bytes(struct pp_batch *batch, uint32_t begin_bytes, uint32_t end_bytes)
{
    uint32_t pair_bytes = begin_bytes + end_bytes;
    if (batch->begin_bytes == begin_bytes && batch->pair_bytes == pair_bytes)
        return;
    free_rows(batch);
    batch->begin_bytes = begin_bytes;
    batch->pair_bytes = pair_bytes;
}

int
pp_batch_reserve(struct pp_batch *batch, uint32_t brackets)
{
    uint32_t cap = batch->bracket_cap ? batch->bracket_cap : 16;
    if (brackets <= batch->bracket_cap)
        return 0;
    while (cap < brackets) {
        if (cap > UINT32_MAX / 4)
            return -ENOMEM;
        cap *= 2;
    }
    size_t pair = batch->pair_bytes;
    if (!pp_heap_fits(cap * (pair + (size_t)2 * PP_MAX_SOURCES)))
        return -ENOMEM;
    uint8_t *rows = realloc(batch->rows, cap * pair + 1);
    if (!rows)
        return -ENOMEM;
    batch->rows = rows;
    uint8_t *status = realloc(batch->status, (size_t)cap * PP_MAX_SOURCES);
    if (!status)
        return -ENOMEM;
    batch->status = status;
    uint8_t *set = realloc(batch->set, (size_t)cap * PP_MAX_SOURCES);
    if (!set)
        return -ENOMEM;
    batch->set = set;
    memset(rows + batch->bracket_cap * pair, 0, (cap - batch->bracket_cap) * pair);
    memset(status + (size_t)batch->bracket_cap * PP_MAX_SOURCES, PP_NOT_AVAILABLE,
           (size_t)(cap - batch->bracket_cap) * PP_MAX_SOURCES);
    memset(set + (size_t)batch->bracket_cap * PP_MAX_SOURCES, 0,
           (size_t)(cap - batch->bracket_cap) * PP_MAX_SOURCES);
    batch->bracket_cap = cap;
    return 0;
}
