/** @file
 * Fuzz target: the list of properties that Arm's driver writes. Only bytes of the list are read, and the part
 * before a cut has the same meaning without the rest. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/sources/mali/mali_device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_kbase_properties whole = {.product = 1}, part = {.product = 1}, both = {.product = 1};
    uint8_t *copy = malloc(size + 1); /* so that a sanitizer finds each byte too far */
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    pp_kbase_properties_read(copy, size, &whole);
    /* A list that is cut anywhere holds no core that the whole one lacks. */
    pp_kbase_properties_read(copy, size / 2, &part);
    if (part.cores & ~whole.cores)
        abort();
    pp_kbase_properties_read(copy, size, &both);
    if (memcmp(&whole, &both, sizeof(whole)) != 0)
        abort();
    free(copy);
    return 0;
}
