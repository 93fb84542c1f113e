/** @file
 * Batches on their way to the collector and back; see batch_pool.h. */
#include "core/engine/batch_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"

/* Bytes of free batches that are always kept. More are kept while batches of that size are in use, because
 * memory that is freed and allocated again in every frame becomes fragmented: pp_batch_items_shrink(). */
#define FREE_BYTES ((size_t)16 << 20)

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
           batch->action_list.action_cap * sizeof(*batch->action_list.action) +
           batch->action_list.stack_cap * sizeof(*batch->action_list.stack);
}

static void
subtract(atomic_size_t *count, size_t bytes)
{
    size_t before = atomic_fetch_sub_explicit(count, bytes, memory_order_relaxed);
    assert(before >= bytes);
    (void)before;
}

struct pp_batch_item *
pp_batch_item_get(struct pp_session *session)
{
    if (atomic_load_explicit(&session->transport.waiting_bytes, memory_order_relaxed) >
        session->transport.waiting_bytes_max)
        return NULL;
    struct pp_batch_item *item = pp_free_list_take(&session->transport.free_batches);
    if (item) {
        subtract(&session->transport.free_bytes, item->bytes);
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
    size_t waits = item->bytes + atomic_fetch_add_explicit(&session->transport.waiting_bytes, item->bytes,
                                                           memory_order_relaxed);
    atomic_size_t *peak = &session->memory.waiting_peak;
    size_t most = atomic_load_explicit(peak, memory_order_relaxed);
    while (waits > most && !atomic_compare_exchange_weak(peak, &most, waits))
        ;
    return pp_ring_push(&session->transport.ring, item);
}

/* A batch with memory for more brackets than LARGE_BRACKETS is freed after this many consecutive uses that
 * needed less than an eighth of the memory. */
#define LARGE_BRACKETS 4096U
#define SMALL_USES     32U

/* Was a batch used for much less than it has memory for, and often? */
static bool
is_too_large(struct pp_batch_item *item)
{
    const struct pp_batch *batch = &item->batch;
    bool small = batch->bracket_cap > LARGE_BRACKETS && batch->action_list.brackets < batch->bracket_cap / 8;
    item->small_uses = small ? item->small_uses + 1 : 0;
    return item->small_uses >= SMALL_USES;
}

/* Half of the bytes that may wait for the collector. */
static size_t
free_bytes_max(const struct pp_session *session)
{
    size_t most = session->transport.waiting_bytes_max / 2;
    return most > FREE_BYTES ? most : FREE_BYTES;
}

bool
pp_batch_items_shrink(struct pp_session *session, size_t needed)
{
    size_t keep = needed > FREE_BYTES ? needed : FREE_BYTES;
    bool shrunk = false;
    while (atomic_load_explicit(&session->transport.free_bytes, memory_order_relaxed) > keep) {
        struct pp_batch_item *item = pp_free_list_take(&session->transport.free_batches);
        if (!item)
            break;
        subtract(&session->transport.free_bytes, item->bytes);
        pp_batch_item_destroy(item);
        atomic_fetch_sub(&session->transport.batches, 1);
        shrunk = true;
    }
    return shrunk;
}

void
pp_batch_item_recycle(struct pp_session *session, struct pp_batch_item *item)
{
    struct pp_batch *batch = &item->batch;
    subtract(&session->transport.waiting_bytes, item->bytes);
    size_t free_bytes =
        atomic_fetch_add_explicit(&session->transport.free_bytes, item->bytes, memory_order_relaxed);
    if (free_bytes + item->bytes <= free_bytes_max(session) && !is_too_large(item)) {
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
    subtract(&session->transport.free_bytes, item->bytes);
    pp_batch_item_destroy(item);
    atomic_fetch_sub(&session->transport.batches, 1);
}
