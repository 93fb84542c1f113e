/** @file
 * Bounded queue between the application's threads and the collector. Many producers, many consumers, no lock:
 * the sequence number of each cell says whether the cell is to be filled or taken next. */
#ifndef PP_CORE_UTIL_RING_H
#define PP_CORE_UTIL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/** One cell. */
struct pp_ring_cell {
    atomic_size_t sequence;
    void *item;
};

/** The queue. Positions only grow; cell = position modulo size. */
struct pp_ring {
    /* immutable after init */
    struct pp_ring_cell *cell;
    size_t mask;
    /* own cache lines */
    _Alignas(64) atomic_size_t head; /**< next position to fill */
    _Alignas(64) atomic_size_t tail; /**< next position to take */
};

/** Make an empty ring. @param size Maximum number of items, a power of two. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_ring_init(struct pp_ring *ring, size_t size);

/** Free the cells. Items that are left in the ring stay the caller's. */
void pp_ring_finish(struct pp_ring *ring);

/** Append an item. @return false: the ring is full; the item stays the caller's. Any thread; never waits. */
__attribute__((warn_unused_result)) bool pp_ring_push(struct pp_ring *ring, void *item);

/** Take the oldest item. @return NULL: the ring is empty. Any thread; never waits. */
void *pp_ring_pop(struct pp_ring *ring);

#endif
