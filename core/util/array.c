/** @file
 * Growing arrays; see array.h. */
#include "core/util/array.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/heap.h"

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
