/** @file
 * Relocations: a driver that does not pin its buffers says at which places their addresses are, and the
 * kernel writes the addresses there. */
#ifndef LAB_I915_RELOCATIONS_H
#define LAB_I915_RELOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

struct drm_i915_gem_exec_object2;
struct lab_client;

/** The buffers of a submission, which have their addresses already. */
struct i915_relocations {
    struct lab_client *client;
    struct drm_i915_gem_exec_object2 *object; /**< [buffers]; their relocations are the driver's memory */
    uint32_t buffers;
    bool by_index; /**< I915_EXEC_HANDLE_LUT: a target is named by its index, not by its handle */
    bool trusted;  /**< I915_EXEC_NO_RELOC, and no buffer moved: the driver wrote all addresses itself */
};

/** Write the addresses that changed, and report to the driver what was written. An address that the driver
 * says it has written itself is compared. @return 0; -EINVAL, with a fault. */
int i915_relocate(const struct i915_relocations *all);

#endif
