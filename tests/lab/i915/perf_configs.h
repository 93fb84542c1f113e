/** @file
 * OA configurations of i915-perf: which registers a metric set programs, by a UUID. */
#ifndef LAB_I915_PERF_CONFIGS_H
#define LAB_I915_PERF_CONFIGS_H

#include <stdbool.h>
#include <stdint.h>

struct drm_i915_query_item;
struct lab_client;

/** Make the folder of the configurations' files in sysfs. Before main(). With LAB_SHARE=FILE, all processes
 * that name the file have one kernel: they see each other's configurations, and one of them at a time has the
 * OA unit. */
void i915_perf_configs_begin(void);

/** True if a configuration has the number. */
bool i915_perf_config_exists(uint64_t number);

/** DRM_IOCTL_I915_PERF_ADD_CONFIG. @return the new number, or -errno. */
int i915_perf_add_config(struct lab_client *client, void *arg);

/** DRM_IOCTL_I915_PERF_REMOVE_CONFIG. @return 0 or -errno. */
int i915_perf_remove_config(struct lab_client *client, void *arg);

/** Take the OA unit for this process. The caller holds lab_lock. @return 0; -EBUSY: another process has it.
 */
int i915_perf_take_unit(void);

/** Give back what i915_perf_take_unit() took; nothing happens if nothing was taken. */
void i915_perf_give_unit(void);

/** Serve DRM_I915_QUERY_PERF_CONFIG. @return the item's length, or -errno. */
int i915_perf_query(struct drm_i915_query_item *item);

#endif
