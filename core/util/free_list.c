/** @file
 * Lock-free free list; see free_list.h. */
#include "core/util/free_list.h"

#include <stddef.h>

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
