/** @file
 * See ring.h. Bounded queue with sequence numbers; Algorithm: D. Vyukov, "Bounded MPMC queue"
 * (1024cores.net).
 *
 * Lock-free free list; */
#include "core/util/ring.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int
pp_ring_init(struct pp_ring *ring, size_t size)
{
    assert(size > 0 && (size & (size - 1)) == 0); /* the mask */
    memset(ring, 0, sizeof(*ring));
    ring->cell = calloc(size, sizeof(*ring->cell));
    if (!ring->cell)
        return -ENOMEM;
    ring->mask = size - 1;
    for (size_t i = 0; i < size; i++)
        atomic_init(&ring->cell[i].sequence, i);
    return 0;
}

void
pp_ring_finish(struct pp_ring *ring)
{
    free(ring->cell);
    ring->cell = NULL;
}

bool
pp_ring_push(struct pp_ring *ring, void *item)
{
    size_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
    for (;;) {
        struct pp_ring_cell *cell = &ring->cell[at & ring->mask];
        size_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        intptr_t ahead = (intptr_t)(sequence - at);
        if (ahead < 0)
            return false;
        if (ahead > 0) {
            at = atomic_load_explicit(&ring->head, memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_weak_explicit(&ring->head, &at, at + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            cell->item = item;
            atomic_store_explicit(&cell->sequence, at + 1, memory_order_release);
            return true;
        }
    }
}

void *
pp_ring_pop(struct pp_ring *ring)
{
    size_t at = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    for (;;) {
        struct pp_ring_cell *cell = &ring->cell[at & ring->mask];
        size_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        intptr_t ahead = (intptr_t)(sequence - (at + 1));
        if (ahead < 0)
            return NULL;
        if (ahead > 0) {
            at = atomic_load_explicit(&ring->tail, memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_weak_explicit(&ring->tail, &at, at + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            void *item = cell->item;
            atomic_store_explicit(&cell->sequence, at + ring->mask + 1, memory_order_release);
            return item;
        }
    }
}

bool
pp_free_list_put(struct pp_free_list *list, void *item)
{
    /* Raise the count first: then pp_free_list_take() may search without success, but never misses an object.
     */
    if (atomic_fetch_add(&list->count, 1) < (int)PP_FREE_LIST_SLOTS) {
        for (size_t i = 0; i < PP_FREE_LIST_SLOTS; i++) {
            void *none = NULL;
            if (!atomic_load_explicit(&list->slot[i], memory_order_relaxed) &&
                atomic_compare_exchange_strong_explicit(&list->slot[i], &none, item, memory_order_release,
                                                        memory_order_relaxed))
                return true;
        }
    }
    atomic_fetch_sub(&list->count, 1);
    return false;
}

void *
pp_free_list_take(struct pp_free_list *list)
{
    if (atomic_load(&list->count) <= 0)
        return NULL;
    for (size_t i = 0; i < PP_FREE_LIST_SLOTS; i++) {
        void *item = atomic_load_explicit(&list->slot[i], memory_order_relaxed);
        item = item ? atomic_exchange_explicit(&list->slot[i], NULL, memory_order_acquire) : NULL;
        if (item) {
            atomic_fetch_sub(&list->count, 1);
            return item;
        }
    }
    return NULL;
}
