/** @file
 * The GPU's timestamp, and how OpenGL's timestamps become ticks of it. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_CLOCK_H
#define PP_COUNTERS_SOURCES_I915_I915_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/** Bits of the GPU's timestamp, and of a timestamp that Mesa's OpenGL drivers may return. */
#define PP_I915_TIMESTAMP_BITS 36

/** Read the GPU's timestamp. @param ret_ticks PP_I915_TIMESTAMP_BITS bits. @retval 0 Read. @retval -errno The
 * kernel does not read it for this process. */
__attribute__((warn_unused_result)) int pp_i915_clock_read(int fd, uint64_t *ret_ticks);

/**
 * Find the timestamp that Mesa's OpenGL drivers returned as nanoseconds.
 *
 * iris and crocus of Mesa 22.3 keep 36 bits of the nanoseconds, so that the same number comes again
 * every 68.7 seconds; Mesa 25.0 keeps all. Of all timestamps with these 36 bits, the one that is nearest to
 * @p now_ticks is returned.
 *
 * @param ns        A timestamp of OpenGL.
 * @param now_ticks The GPU's timestamp, read less than 30 seconds before or after.
 * @param hz        Ticks a second; not 0.
 * @return The low 32 bits of the ticks, as OA reports have them.
 */
uint32_t pp_i915_clock_ticks(uint64_t ns, uint64_t now_ticks, uint64_t hz);

/**
 * pp_i915_clock_ticks() for timestamps of any driver of OpenGL. Drivers other than those two (zink, for
 * example) return the nanoseconds themselves. Read as those of iris, such a timestamp is mostly seconds later
 * than now. A timestamp is never later than now, so this shows which driver it is.
 *
 * @param now_ticks The GPU's timestamp, read less than 0.1 seconds before.
 * @param whole     Does the driver return the nanoseconds themselves? Begin with false. It is set once that
 *                  is known, and stays.
 */
uint32_t pp_i915_clock_ticks_of_any(uint64_t ns, uint64_t now_ticks, uint64_t hz, bool *whole);

#endif
