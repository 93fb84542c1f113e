/** @file
 * Fuzz target: call frame information, which every loaded object brings and which may be broken. Bytes
 * outside of the object must not be read. */
#include <stdlib.h>
#include <string.h>

#include "core/stack/cfi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Half of the memory cannot be read. */
static bool
read_word(void *user, uintptr_t place, uintptr_t *ret_value)
{
    (void)user;
    *ret_value = place * 3;
    return place & 1;
}

static uintptr_t
base(void *user)
{
    (void)user;
    return 4096;
}

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
    const struct pp_cfi_memory memory = {.read = read_word, .base = base};
    struct pp_cfi_registers registers = {.sp = 64, .has_kept = data[0] & 1};
    (void)pp_cfi_leave(object + entry, object, object + bytes, pc, &memory, &registers);
    free(object);
    return 0;
}
