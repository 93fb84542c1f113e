/** @file
 * Bounded queue with sequence numbers; see ring.h. Algorithm: D. Vyukov, "Bounded MPMC queue"
 * (1024cores.net). */
#include "core/util/ring.h"

#include <assert.h>
#include <errno.h>
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
