/** @file
 * Interning: equal bytes get one id. Entries are never removed, so a reader needs no lock: known bytes are
 * found through atomic slots, and only a new entry takes the lock. The table does not know what the bytes
 * mean. */
#ifndef PP_CORE_UTIL_INTERN_H
#define PP_CORE_UTIL_INTERN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One entry; immutable once published. */
struct pp_intern_entry {
    uint32_t id;
    uint32_t hash;
    size_t size;
    unsigned char bytes[]; /**< aligned for any object */
};

/** A table of at most `limit` entries; id 0 is never given out. */
struct pp_intern {
    /* immutable after init */
    uint32_t slots; /**< power of two, twice the limit */
    uint32_t limit;
    _Atomic(struct pp_intern_entry *) *slot;
    _Atomic(struct pp_intern_entry *) *by_id;
    /* guarded by lock */
    pthread_mutex_t lock;
    /* written under lock */
    atomic_uint count;
};

/** Make an empty table. @param limit Maximum number of entries, a power of two. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_intern_init(struct pp_intern *table, uint32_t limit);

/** Free all entries. No other thread may use the table. */
void pp_intern_finish(struct pp_intern *table);

/** Intern bytes. @return Id of equal bytes, new or known; 0: pp_intern_is_full(), or no memory. Any thread.
 */
uint32_t pp_intern(struct pp_intern *table, const void *bytes, size_t size);

/** Intern bytes like pp_intern(), with a hash that the caller has computed: equal bytes must have equal
 * hashes. A table takes either hashes of the caller or none. */
uint32_t pp_intern_hashed(struct pp_intern *table, uint64_t wide, const void *bytes, size_t size);

/** Has the table as many entries as it may have? If not, a failed pp_intern() had no memory. Any thread. */
bool pp_intern_is_full(struct pp_intern *table);

/** Find an entry by id. @return NULL for 0 or an unknown id. Any thread; valid as long as the table. */
const struct pp_intern_entry *pp_intern_get(struct pp_intern *table, uint32_t id);

#endif
