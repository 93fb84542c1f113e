/** @file
 * A map from a Vulkan handle to the layer's record of it. A look-up takes no lock and writes nothing
 * shared, so recording threads do not disturb each other. Objects are created rarely, so insertion and
 * removal take the map's lock. An entry cannot change while it is read, because Vulkan allows a handle to
 * be used only between its creation and its destruction. Tables that became too small stay readable until
 * pp_map_finish(). */
#ifndef PP_LAYER_BASE_MAP_H
#define PP_LAYER_BASE_MAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "core/util/compiler.h"

/** One entry. Key 0: free; 1: removed. */
struct pp_map_slot {
    _Atomic(uint64_t) key;
    _Atomic(void *) value;
};

/** A table with open addressing and linear probing; its size is a power of two. */
struct pp_map_table {
    struct pp_map_table *older; /**< outgrown tables, freed by pp_map_finish() */
    uint64_t mask;
    unsigned shift; /**< 64 - log2(size) */
    struct pp_map_slot slot[];
};

/** A map. An empty one is all zero, except `lock`: see PP_MAP_INIT. */
struct pp_map {
    _Atomic(struct pp_map_table *) table;
    pthread_mutex_t lock;
    /* guarded by lock */
    uint64_t count;
    uint64_t reserved; /**< entries that pp_map_put_reserved() will add */
};

#define PP_MAP_INIT                                                                                          \
    {                                                                                                        \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                                    \
    }

/** Make an empty map in zeroed memory. */
void pp_map_init(struct pp_map *map);

/** Entries that a lent table can hold, and the bytes of that table. */
#define PP_MAP_LENT       32U
#define PP_MAP_LENT_BYTES (sizeof(struct pp_map_table) + (size_t)2 * PP_MAP_LENT * sizeof(struct pp_map_slot))

/**
 * Give an empty map its first table, which holds PP_MAP_LENT entries without an allocation. Any thread, any
 * number of times. A map that has a table does not change. The map must never be finished.
 *
 * @param memory PP_MAP_LENT_BYTES zeroed bytes, aligned to 16, which live as long as the map.
 */
void pp_map_lend(struct pp_map *map, void *memory);

/** Free the tables (not the values). No reader may be left. */
void pp_map_finish(struct pp_map *map);

/** Add or replace. @param key a handle, not 0 or 1. @param value not NULL. @retval 0. @retval -ENOMEM
 * unchanged. */
__attribute__((warn_unused_result)) int pp_map_put(struct pp_map *map, uint64_t key, void *value);

/** Reserve memory for one pp_map_put_reserved(). @retval 0. @retval -ENOMEM The map is unchanged. */
__attribute__((warn_unused_result)) int pp_map_reserve(struct pp_map *map);

/** Add or replace an entry that was reserved. Never fails. */
void pp_map_put_reserved(struct pp_map *map, uint64_t key, void *value);

/** Give up a reservation that is not needed. */
void pp_map_unreserve(struct pp_map *map);

/** Add or replace, as pp_map_put(). @param ret_old The value that was replaced, NULL if none: readers may
 * still hold it. */
__attribute__((warn_unused_result)) int pp_map_swap(struct pp_map *map, uint64_t key, void *value,
                                                    void **ret_old);

/** Remove an entry. @return Its value; NULL: there was no such entry. */
void *pp_map_take(struct pp_map *map, uint64_t key);

/** Call @p visit for every entry, under the lock. */
void pp_map_each(struct pp_map *map, void (*visit)(void *value, void *user), void *user);

/** Find the value of a key. Hot: no lock, no write. @return NULL: there is none. */
static inline void *
pp_map_get(const struct pp_map *map, uint64_t key)
{
    struct pp_map_table *table = atomic_load_explicit(&map->table, memory_order_acquire);
    if (!table)
        return NULL;
    uint64_t i = (key * 0x9e3779b97f4a7c15U) >> table->shift, last = i + table->mask;
    const struct pp_map_slot *slot = &table->slot[i];
    for (;;) {
        uint64_t found = atomic_load_explicit(&slot->key, memory_order_acquire);
        if (PP_LIKELY(found == key))
            return atomic_load_explicit(&slot->value, memory_order_acquire);
        if (found == 0 || i == last)
            return NULL;
        slot = &table->slot[++i & table->mask];
    }
}

#endif
