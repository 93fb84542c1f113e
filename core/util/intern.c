/** @file
 * Append-only hash table; see intern.h. */
#include "core/util/intern.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/hash.h"

int
pp_intern_init(struct pp_intern *table, uint32_t limit)
{
    assert(limit > 0 && (limit & (limit - 1)) == 0); /* the mask of find() */
    memset(table, 0, sizeof(*table));
    table->limit = limit;
    table->slots = limit * 2;
    table->slot = calloc(table->slots, sizeof(*table->slot));
    table->by_id = calloc((size_t)limit + 1, sizeof(*table->by_id));
    pthread_mutex_init(&table->lock, NULL);
    if (!table->slot || !table->by_id) {
        pp_intern_finish(table);
        return -ENOMEM;
    }
    return 0;
}

void
pp_intern_finish(struct pp_intern *table)
{
    for (uint32_t i = 0; table->slot && i < table->slots; i++)
        free(atomic_load(&table->slot[i]));
    free(table->slot);
    free(table->by_id);
    pthread_mutex_destroy(&table->lock);
    memset(table, 0, sizeof(*table));
}

/* Find an entry. @return NULL: there is none; @p ret_slot is the first free slot. */
static struct pp_intern_entry *
find(struct pp_intern *table, uint32_t hash, const void *bytes, size_t size, uint32_t *ret_slot)
{
    for (uint32_t i = hash & (table->slots - 1);; i = (i + 1) & (table->slots - 1)) {
        struct pp_intern_entry *entry = atomic_load_explicit(&table->slot[i], memory_order_acquire);
        if (!entry ||
            (entry->hash == hash && entry->size == size && memcmp(entry->bytes, bytes, size) == 0)) {
            *ret_slot = i;
            return entry;
        }
    }
}

static uint32_t
insert_locked(struct pp_intern *table, uint32_t hash, const void *bytes, size_t size)
{
    uint32_t slot = 0;
    struct pp_intern_entry *entry = find(table, hash, bytes, size, &slot);
    unsigned count = atomic_load(&table->count);
    if (entry)
        return entry->id;
    if (count >= table->limit)
        return 0;
    entry = malloc(sizeof(*entry) + size);
    if (!entry)
        return 0;
    entry->id = count + 1;
    entry->hash = hash;
    entry->size = size;
    memcpy(entry->bytes, bytes, size);
    atomic_store_explicit(&table->by_id[entry->id], entry, memory_order_release);
    atomic_store_explicit(&table->slot[slot], entry, memory_order_release);
    atomic_store(&table->count, count + 1);
    return entry->id;
}

uint32_t
pp_intern(struct pp_intern *table, const void *bytes, size_t size)
{
    return pp_intern_hashed(table, pp_hash(PP_HASH_START, bytes, size), bytes, size);
}

uint32_t
pp_intern_hashed(struct pp_intern *table, uint64_t wide, const void *bytes, size_t size)
{
    uint32_t hash = (uint32_t)(wide ^ (wide >> 32));
    uint32_t slot = 0;
    struct pp_intern_entry *entry = find(table, hash, bytes, size, &slot);
    if (entry)
        return entry->id;
    pthread_mutex_lock(&table->lock);
    uint32_t id = insert_locked(table, hash, bytes, size);
    pthread_mutex_unlock(&table->lock);
    return id;
}

bool
pp_intern_is_full(struct pp_intern *table)
{
    return atomic_load_explicit(&table->count, memory_order_relaxed) >= table->limit;
}

const struct pp_intern_entry *
pp_intern_get(struct pp_intern *table, uint32_t id)
{
    if (id == 0 || id > table->limit)
        return NULL;
    return atomic_load_explicit(&table->by_id[id], memory_order_acquire);
}
