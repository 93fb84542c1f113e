/** @file
 * Addresses of a submission's buffers; see addresses.h. */
#include "tests/lab/i915/addresses.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "tests/lab/i915/device.h"
#include "tests/lab/memory.h"
#include "tests/lab/report.h"

#define ADDRESS_BITS 48
/* In lab_memory.of_model: the address, and the round in which it was given. */
#define MEMORY_ADDRESS UINT64_C(0xfffff000)
#define MEMORY_ROUND   UINT64_C(0xffe)
#define ROUND_SHIFT    1
#define LOWEST         UINT64_C(0x10000)
#define LOW_BITS       32

uint64_t
i915_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << (64 - ADDRESS_BITS)) >> (64 - ADDRESS_BITS));
}

static uint64_t
low_bits(uint64_t address)
{
    return address & ((UINT64_C(1) << ADDRESS_BITS) - 1);
}

int
i915_addresses_init(struct i915_addresses *addresses, uint32_t buffers)
{
    *addresses = (struct i915_addresses){.place = calloc(buffers, sizeof(struct i915_place))};
    return addresses->place ? 0 : -ENOMEM;
}

void
i915_addresses_finish(struct i915_addresses *addresses)
{
    for (uint32_t i = 0; i < addresses->count; i++)
        lab_memory_unref(addresses->place[i].memory);
    free(addresses->place);
}

int
i915_addresses_add(struct i915_addresses *addresses, uint64_t address, struct lab_memory *memory)
{
    uint64_t start = low_bits(address);
    lab_memory_ref(memory);
    addresses->place[addresses->count++] = (struct i915_place){
        .start = start, .end = start + memory->size, .bytes = memory->bytes, .memory = memory};
    return 0;
}

uint64_t
i915_address_of(struct lab_memory *memory, uint64_t alignment)
{
    static uint64_t next = LOWEST, round = 1;
    unsigned bits = i915.gpu->address_bits < LOW_BITS ? i915.gpu->address_bits : LOW_BITS;
    uint64_t mask = alignment > 4096 ? alignment - 1 : 4095, end = UINT64_C(1) << bits;
    uint64_t address = memory->of_model & MEMORY_ADDRESS;
    bool given = (memory->of_model & MEMORY_ROUND) == (round << ROUND_SHIFT & MEMORY_ROUND);
    if (address && given && !(address & mask))
        return address;
    address = (next + mask) & ~mask;
    if (memory->size > end || address > end - memory->size) {
        round++;
        address = (LOWEST + mask) & ~mask;
    }
    if (memory->size > end || address > end - memory->size)
        return 0;
    next = (address + memory->size + 4095) & ~UINT64_C(4095);
    memory->of_model = (memory->of_model & ~(MEMORY_ADDRESS | MEMORY_ROUND)) | address |
                       (round << ROUND_SHIFT & MEMORY_ROUND);
    return address;
}

static int
compare(const void *a, const void *b)
{
    const struct i915_place *first = a, *second = b;
    return first->start < second->start ? -1 : first->start > second->start;
}

int
i915_addresses_sort(struct i915_addresses *addresses)
{
    qsort(addresses->place, addresses->count, sizeof(*addresses->place), compare);
    for (uint32_t i = 1; i < addresses->count; i++)
        if (addresses->place[i].start < addresses->place[i - 1].end) {
            LAB_FAULT("EXECBUFFER2: two buffers overlap at 0x%llx",
                      (unsigned long long)addresses->place[i].start);
            return -EINVAL;
        }
    return 0;
}

static void *
bytes_at(const struct i915_place *place, uint64_t address, uint64_t size)
{
    return address >= place->start && address < place->end && size <= place->end - address
               ? place->bytes + (address - place->start)
               : NULL;
}

void *
i915_addresses_find(struct i915_addresses *addresses, uint64_t address, uint64_t size)
{
    uint32_t low = 0, high = addresses->count;
    address = low_bits(address);
    void *found = high ? bytes_at(&addresses->place[addresses->last], address, size) : NULL;
    while (!found && low < high) {
        uint32_t middle = low + (high - low) / 2;
        addresses->last = middle;
        if ((found = bytes_at(&addresses->place[middle], address, size)))
            break;
        if (address < addresses->place[middle].start)
            high = middle;
        else
            low = middle + 1;
    }
    return found;
}
