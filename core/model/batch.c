/** @file
 * Memory of batches; see batch.h. Batches are recycled: after a few frames none is allocated. */
#include "core/model/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"

/* Free batches with more bytes than this give their memory back. So a burst does not keep memory for ever,
 * and the batches in use stay small enough for caches. */
#define FREE_BYTES_MAX ((size_t)16 << 20)

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
pp_batch_render_target(struct pp_batch *batch, uint32_t begin_bytes, uint32_t end_bytes)
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

void
pp_batch_item_destroy(struct pp_batch_item *item)
{
    if (!item)
        return;
    pp_batch_free_arrays(&item->batch);
    free(item);
}

static size_t
bytes_of(const struct pp_batch *batch)
{
    return batch->bracket_cap * ((size_t)batch->pair_bytes + (size_t)2 * PP_MAX_SOURCES) +
           batch->action_list.pass_cap * sizeof(*batch->action_list.pass) +
           batch->action_list.action_cap * sizeof(*batch->action_list.action);
}

struct pp_batch_item *
pp_batch_item_get(struct pp_session *session)
{
    if (atomic_load_explicit(&session->waiting_bytes, memory_order_relaxed) > session->waiting_bytes_max)
        return NULL;
    struct pp_batch_item *item = pp_free_list_take(&session->free_batches);
    if (item) {
        atomic_fetch_sub_explicit(&session->free_bytes, item->bytes, memory_order_relaxed);
        return item;
    }
    if (atomic_fetch_add(&session->batches, 1) < PP_BATCHES_MAX)
        item = calloc(1, sizeof(*item));
    if (!item)
        atomic_fetch_sub(&session->batches, 1);
    return item;
}

bool
pp_batch_item_put(struct pp_session *session, struct pp_batch_item *item)
{
    item->bytes = bytes_of(&item->batch);
    atomic_fetch_add_explicit(&session->waiting_bytes, item->bytes, memory_order_relaxed);
    return pp_ring_push(&session->ring, item);
}

void
pp_batch_item_recycle(struct pp_session *session, struct pp_batch_item *item)
{
    struct pp_batch *batch = &item->batch;
    atomic_fetch_sub_explicit(&session->waiting_bytes, item->bytes, memory_order_relaxed);
    size_t free_bytes = atomic_fetch_add_explicit(&session->free_bytes, item->bytes, memory_order_relaxed);
    if (free_bytes + item->bytes <= FREE_BYTES_MAX) {
        size_t used = batch->action_list.brackets < batch->bracket_cap ? batch->action_list.brackets
                                                                       : batch->bracket_cap;
        /* The next user expects zeroed rows with status PP_NOT_AVAILABLE. Only the used part needs
         * clearing. */
        if (batch->rows)
            memset(batch->rows, 0, used * batch->pair_bytes);
        if (batch->status)
            memset(batch->status, PP_NOT_AVAILABLE, used * PP_MAX_SOURCES);
        if (batch->set)
            memset(batch->set, 0, used * PP_MAX_SOURCES);
        pp_action_list_reset(&batch->action_list);
        item->next = NULL;
        if (pp_free_list_put(&session->free_batches, item))
            return;
    }
    atomic_fetch_sub_explicit(&session->free_bytes, item->bytes, memory_order_relaxed);
    pp_batch_item_destroy(item);
    atomic_fetch_sub(&session->batches, 1);
}
