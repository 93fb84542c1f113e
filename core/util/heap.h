/** @file
 * Module: the bytes that passprobe holds in this process, and arrays that grow in them. The linker sends
 * every allocation of the core, the shim and the layer through heap_wrap.c, which counts it. What drivers
 * hold for passprobe is counted by core/engine/memory.h, and is joined here. This file knows neither sessions
 * nor frames. */
#ifndef PP_CORE_UTIL_HEAP_H
#define PP_CORE_UTIL_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/compiler.h"

/** Bytes of blocks that this library has from malloc() and has not freed, as malloc_usable_size() has them; 0
 * if the application's allocator lacks that function. A block that another library frees makes this count too
 * large and that of the other one too small: only their sum is right, which wraps. */
extern __attribute__((visibility("hidden"))) atomic_size_t pp_heap_own;

/** Let the bytes that another library counts be a part of pp_heap_bytes(). @param bytes Borrowed, for good; a
 * count that is joined already is not joined again. Any thread. */
PP_API void pp_heap_join(const atomic_size_t *bytes);

/** Bytes of all blocks; 0: not known. Any thread; never waits. */
size_t pp_heap_bytes(void);

/** The greatest value of pp_heap_bytes() that pp_heap_look() has seen, in bytes. */
size_t pp_heap_most(void);

/** Note how much is held now. Any thread; never waits. @return pp_heap_bytes(). */
size_t pp_heap_look(void);

/**
 * Bound the memory of pp_heap_fits().
 *
 * @param bytes     --max-memory.
 * @param elsewhere What drivers hold and counts, too, in bytes; borrowed until the next call. May be NULL.
 */
void pp_heap_limit(size_t bytes, const atomic_size_t *elsewhere);

/** Are @p more bytes left within --max-memory? Any thread; never waits. */
bool pp_heap_has(size_t more);

/**
 * May this much more be allocated? For memory without which the application runs nevertheless: a growing
 * array of results is asked about before it grows. Small amounts are always allowed, because the rest of
 * passprobe needs them to say what was left out.
 *
 * @param more Bytes.
 * @return false: not within --max-memory; it is noted for pp_heap_take_refused(). Any thread; never waits.
 */
PP_API bool pp_heap_fits(size_t more);

/** Has pp_heap_fits() refused anything since the last call? Any thread. */
bool pp_heap_take_refused(void);

/**
 * Make an array large enough for @p want elements. The capacity doubles as often as needed.
 *
 * @param io_array   Address of a pointer of any type, to memory from malloc() or NULL; replaced if the array
 * is too small.
 * @param io_cap     Number of elements that fit into the array; updated with the array.
 * @param element    Size of one element, in bytes.
 * @retval 0 The array is large enough.
 * @retval -ENOMEM No memory; the array and its capacity are unchanged.
 */
PP_API __attribute__((warn_unused_result)) int pp_array_grow(void *io_array, uint32_t *io_cap, size_t want,
                                                             size_t element);

/** pp_array_grow() for results of the application's work, which may take much and without which the
 * application runs: not beyond --max-memory (pp_heap_fits()). */
PP_API __attribute__((warn_unused_result)) int pp_array_grow_within(void *io_array, uint32_t *io_cap,
                                                                    size_t want, size_t element);

#endif
