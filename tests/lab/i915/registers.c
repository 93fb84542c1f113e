/** @file
 * Registers; see registers.h. Addresses are those of Intel's Programmer's Reference Manuals and of Mesa. */
#include "tests/lab/i915/registers.h"

#include "tests/lab/i915/oa.h"
#include "tests/lab/i915/streamer.h"

#define OAG_B               0xda94 /* of the OA unit on generation 12 */
#define OAG_C               0xdab4
#define TIMESTAMP_HIGH_BITS 0xf

static bool
is_oa(uint32_t at, uint32_t first, unsigned *index)
{
    *index = (at - first) / 4;
    return at >= first && *index < I915_OA_COUNTERS;
}

/* Registers of generation 12 that drop a cache of the compression tables: each is 0 again when that is done.
 */
static bool
is_invalidation(uint32_t at)
{
    return at == 0x4208 || at == 0x4218 || at == 0x4238 || at == 0x4248 || at == 0x42c8;
}

uint32_t
i915_register_read(const struct i915_streamer *streamer, uint32_t at)
{
    unsigned index = 0;
    at &= I915_REGISTER_BYTES - 4;
    if (at == streamer->base + I915_TIMESTAMP)
        return (uint32_t)i915_ticks();
    if (at == streamer->base + I915_TIMESTAMP + 4)
        return (uint32_t)(i915_ticks() >> 32) & TIMESTAMP_HIGH_BITS;
    if (is_oa(at, OAG_B, &index))
        return (uint32_t)((index + I915_OA_B_FACTOR) * i915.counts.vertices);
    if (is_oa(at, OAG_C, &index))
        return (uint32_t)((index + I915_OA_C_FACTOR) * i915.counts.vertices);
    return streamer->registers[at / 4];
}

void
i915_register_write(struct i915_streamer *streamer, uint32_t at, uint32_t value)
{
    at &= I915_REGISTER_BYTES - 4;
    streamer->registers[at / 4] = is_invalidation(at) ? 0 : value;
}

uint64_t
i915_register_read64(const struct i915_streamer *streamer, uint32_t at)
{
    return i915_register_read(streamer, at) | (uint64_t)i915_register_read(streamer, at + 4) << 32;
}

void
i915_register_write64(struct i915_streamer *streamer, uint32_t at, uint64_t value)
{
    i915_register_write(streamer, at, (uint32_t)value);
    i915_register_write(streamer, at + 4, (uint32_t)(value >> 32));
}

void
i915_register_add(struct i915_streamer *streamer, uint32_t at, uint64_t value)
{
    i915_register_write64(streamer, at, i915_register_read64(streamer, at) + value);
}
