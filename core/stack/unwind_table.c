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

static bool
find_object(uintptr_t address, struct dl_find_object *object)
{
    return pp_unwind_table_works() &&
           _dl_find_object((void *)address, object) == 0; /* NOLINT(performance-no-int-to-ptr) */
}

bool
pp_unwind_table_knows(uintptr_t address)
{
    struct dl_find_object object;
    return find_object(address, &object);
}

static int32_t
load_i32(const uint8_t *at)
{
    int32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
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

/* Find the rule for an instruction of an object. */
static struct pp_frame_rule
find_rule(const struct dl_find_object *object, uintptr_t pc)
{
    const uint8_t *low = object->dlfo_map_start, *high = object->dlfo_map_end;
    const uint8_t *header = object->dlfo_eh_frame;
    if (!header)
        return (struct pp_frame_rule){.kind = PP_RULE_NO_TABLE};
    if (header < low || high - header < HEADER_BYTES || header[0] != HEADER_VERSION ||
        header[1] != FRAME_PCREL_SDATA4 || header[2] != COUNT_UDATA4 || header[3] != TABLE_DATAREL_SDATA4)
        return (struct pp_frame_rule){.kind = PP_RULE_OTHER};
    uint32_t pairs = (uint32_t)load_i32(header + 8);
    if (pairs > (size_t)(high - header - HEADER_BYTES) / PAIR_BYTES)
        return (struct pp_frame_rule){.kind = PP_RULE_BROKEN};
    const uint8_t *pair = find_pair(header, pairs, pc);
    if (!pair)
        return (struct pp_frame_rule){.kind = PP_RULE_NO_TABLE};
    return pp_cfi_rule(header + load_i32(pair + 4), low, high, pc);
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
        rule.kind = is_begin ? PP_RULE_OUTERMOST : PP_RULE_NO_TABLE;
    }
    return rule;
}

#else

bool
pp_unwind_table_works(void)
{
    return false;
}

bool
pp_unwind_table_knows(uintptr_t address)
{
    (void)address;
    return false;
}

struct pp_frame_rule
pp_unwind_rule(uintptr_t return_address)
{
    (void)return_address;
    return (struct pp_frame_rule){.kind = PP_RULE_OTHER};
}

#endif
