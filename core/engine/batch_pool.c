/** @file
 * Batches on their way to the collector and back; see batch_pool.h. */
#include "core/engine/batch_pool.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"

/* Free batches with more bytes than this give their memory back. So a burst does not keep memory for ever,
 * and the batches in use stay small enough for caches. */
#define FREE_BYTES_MAX ((size_t)16 << 20)

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
    if (atomic_load_explicit(&session->transport.waiting_bytes, memory_order_relaxed) >
        session->transport.waiting_bytes_max)
        return NULL;
    struct pp_batch_item *item = pp_free_list_take(&session->transport.free_batches);
    if (item) {
        atomic_fetch_sub_explicit(&session->transport.free_bytes, item->bytes, memory_order_relaxed);
        return item;
    }
    if (atomic_fetch_add(&session->transport.batches, 1) < PP_BATCHES_MAX)
        item = calloc(1, sizeof(*item));
    if (!item)
        atomic_fetch_sub(&session->transport.batches, 1);
    return item;
}

bool
pp_batch_item_put(struct pp_session *session, struct pp_batch_item *item)
{
    item->bytes = bytes_of(&item->batch);
    atomic_fetch_add_explicit(&session->transport.waiting_bytes, item->bytes, memory_order_relaxed);
    return pp_ring_push(&session->transport.ring, item);
}

void
pp_batch_item_recycle(struct pp_session *session, struct pp_batch_item *item)
{
    struct pp_batch *batch = &item->batch;
    atomic_fetch_sub_explicit(&session->transport.waiting_bytes, item->bytes, memory_order_relaxed);
    size_t free_bytes =
        atomic_fetch_add_explicit(&session->transport.free_bytes, item->bytes, memory_order_relaxed);
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
        if (pp_free_list_put(&session->transport.free_batches, item))
            return;
    }
    atomic_fetch_sub_explicit(&session->transport.free_bytes, item->bytes, memory_order_relaxed);
    pp_batch_item_destroy(item);
    atomic_fetch_sub(&session->transport.batches, 1);
}
