/** @file
 * Sums of what is held, and growing arrays; see heap.h. heap_wrap.c counts. */
#include "core/util/heap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define JOINED_MAX  8 /* the shim and the layer; a program may load several copies of the layer */
#define SMALL_BYTES ((size_t)64 << 10)

atomic_size_t pp_heap_own;

/* The process has one heap, and so it has one count of it. */
static struct {
    _Atomic(const atomic_size_t *) joined[JOINED_MAX];
    _Atomic(const atomic_size_t *) elsewhere; /**< NULL: nothing */
    atomic_size_t limit;                      /**< 0: none */
    atomic_size_t most;
    atomic_bool refused;
} heap;

void
pp_heap_join(const atomic_size_t *bytes)
{
    for (unsigned i = 0; i < JOINED_MAX; i++) {
        const atomic_size_t *none = NULL;
        if (atomic_compare_exchange_strong(&heap.joined[i], &none, bytes) || none == bytes)
            return;
    }
}

size_t
pp_heap_bytes(void)
{
    size_t bytes = atomic_load_explicit(&pp_heap_own, memory_order_relaxed);
    for (unsigned i = 0; i < JOINED_MAX; i++) {
        const atomic_size_t *more = atomic_load_explicit(&heap.joined[i], memory_order_relaxed);
        if (!more)
            break;
        bytes += atomic_load_explicit(more, memory_order_relaxed);
    }
    /* blocks that one library allocates and another one frees between two of these loads */
    return bytes > SIZE_MAX / 2 ? 0 : bytes;
}

size_t
pp_heap_most(void)
{
    return atomic_load_explicit(&heap.most, memory_order_relaxed);
}

static void
note_most(size_t bytes)
{
    size_t most = atomic_load_explicit(&heap.most, memory_order_relaxed);
    while (bytes > most && !atomic_compare_exchange_weak(&heap.most, &most, bytes))
        ;
}

size_t
pp_heap_look(void)
{
    size_t bytes = pp_heap_bytes();
    note_most(bytes);
    return bytes;
}

void
pp_heap_limit(size_t bytes, const atomic_size_t *elsewhere)
{
    atomic_store(&heap.elsewhere, elsewhere);
    atomic_store(&heap.limit, bytes);
    atomic_store(&heap.refused, false);
}

bool
pp_heap_has(size_t more)
{
    size_t limit = atomic_load_explicit(&heap.limit, memory_order_relaxed);
    const atomic_size_t *elsewhere = atomic_load_explicit(&heap.elsewhere, memory_order_relaxed);
    size_t held = pp_heap_look() + (elsewhere ? atomic_load_explicit(elsewhere, memory_order_relaxed) : 0);
    return limit == 0 || (more <= limit && held <= limit - more);
}

bool
pp_heap_fits(size_t more)
{
    if (more <= SMALL_BYTES || pp_heap_has(more))
        return true;
    atomic_store_explicit(&heap.refused, true, memory_order_relaxed);
    return false;
}

bool
pp_heap_take_refused(void)
{
    return atomic_load_explicit(&heap.refused, memory_order_relaxed) && atomic_exchange(&heap.refused, false);
}

/* Arrays. */

/* Elements of the first allocation. */
#define FIRST 16

static int
grow(void *io_array, uint32_t *io_cap, size_t want, size_t element, bool within)
{
    size_t more = *io_cap == 0 ? FIRST : *io_cap;
    while (more < want && more <= UINT32_MAX / 2)
        more *= 2;
    size_t bytes = 0;
    if (more < want || __builtin_mul_overflow(more, element, &bytes))
        return -ENOMEM;
    /* while it grows, an array may be there twice */
    if (within && !pp_heap_fits(bytes))
        return -ENOMEM;
    void *memory = NULL;
    memcpy(&memory, io_array, sizeof(memory)); /* memcpy: a T * must not be read as a void * */
    memory = realloc(memory, bytes);
    if (!memory)
        return -ENOMEM;
    memcpy(io_array, &memory, sizeof(memory));
    *io_cap = (uint32_t)more;
    return 0;
}

int
pp_array_grow(void *io_array, uint32_t *io_cap, size_t want, size_t element)
{
    return want <= *io_cap ? 0 : grow(io_array, io_cap, want, element, false);
}

int
pp_array_grow_within(void *io_array, uint32_t *io_cap, size_t want, size_t element)
{
    return want <= *io_cap ? 0 : grow(io_array, io_cap, want, element, true);
}
