/** @file
 * Lock-free free list; see free_list.h. */
#include "core/util/free_list.h"

#include <stddef.h>

bool
pp_free_list_put(struct pp_free_list *shelf, void *item)
{
    /* Raise the count first: a taker may then search in vain, but never misses an object. */
    if (atomic_fetch_add(&shelf->count, 1) < (int)PP_FREE_LIST_SLOTS) {
        for (size_t i = 0; i < PP_FREE_LIST_SLOTS; i++) {
            void *none = NULL;
            if (!atomic_load_explicit(&shelf->slot[i], memory_order_relaxed) &&
                atomic_compare_exchange_strong_explicit(&shelf->slot[i], &none, item, memory_order_release,
                                                        memory_order_relaxed))
                return true;
        }
    }
    atomic_fetch_sub(&shelf->count, 1);
    return false;
}

void *
pp_free_list_take(struct pp_free_list *shelf)
{
    if (atomic_load(&shelf->count) <= 0)
        return NULL;
    for (size_t i = 0; i < PP_FREE_LIST_SLOTS; i++) {
        void *item = atomic_load_explicit(&shelf->slot[i], memory_order_relaxed);
        item = item ? atomic_exchange_explicit(&shelf->slot[i], NULL, memory_order_acquire) : NULL;
        if (item) {
            atomic_fetch_sub(&shelf->count, 1);
            return item;
        }
    }
    return NULL;
}
