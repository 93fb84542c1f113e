/** @file
 * Adding Intel's metric sets to the kernel's i915 driver, and removing them. Knows no graphics API. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_CONFIG_H
#define PP_COUNTERS_SOURCES_I915_I915_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"

/** ioctl(2) on a node of i915, again after signals. @return What ioctl() returns, or -errno. */
int pp_i915_ioctl(int fd, unsigned long request, void *arg);

/**
 * Add a metric set to the kernel.
 *
 * @param fd       The render node, open.
 * @param set      Index in pp_catalogue_intel.
 * @param guid     36 characters: the kernel's name for the set.
 * @param variable The machine: registers of hardware that it lacks are left out.
 * @return The kernel's id of the set, for pp_i915_config_remove(); -errno: EADDRINUSE where the kernel has
 * one of this name.
 */
int64_t pp_i915_config_add(int fd, uint32_t set, const char *guid, const struct pp_metric_variable *variable,
                           size_t variables);

/** Remove a metric set from the kernel. */
void pp_i915_config_remove(int fd, int64_t id);

#endif
