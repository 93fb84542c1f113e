/** @file
 * Where used objects wait for their next use. What was laid down last is taken up first, so that few
 * circulate and those are in the caches. Many threads put, many take, no lock. Knows nothing of what lies
 * there. */
#ifndef PP_CORE_UTIL_FREE_LIST_H
#define PP_CORE_UTIL_FREE_LIST_H

#include <stdatomic.h>
#include <stdbool.h>

#define PP_FREE_LIST_SLOTS 512U

/** The free list; zero it before use. Both ends of a use look for the lowest slot: what lies high up stays
 * there while fewer are needed. A thread takes a slot's object out in one exchange, so there is no ABA. */
struct pp_free_list {
    atomic_int count; /**< about; never less than what has been put and not taken for good */
    _Atomic(void *) slot[PP_FREE_LIST_SLOTS];
};

/** @return false: no place; @p item stays the caller's. Any thread; never waits. */
__attribute__((warn_unused_result)) bool pp_free_list_put(struct pp_free_list *shelf, void *item);

/** @return NULL: nothing there. Any thread; never waits. */
void *pp_free_list_take(struct pp_free_list *shelf);

#endif
