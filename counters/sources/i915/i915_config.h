/** @file
 * Adding Intel's metric sets to the kernel's i915 driver, and removing them. Knows no graphics API. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_CONFIG_H
#define PP_COUNTERS_SOURCES_I915_I915_CONFIG_H

#include <stdbool.h>
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

/** Remove a metric set from the kernel. @return 0; -errno: ENOENT where the kernel has none of this id. */
int pp_i915_config_remove(int fd, int64_t id);

/** Can metric sets be added and removed? Mesa's drivers ask in the same way,
 * kernel_has_dynamic_config_support() of intel_perf.c, and know no set if not. */
bool pp_i915_config_is_dynamic(int fd);

/** A metric set in the kernel. */
struct pp_i915_config {
    int64_t id; /**< the kernel's; -1: none */
    bool added; /**< passprobe added it, and removes it */
};

/**
 * Find a metric set in the kernel, or add it.
 *
 * Mesa's drivers add all sets of a GPU under the ids of their tables, use those that are there already, and
 * never remove them. A set that passprobe removed could be in use: ANV changes to it at each submission, and
 * loses the application's device if it is gone. So what passprobe adds has an id of its own.
 *
 * @param metrics Folder of the sets in sysfs: /sys/class/drm/cardN/metrics.
 * @retval 0 *ret is the caller's, for pp_i915_config_drop(). @retval -errno As pp_i915_config_add().
 */
__attribute__((warn_unused_result)) int pp_i915_config_use(int fd, const char *metrics, uint32_t set,
                                                           const struct pp_metric_variable *variable,
                                                           size_t variables, struct pp_i915_config *ret);

/** Remove a metric set if pp_i915_config_use() added it. */
void pp_i915_config_drop(int fd, struct pp_i915_config *config);

#endif
