/** @file
 * Submitted work: executed when it is submitted, or later by a thread (LAB_MODE=late). All functions are
 * called with lab_lock held. */
#ifndef LAB_I915_WORK_H
#define LAB_I915_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/lab/i915/addresses.h"
#include "tests/lab/i915/device.h"

struct lab_fence;
struct lab_memory;

/** A batch to execute. */
struct i915_work {
    struct i915_context *context;
    enum i915_engine engine;
    struct i915_addresses addresses;
    uint64_t start;          /**< of the batch */
    struct lab_fence *fence; /**< signalled when the work has ended */
    /* of work.c */
    struct i915_work *next;
    uint64_t due_ns;
};

/** Execute the work, before the call returns or later; as LAB_MODE says. Takes over the addresses, not the
 * fence. @return 0; -EIO, with a fault: hardware would hang. Work that is executed later reports only the
 * fault. */
int i915_work_submit(const struct i915_work *work);

/** Is work submitted, and not ended, that uses the memory? */
bool i915_work_uses(const struct lab_memory *memory);

/** Wait until no work of the context is left. */
void i915_work_wait_context(const struct i915_context *context);

#endif
