/** @file
 * Bounded queue between the application's threads and the collector. Many producers, many consumers, no lock:
 * the sequence number of each cell says whether the cell is to be filled or taken next.
 *
 * Lock-free free list: used objects wait here for their next use. The most recently used objects are taken
 * first, so few objects circulate and they stay in the caches. Any number of threads may put and take. The
 * free list does not know what the objects are. */
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

#define PP_FREE_LIST_SLOTS 512U

/** The free list; zero it before use. Both put and take search for the lowest slot, so objects in high
 * slots stay there while few are needed. A thread takes an object out of its slot in one exchange, so
 * there is no ABA problem. */
struct pp_free_list {
    atomic_int count; /**< approximate; never less than the number of objects in the slots */
    _Atomic(void *) slot[PP_FREE_LIST_SLOTS];
};

/** Put an unused object into the free list. @return false: the list is full; @p item stays the caller's.
 * Any thread; never waits. */
__attribute__((warn_unused_result)) bool pp_free_list_put(struct pp_free_list *list, void *item);

/** Take an object from the free list. @return NULL: the list is empty. Any thread; never waits. */
void *pp_free_list_take(struct pp_free_list *list);

#endif
