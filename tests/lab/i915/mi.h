/** @file
 * Commands that the command streamer executes itself: MI_*. */
#ifndef LAB_I915_MI_H
#define LAB_I915_MI_H

#include <stdint.h>

struct i915_streamer;

/** Dwords of an MI command. */
unsigned i915_mi_length(uint32_t head);

/** Execute an MI command. @return the address of the next command, which is @p next unless the command jumps.
 */
uint64_t i915_mi_execute(struct i915_streamer *streamer, const uint32_t *command, unsigned length,
                         uint64_t next);

#endif
