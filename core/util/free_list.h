/** @file
 * Lock-free free list: used objects wait here for their next use. The most recently used objects are taken
 * first, so few objects circulate and they stay in the caches. Any number of threads may put and take. The
 * free list does not know what the objects are. */
#ifndef PP_CORE_UTIL_FREE_LIST_H
#define PP_CORE_UTIL_FREE_LIST_H

#include <stdatomic.h>
#include <stdbool.h>

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
