/** @file
 * Changes of the handle map; see map.h. */
#include "layer/base/map.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { REMOVED = 1, FIRST_BITS = 6 };
_Static_assert(2 * PP_MAP_LENT == 1U << FIRST_BITS, "a lent table is as large as the first one");

void
pp_map_init(struct pp_map *map)
{
    atomic_init(&map->table, NULL);
    map->count = map->reserved = 0;
    pthread_mutex_init(&map->lock, NULL);
}

void
pp_map_lend(struct pp_map *map, void *memory)
{
    struct pp_map_table *table = memory;
    pthread_mutex_lock(&map->lock);
    if (!atomic_load_explicit(&map->table, memory_order_relaxed)) {
        table->mask = 2 * PP_MAP_LENT - 1;
        table->shift = 64U - FIRST_BITS;
        atomic_store_explicit(&map->table, table, memory_order_release);
    }
    pthread_mutex_unlock(&map->lock);
}

void
pp_map_finish(struct pp_map *map)
{
    struct pp_map_table *table = atomic_load(&map->table);
    while (table) {
        struct pp_map_table *older = table->older;
        free(table);
        table = older;
    }
    atomic_store(&map->table, NULL);
    pthread_mutex_destroy(&map->lock);
}

static struct pp_map_slot *
find_slot(struct pp_map_table *table, uint64_t key)
{
    uint64_t i = (key * 0x9e3779b97f4a7c15U) >> table->shift;
    for (uint64_t probes = 0; probes <= table->mask; probes++, i++) {
        struct pp_map_slot *slot = &table->slot[i & table->mask];
        uint64_t found = atomic_load_explicit(&slot->key, memory_order_relaxed);
        if (found == key)
            return slot;
        if (found == 0)
            return NULL;
    }
    return NULL;
}

/* Fill a free slot. The value becomes visible before the key. */
static void
fill(struct pp_map_table *table, uint64_t key, void *value)
{
    uint64_t i = (key * 0x9e3779b97f4a7c15U) >> table->shift;
    for (;; i++) {
        struct pp_map_slot *slot = &table->slot[i & table->mask];
        if (atomic_load_explicit(&slot->key, memory_order_relaxed) <= REMOVED) {
            atomic_store_explicit(&slot->value, value, memory_order_release);
            atomic_store_explicit(&slot->key, key, memory_order_release);
            return;
        }
    }
}

/* Make a table twice as large, without removed entries. The old table stays readable. */
static struct pp_map_table *
grow_locked(struct pp_map *map)
{
    struct pp_map_table *old = atomic_load_explicit(&map->table, memory_order_relaxed);
    unsigned bits = !old ? FIRST_BITS : 65U - old->shift;
    struct pp_map_table *table = calloc(1, sizeof(*table) + ((size_t)1 << bits) * sizeof(table->slot[0]));
    if (!table)
        return NULL;
    table->older = old;
    table->mask = ((uint64_t)1 << bits) - 1;
    table->shift = 64U - bits;
    for (uint64_t i = 0; old && i <= old->mask; i++) {
        uint64_t key = atomic_load_explicit(&old->slot[i].key, memory_order_relaxed);
        if (key > REMOVED)
            fill(table, key, atomic_load_explicit(&old->slot[i].value, memory_order_relaxed));
    }
    atomic_store_explicit(&map->table, table, memory_order_release);
    return table;
}

/* Find or make a table that can hold one entry more than what is reserved. @return NULL: no memory. */
static struct pp_map_table *
find_table_locked(struct pp_map *map)
{
    struct pp_map_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);
    bool full = !table || (map->count + map->reserved + 1) * 2 > table->mask;
    return full ? grow_locked(map) : table;
}

int
pp_map_reserve(struct pp_map *map)
{
    pthread_mutex_lock(&map->lock);
    bool found = find_table_locked(map) != NULL;
    map->reserved += found;
    pthread_mutex_unlock(&map->lock);
    return found ? 0 : -ENOMEM;
}

void
pp_map_unreserve(struct pp_map *map)
{
    pthread_mutex_lock(&map->lock);
    assert(map->reserved > 0);
    map->reserved--;
    pthread_mutex_unlock(&map->lock);
}

void
pp_map_put_reserved(struct pp_map *map, uint64_t key, void *value)
{
    pthread_mutex_lock(&map->lock);
    struct pp_map_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);
    struct pp_map_slot *slot = find_slot(table, key);
    assert(map->reserved > 0);
    map->reserved--;
    if (slot) {
        atomic_store_explicit(&slot->value, value, memory_order_release);
    } else {
        fill(table, key, value);
        map->count++;
    }
    pthread_mutex_unlock(&map->lock);
}

int
pp_map_put(struct pp_map *map, uint64_t key, void *value)
{
    void *old;
    return pp_map_swap(map, key, value, &old);
}

int
pp_map_swap(struct pp_map *map, uint64_t key, void *value, void **ret_old)
{
    int rc = 0;
    *ret_old = NULL;
    pthread_mutex_lock(&map->lock);
    struct pp_map_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);
    struct pp_map_slot *slot = !table ? NULL : find_slot(table, key);
    if (slot) {
        *ret_old = atomic_exchange_explicit(&slot->value, value, memory_order_acq_rel);
    } else {
        table = find_table_locked(map);
        if (!table) {
            rc = -ENOMEM;
        } else {
            fill(table, key, value);
            map->count++;
        }
    }
    pthread_mutex_unlock(&map->lock);
    return rc;
}

/* Free removed entries that end a probe chain, so that tables keep empty slots: the run of removed entries
 * that ends at @p slot, if the next slot is empty. Readers only stop earlier. */
static void
reclaim(struct pp_map_table *table, const struct pp_map_slot *slot)
{
    uint64_t i = (uint64_t)(slot - table->slot);
    if (atomic_load_explicit(&table->slot[(i + 1) & table->mask].key, memory_order_relaxed) != 0)
        return;
    while (atomic_load_explicit(&table->slot[i & table->mask].key, memory_order_relaxed) == REMOVED) {
        atomic_store_explicit(&table->slot[i & table->mask].key, 0, memory_order_release);
        i--;
    }
}

void *
pp_map_take(struct pp_map *map, uint64_t key)
{
    void *value = NULL;
    pthread_mutex_lock(&map->lock);
    struct pp_map_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);
    struct pp_map_slot *slot = !table ? NULL : find_slot(table, key);
    if (slot) {
        value = atomic_load_explicit(&slot->value, memory_order_relaxed);
        atomic_store_explicit(&slot->key, REMOVED, memory_order_release);
        reclaim(table, slot);
        map->count--;
    }
    pthread_mutex_unlock(&map->lock);
    return value;
}

void
pp_map_each(struct pp_map *map, void (*visit)(void *value, void *user), void *user)
{
    pthread_mutex_lock(&map->lock);
    struct pp_map_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);
    for (uint64_t i = 0; table && i <= table->mask; i++)
        if (atomic_load_explicit(&table->slot[i].key, memory_order_relaxed) > REMOVED)
            visit(atomic_load_explicit(&table->slot[i].value, memory_order_relaxed), user);
    pthread_mutex_unlock(&map->lock);
}
