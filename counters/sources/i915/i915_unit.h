/** @file
 * Is the OA unit free, and did a driver really open it? Some drivers report success where the kernel refused:
 * Mesa 25.0.7 (i915_perf_stream_open()) gives descriptor 0 then. It changes
 * the set of that descriptor later, and loses the application's device, or closes it, and the application
 * loses its standard input. Call from any thread; nothing waits. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_UNIT_H
#define PP_COUNTERS_SOURCES_I915_I915_UNIT_H

#include <stdbool.h>
#include <stdint.h>

/** Most streams of a process that are looked at: one for each GPU. */
#define PP_I915_STREAMS 8

/** In place of a render node. */
#define PP_I915_ANY_GPU UINT32_MAX

/** A driver is about to open the OA unit. */
struct pp_i915_unit {
    bool checked;                /**< false: i915 does not drive the GPU, and the driver's word must do */
    int streams;                 /**< streams that this process had before */
    int before[PP_I915_STREAMS]; /**< their descriptors */
};

/** Does i915 drive the GPU of this render node? */
bool pp_i915_unit_is(uint32_t minor);

/**
 * Before a driver is asked: open a stream as the driver would, and close it. 0: ask the driver, then call
 * pp_i915_unit_end().
 *
 * @param minor Of the render node. PP_I915_ANY_GPU: try each GPU that i915 drives, since OpenGL's drivers do
 * not say which one they use.
 * @param pci   PCI device id; of PP_I915_ANY_GPU nothing.
 * @retval -errno Do not ask the driver. EBUSY: another process or another device of this process has the
 * unit. EACCES, EPERM: no right.
 */
__attribute__((warn_unused_result)) int pp_i915_unit_begin(uint32_t minor, uint32_t pci,
                                                           struct pp_i915_unit *ret);

/** After the driver was asked. @return The descriptor of the stream that it has opened, which stays the
 * driver's. -ENOENT: none, since another process was quicker. -ENODEV: i915 does not drive the GPU. */
__attribute__((warn_unused_result)) int pp_i915_unit_end(const struct pp_i915_unit *unit);

/** Let a driver's stream count another metric set. @param id The kernel's id of the set. @retval -errno
 * EBADF: the descriptor is no stream any more. */
__attribute__((warn_unused_result)) int pp_i915_unit_change(int stream, int64_t id);

#endif
