/** @file
 * Hashes of bytes and of numbers. */
#ifndef PP_CORE_UTIL_HASH_H
#define PP_CORE_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PP_HASH_START UINT64_C(0xcbf29ce484222325)

/** 64-bit FNV-1a of bytes, continued from @p hash; start with PP_HASH_START. Any thread. Source: Fowler,
 * Noll, Vo. */
uint64_t pp_hash(uint64_t hash, const void *bytes, size_t size);

/** Add a number to a running hash, which may start with any number. Cheaper than pp_hash(). Any thread. Hot.
 */
static inline uint64_t
pp_hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

#endif
