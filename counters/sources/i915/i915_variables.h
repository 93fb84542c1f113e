/** @file
 * Variables of an Intel GPU for the formulas of its metrics: what i915 and sysfs know of its topology and
 * clocks. Knows no graphics API. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_VARIABLES_H
#define PP_COUNTERS_SOURCES_I915_I915_VARIABLES_H

#include <stddef.h>

#include "counters/metric/metric.h"
#include "counters/oa/oa_gpu.h"
#include "counters/sources/i915/i915.h"
#include "counters/sources/kernel/small_file.h"

/**
 * Ask i915 for the topology of a GPU: counts and masks of its slices, subslices and execution units, as
 * variables with the names that formulas use.
 *
 * @param fd       Its render node, open. Variables that i915 does not answer keep their values.
 * @param variable The @p variables of pp_oa_gpu_variables(); an array of @p capacity elements.
 * @return The new number of variables.
 */
size_t pp_i915_variables_topology(int fd, const struct pp_oa_gpu *gpu, struct pp_metric_variable *variable,
                                  size_t variables, size_t capacity);

/**
 * Read from sysfs which clocks a GPU may run at, as the variables GpuMinFrequency and GpuMaxFrequency, in Hz.
 *
 * @param device   Folder of the device in sysfs: "/sys/class/drm/renderD128/device". A variable whose file
 *                 cannot be read is left as it is.
 * @param variable An array of @p capacity elements, of which @p variables are set.
 * @return The new number of variables.
 */
size_t pp_i915_variables_frequencies(const char *device, struct pp_metric_variable *variable,
                                     size_t variables, size_t capacity);

/** Find the folder of a device's card: "DEVICE/drm/card0". @retval 0. @retval -ENOENT There is none. */
__attribute__((warn_unused_result)) int pp_i915_variables_find_card(const char *device,
                                                                    char card[PP_PATH_BYTES]);

/**
 * Collect the variables of an opened GPU: those of its kind, then those that the kernel reports about it.
 *
 * @param i915 Its fd, device and gpu are set. Its variables, clocks and number of EUs are filled in.
 */
void pp_i915_variables_collect(struct pp_i915 *i915);

#endif
