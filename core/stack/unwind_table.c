/** @file
 * Finds rules; see unwind_table.h. The loader's _dl_find_object() gives the object at an address; a sorted
 * table in the object's .eh_frame_hdr gives the entry of the function. */
#include "core/stack/unwind_table.h"

#include <dlfcn.h>
#include <features.h>
#include <string.h>

#include "core/stack/cfi.h"

#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)

/* Encodings in .eh_frame_hdr that linkers write: the address of .eh_frame, the number of entries, and pairs
 * of offsets from the header. Source: LSB 5.0, "Exception Frame Header". */
enum { HEADER_VERSION = 1, COUNT_UDATA4 = 0x03, TABLE_DATAREL_SDATA4 = 0x3b, FRAME_PCREL_SDATA4 = 0x1b };

/* Header: four bytes of encodings, then the address of .eh_frame and the count. */
#define HEADER_BYTES 12
#define PAIR_BYTES   8

/* Libraries that run on an older glibc than the one of their build miss the function. */
extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

bool
pp_unwind_table_works(void)
{
    return _dl_find_object != NULL;
}

static int32_t
load_i32(const uint8_t *at)
{
    int32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

/* Find the object at an address. */
static bool
find_object(uintptr_t address, struct dl_find_object *object)
{
    if (!pp_unwind_table_works() ||
        _dl_find_object((void *)address, object)) /* NOLINT(performance-no-int-to-ptr) */
        return false;
    /* Of some executables the loader gives only the part from the code on, as of Chromium: the tables are in
     * front of it. */
    const uint8_t *header = object->dlfo_eh_frame, *low = object->dlfo_map_start;
    if (header && header < low && header[1] == FRAME_PCREL_SDATA4) {
        const uint8_t *frame = header + 4 + load_i32(header + 4);
        object->dlfo_map_start =
            (void *)(uintptr_t)(frame < header ? frame : header); /* NOLINT(performance-no-int-to-ptr) */
    }
    return true;
}

/* Find the last pair whose function does not begin after @p pc. @return NULL: there is none. */
static const uint8_t *
find_pair(const uint8_t *header, uint32_t pairs, uintptr_t pc)
{
    const uint8_t *table = header + HEADER_BYTES;
    int64_t wanted = (int64_t)(pc - (uintptr_t)header);
    uint32_t low = 0, high = pairs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (load_i32(table + (size_t)middle * PAIR_BYTES) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? NULL : table + (size_t)(low - 1) * PAIR_BYTES;
}

/* Find the entry for an instruction of an object. @return NULL: there is none, see @p ret_why. */
static const uint8_t *
find_entry(const struct dl_find_object *object, uintptr_t pc, uint8_t *ret_why)
{
    const uint8_t *low = object->dlfo_map_start, *high = object->dlfo_map_end;
    const uint8_t *header = object->dlfo_eh_frame;
    *ret_why = PP_RULE_NO_TABLE;
    if (!header)
        return NULL;
    *ret_why = PP_RULE_OTHER;
    if (header < low || high - header < HEADER_BYTES || header[0] != HEADER_VERSION ||
        header[1] != FRAME_PCREL_SDATA4 || header[2] != COUNT_UDATA4 || header[3] != TABLE_DATAREL_SDATA4)
        return NULL;
    uint32_t pairs = (uint32_t)load_i32(header + 8);
    *ret_why = PP_RULE_BROKEN;
    if (pairs > (size_t)(high - header - HEADER_BYTES) / PAIR_BYTES)
        return NULL;
    *ret_why = PP_RULE_NO_TABLE;
    const uint8_t *pair = find_pair(header, pairs, pc);
    return pair ? header + load_i32(pair + 4) : NULL;
}

/* Find the rule for an instruction of an object. */
static struct pp_frame_rule
find_rule(const struct dl_find_object *object, uintptr_t pc)
{
    struct pp_frame_rule rule = {.kind = PP_RULE_NO_TABLE};
    const uint8_t *entry = find_entry(object, pc, &rule.kind);
    return entry ? pp_cfi_rule(entry, object->dlfo_map_start, object->dlfo_map_end, pc) : rule;
}

/* Has an object tables for few of its functions? Compilers make functions of 100 to 300 bytes on average.
 * Chromium has an entry for 30,000 bytes. */
#define ENTRY_BYTES_MAX 8192U
static bool
is_sparse(const struct dl_find_object *object)
{
    const uint8_t *low = object->dlfo_map_start, *high = object->dlfo_map_end;
    const uint8_t *header = object->dlfo_eh_frame;
    return !header || header < low || high - header < HEADER_BYTES ||
           (uint64_t)(uint32_t)load_i32(header + 8) * ENTRY_BYTES_MAX < (uint64_t)(high - low);
}

struct pp_frame_rule
pp_unwind_rule(uintptr_t return_address)
{
    struct dl_find_object object;
    uintptr_t pc = return_address - 1; /* the call may be the last instruction of its function */
    if (!pp_unwind_table_works())
        return (struct pp_frame_rule){.kind = PP_RULE_OTHER};
    if (!find_object(pc, &object))
        return (struct pp_frame_rule){.kind = PP_RULE_NO_CODE};
    struct pp_frame_rule rule = find_rule(&object, pc);
    if (rule.kind == PP_RULE_NO_TABLE) {
        /* No call returns to the first instruction of a function. makecontext() of the C library puts such an
         * address on a coroutine's stack, so the coroutine's first function is below it. */
        bool is_begin = find_rule(&object, return_address).kind != PP_RULE_NO_TABLE;
        rule.kind = is_begin ? PP_RULE_OUTERMOST : is_sparse(&object) ? PP_RULE_POINTER : PP_RULE_NO_TABLE;
    }
    return rule;
}

int
pp_unwind_leave(uintptr_t return_address, const struct pp_cfi_memory *memory,
                struct pp_cfi_registers *registers)
{
    struct dl_find_object object;
    uintptr_t pc = return_address - 1;
    uint8_t why = 0;
    const uint8_t *entry = find_object(pc, &object) ? find_entry(&object, pc, &why) : NULL;
    if (!entry)
        return PP_CFI_OTHER;
    return (int)pp_cfi_leave(entry, object.dlfo_map_start, object.dlfo_map_end, pc, memory, registers);
}

#else

bool
pp_unwind_table_works(void)
{
    return false;
}

struct pp_frame_rule
pp_unwind_rule(uintptr_t return_address)
{
    (void)return_address;
    return (struct pp_frame_rule){.kind = PP_RULE_OTHER};
}

int
pp_unwind_leave(uintptr_t return_address, const struct pp_cfi_memory *memory,
                struct pp_cfi_registers *registers)
{
    (void)return_address;
    (void)memory;
    (void)registers;
    return PP_CFI_OTHER;
}

#endif
