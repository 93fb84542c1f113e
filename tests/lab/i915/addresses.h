/** @file
 * Which memory is at which address of the GPU, for one submission. */
#ifndef LAB_I915_ADDRESSES_H
#define LAB_I915_ADDRESSES_H

#include <stdint.h>

struct lab_memory;

/** In the lower half of lab_memory.of_model: work was submitted with the memory. The upper half holds its
 * tiling, the rest of the lower one the address that the kernel gave to it. */
#define I915_MEMORY_USED 1u

/** One buffer. */
struct i915_place {
    uint64_t start, end; /**< 48 bits; end is after the last byte */
    uint8_t *bytes;
    struct lab_memory *memory;
};

/** The buffers of a submission, sorted by address. */
struct i915_addresses {
    struct i915_place *place; /* [count] */
    uint32_t count;
    uint32_t last; /* found last */
};

/** Allocate places for @p buffers. @return 0 or -ENOMEM. */
int i915_addresses_init(struct i915_addresses *addresses, uint32_t buffers);

/** Free what init allocated; the buffers have an owner less. */
void i915_addresses_finish(struct i915_addresses *addresses);

/** Add a buffer, which has an owner more until the end. @return 0. */
int i915_addresses_add(struct i915_addresses *addresses, uint64_t address, struct lab_memory *memory);

/** All buffers were added. @return 0; -EINVAL, with a fault: two of them overlap. */
int i915_addresses_sort(struct i915_addresses *addresses);

/** The bytes at an address, if @p size bytes are there; NULL: no buffer holds them. */
void *i915_addresses_find(struct i915_addresses *addresses, uint64_t address, uint64_t size);

/** The address of a buffer that the driver does not pin: the kernel gives one when the buffer is first
 * submitted. Like the kernel, it keeps the address while addresses are left. When none is left, all such
 * buffers move. All these addresses are below 4 GiB, and a buffer has the same one in all contexts.
 * @param alignment  Power of 2; 0: of a page.
 * @return 0: the buffer is too large. */
uint64_t i915_address_of(struct lab_memory *memory, uint64_t alignment);

/** The address with bit 47 in all bits above, as the kernel wants it. */
uint64_t i915_canonical(uint64_t address);

#endif
