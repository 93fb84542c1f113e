/** @file
 * Fuzz target: call frame information, which every loaded object brings and which may be broken. Bytes
 * outside of the object must not be read. */
#include <stdlib.h>
#include <string.h>

#include "core/stack/cfi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    size_t bytes = size - 4;
    uint8_t *object = malloc(bytes + 1); /* its own allocation, so that a byte too much is seen */
    if (!object)
        return 0;
    memcpy(object, data + 4, bytes);
    size_t entry = (size_t)(data[0] | data[1] << 8) % (bytes + 1);
    uintptr_t pc = (uintptr_t)object + (uintptr_t)(data[2] | data[3] << 8);
    struct pp_frame_rule rule = pp_cfi_rule(object + entry, object, object + bytes, pc);
    if (rule.kind > PP_RULE_BP_LOAD || rule.base > PP_BASE_FROM_BP)
        abort();
    free(object);
    return 0;
}
