/** @file
 * The command streamer: executes the commands of a batch that it would execute itself (MI_*), and what
 * PIPE_CONTROL, draws and walkers leave in memory and registers. Shaders do not run. A command takes a 16th
 * of a tick; draws.h says what work takes. */
#ifndef LAB_I915_STREAMER_H
#define LAB_I915_STREAMER_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/lab/i915/addresses.h"
#include "tests/lab/i915/device.h"

#define I915_BATCH_DEPTH 8

/** How much a batch and the batches that it calls make the GPU read and wait. A PIPE_CONTROL stalls if it
 * waits for earlier work: at the command streamer, at the scoreboard of pixels, or for the depth test. */
struct i915_batch_counts {
    uint64_t dwords;        /**< of commands; those that a jump leaves out are not counted */
    uint64_t pipe_controls; /**< PIPE_CONTROL commands */
    uint64_t stalls;        /**< those that stall */
    uint64_t flushes;       /**< those that write back or invalidate caches */
};

/** A batch that is being executed. */
struct i915_streamer {
    struct i915_context *context;
    struct i915_addresses *addresses;
    uint32_t *registers; /**< of the context and engine */
    uint32_t base;       /**< of the engine's own registers: 0x2000 or 0x22000 */
    uint64_t at;         /**< address of the command */
    uint64_t back[I915_BATCH_DEPTH];
    unsigned depth; /**< batches that wait in @ref back */
    struct i915_batch_counts counts;
    bool ended, failed;
};

/** Execute a batch from an address until its end. @return 0; -EIO, with a fault: hardware would hang. In both
 * cases
 * @p ret_counts has the commands that were executed. */
int i915_streamer_run(struct i915_context *context, enum i915_engine engine, struct i915_addresses *addresses,
                      uint64_t start, struct i915_batch_counts *ret_counts);

/** End the batch with a fault. */
void i915_streamer_fail(struct i915_streamer *streamer, const char *why, uint64_t value);

/** Memory of @p size bytes at an address; NULL, with a fault: none is there. */
void *i915_streamer_memory(struct i915_streamer *streamer, uint64_t address, uint64_t size);

/** Write 4 or 8 bytes to an address that is aligned to 4 bytes. (ANV writes 8 bytes to such addresses by
 * MI_STORE_DATA_IMM.) */
void i915_streamer_store(struct i915_streamer *streamer, uint64_t address, uint64_t value, unsigned size);

#endif
