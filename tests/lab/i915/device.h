/** @file
 * The simulated Intel GPU: which one it is, its clock, its contexts. The kernel's ioctls are in files of
 * their own: gem.h, contexts.h, parameters.h, query.h, execbuffer.h, perf.h. Everything is guarded by
 * lab_lock. */
#ifndef LAB_I915_DEVICE_H
#define LAB_I915_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/lab/drm.h"

/** A GPU model. Topology: the sizes of the kernel's masks, and what is there. */
struct i915_gpu {
    const char *name;
    uint16_t pci;
    uint8_t verx10;       /**< generation times 10 */
    uint8_t address_bits; /**< of the address space that the kernel gives to a context */
    bool local_memory;
    uint32_t timestamp_hz;
    uint8_t max_slices, max_subslices, max_eus; /**< bits of the masks */
    uint8_t subslices, eus;                     /**< in the one slice; in each subslice */
};

/** What OA counters count. */
struct i915_counts {
    uint64_t vertices;   /**< of draws that the pipeline statistics count, too */
    uint64_t busy_units; /**< time in draws and walkers */
};

/** Engines that the kernel offers. */
enum i915_engine { I915_RENDER, I915_COPY, I915_ENGINES };

#define I915_REGISTER_BYTES 0x40000
#define I915_CONTEXT_SLOTS  8

/** A context: the kernel's i915_gem_context, with the register state of each engine. */
struct i915_context {
    uint32_t hardware_id;                      /**< as OA reports name it */
    uint32_t vm;                               /**< handle of its address space; 0: its own */
    int64_t priority;                          /**< -1023 to 1023 */
    uint64_t recoverable;                      /**< as set */
    unsigned slots;                            /**< of its engine map; 0: engines by their old flags */
    enum i915_engine slot[I915_CONTEXT_SLOTS]; /**< the engine map */
    uint32_t *registers[I915_ENGINES];         /**< [I915_REGISTER_BYTES / 4]; NULL: not used yet */
    struct i915_counts counts;                 /**< what this context did */
    uint8_t topology;                          /**< of 3DSTATE_VF_TOPOLOGY */
    bool uncounted;                            /**< 3DSTATE_VF_STATISTICS turned the statistics off */
};

/** What the model keeps for a client. */
struct i915_client {
    struct i915_context default_context; /* number 0 */
    struct lab_handles contexts;         /* struct i915_context */
    struct lab_handles vms;              /* of the kernel's address spaces only the number matters */
};

/** The one GPU. */
struct i915_device {
    const struct i915_gpu *gpu;
    uint64_t units;    /**< time, in 16ths of a tick of the timestamp; never before i915_units_now() */
    uint64_t start_ns; /**< CLOCK_MONOTONIC when the timestamp was start_units */
    uint64_t start_units;
    struct i915_counts counts; /**< of all contexts */
};

extern struct i915_device i915;

/** The GPU with the name "kbl", or with a name and a PCI id, "kbl:5912". @return NULL: not known. */
const struct i915_gpu *i915_gpu_named(const char *text);

/** CLOCK_MONOTONIC as the GPU's time. LAB_CLOCK=N: the timestamp was N ticks when the process began. */
uint64_t i915_units_now(void);

/** CLOCK_MONOTONIC when the clock shows this many @p units. Those of the future, to which a batch has moved
 * the clock, count as now. */
uint64_t i915_ns_of_units(uint64_t units);

#define I915_TIMESTAMP_MASK UINT64_C(0xfffffffff) /**< the timestamp has 36 bits */

/** Ticks of the timestamp, which do not wrap here. */
uint64_t i915_ticks(void);

/** Cycles of the core clock in a time; the clock is near 1 GHz and a whole multiple of the timestamp. */
uint64_t i915_core_cycles(uint64_t units);

/** The client's context; NULL: none has the number. */
struct i915_context *i915_context_of(struct lab_client *client, uint32_t number);

#endif
