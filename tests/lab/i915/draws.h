/** @file
 * Commands of the pipelines, as far as they leave something in memory, registers or time: PIPE_CONTROL,
 * draws, walkers, and the state that counts them. A draw takes 12 ticks and a quarter of a tick for each
 * vertex, a walker 24 ticks. */
#ifndef LAB_I915_DRAWS_H
#define LAB_I915_DRAWS_H

#include <stdint.h>

struct i915_streamer;

/** Execute a command that is not of the MI kind. */
void i915_draws_execute(struct i915_streamer *streamer, const uint32_t *command, unsigned length);

#endif
