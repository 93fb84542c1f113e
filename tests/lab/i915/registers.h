/** @file
 * Registers that commands read and write. */
#ifndef LAB_I915_REGISTERS_H
#define LAB_I915_REGISTERS_H

#include <stdint.h>

struct i915_streamer;

enum i915_register {
    I915_CS_INVOCATIONS = 0x2290,
    I915_HS_INVOCATIONS = 0x2300,
    I915_DS_INVOCATIONS = 0x2308,
    I915_IA_VERTICES = 0x2310,
    I915_IA_PRIMITIVES = 0x2318,
    I915_VS_INVOCATIONS = 0x2320,
    I915_GS_INVOCATIONS = 0x2328,
    I915_GS_PRIMITIVES = 0x2330,
    I915_CL_INVOCATIONS = 0x2338,
    I915_CL_PRIMITIVES = 0x2340,
    I915_PS_INVOCATIONS = 0x2348,
    I915_PS_DEPTH = 0x2350,
    I915_TIMESTAMP = 0x358,        /* from the engine's base */
    I915_PREDICATE_SRC0 = 0x400,   /* from the engine's base */
    I915_PREDICATE_SRC1 = 0x408,   /* from the engine's base */
    I915_PREDICATE_RESULT = 0x418, /* from the engine's base */
    I915_DRAW_VERTICES = 0x2434,
    I915_DRAW_INSTANCES = 0x2438,
    I915_WALK_X = 0x2500,
    I915_WALK_Y = 0x2504,
    I915_WALK_Z = 0x2508,
    I915_GPR = 0x600, /* from the engine's base */
};

/** Read 32 bits. Counters of the OA unit and the timestamp are always up to date. */
uint32_t i915_register_read(const struct i915_streamer *streamer, uint32_t at);

/** Write 32 bits. */
void i915_register_write(struct i915_streamer *streamer, uint32_t at, uint32_t value);

/** Read 64 bits. */
uint64_t i915_register_read64(const struct i915_streamer *streamer, uint32_t at);

/** Write 64 bits. */
void i915_register_write64(struct i915_streamer *streamer, uint32_t at, uint64_t value);

/** Add to a counter of 64 bits. */
void i915_register_add(struct i915_streamer *streamer, uint32_t at, uint64_t value);

#endif
