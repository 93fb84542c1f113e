/** @file
 * See grow.h. */
#include "layer/grow.h"

#include <errno.h>
#include <stdlib.h>

int
pp_grow(void **io_array, uint32_t *io_cap, uint32_t want, size_t element)
{
    if (want <= *io_cap)
        return 0;
    uint32_t more = *io_cap == 0 ? 32 : *io_cap;
    while (more < want)
        more *= 2;
    void *memory = realloc(*io_array, more * element);
    if (memory == NULL)
        return -ENOMEM;
    *io_array = memory;
    *io_cap = more;
    return 0;
}
