/** @file
 * From a Vulkan handle to what we know of it. Looking up takes no lock and writes nothing shared, so
 * that recording threads never meet; inserting and removing happen at object-creation rate, under the map's
 * lock.
 *
 * Sound because of Vulkan's own rule: a handle may be used only between its creation and destruction, so a
 * reader's entry cannot change under it. Tables that were outgrown stay readable until pp_map_finish(). */
#ifndef PP_LAYER_DISPATCH_MAP_H
#define PP_LAYER_DISPATCH_MAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/** One entry; key 0 free, 1 removed. */
struct pp_map_slot {
    _Atomic(uint64_t) key;
    _Atomic(void *) value;
};

/** Open addressing, linear probing, power of two. */
struct pp_map_table {
    struct pp_map_table *older; /**< outgrown tables, freed by pp_map_finish() */
    uint64_t mask;
    unsigned shift; /**< 64 - log2(size) */
    struct pp_map_slot slot[];
};

/** The map. All zero but `lock` is a valid empty one; see PP_MAP_INIT. */
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

/** Entries for which a table that is lent has room, and the bytes it takes. */
#define PP_MAP_LENT       32U
#define PP_MAP_LENT_BYTES (sizeof(struct pp_map_table) + (size_t)2 * PP_MAP_LENT * sizeof(struct pp_map_slot))

/**
 * Give an empty map its first table, so that it has room for PP_MAP_LENT entries without an allocation.
 *
 * Any thread, any number of times; nothing happens to a map that has a table. The map is never finished.
 * @param memory PP_MAP_LENT_BYTES zeroed bytes, aligned to 16, which live as long as the map.
 */
void pp_map_lend(struct pp_map *map, void *memory);

/** Free the tables (not the values). No reader may be left. */
void pp_map_finish(struct pp_map *map);

/** Add or replace. @param key a handle, not 0 or 1. @param value not NULL. @retval 0. @retval -ENOMEM
 * unchanged. */
__attribute__((warn_unused_result)) int pp_map_put(struct pp_map *map, uint64_t key, void *value);

/** Make sure that one pp_map_put_reserved() will find room. @retval 0. @retval -ENOMEM unchanged. */
__attribute__((warn_unused_result)) int pp_map_reserve(struct pp_map *map);

/** Add or replace what was reserved: it cannot fail. */
void pp_map_put_reserved(struct pp_map *map, uint64_t key, void *value);

/** Give up what was reserved and is not needed. */
void pp_map_unreserve(struct pp_map *map);

/** Add or replace, as pp_map_put(). @param ret_old The value that was replaced, NULL if none: readers may
 * still hold it. */
__attribute__((warn_unused_result)) int pp_map_swap(struct pp_map *map, uint64_t key, void *value,
                                                    void **ret_old);

/** Remove. @return The value it had, NULL if there was none. */
void *pp_map_take(struct pp_map *map, uint64_t key);

/** Call @p visit for every entry, under the lock. */
void pp_map_each(struct pp_map *map, void (*visit)(void *value, void *user), void *user);

/** The value of a key, NULL if absent. Hot: no lock, no write. */
static inline void *
pp_map_get(const struct pp_map *map, uint64_t key)
{
    struct pp_map_table *table = atomic_load_explicit(&map->table, memory_order_acquire);
    if (table == NULL)
        return NULL;
    uint64_t i = (key * 0x9e3779b97f4a7c15U) >> table->shift, last = i + table->mask;
    const struct pp_map_slot *slot = &table->slot[i];
    for (;;) {
        uint64_t found = atomic_load_explicit(&slot->key, memory_order_acquire);
        if (__builtin_expect(found == key, 1))
            return atomic_load_explicit(&slot->value, memory_order_acquire);
        if (found == 0 || i == last)
            return NULL;
        slot = &table->slot[++i & table->mask];
    }
}

#endif
