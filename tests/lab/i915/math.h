/** @file
 * MI_MATH: the streamer's arithmetic on its general purpose registers. */
#ifndef LAB_I915_MATH_H
#define LAB_I915_MATH_H

#include <stdint.h>

struct i915_streamer;

/** Execute the instructions of an MI_MATH. */
void i915_math(struct i915_streamer *streamer, const uint32_t *instruction, unsigned count);

#endif
