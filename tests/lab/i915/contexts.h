/** @file
 * Contexts and address spaces of i915. Each function that takes an argument serves one ioctl: the result is 0
 * or -errno. */
#ifndef LAB_I915_CONTEXTS_H
#define LAB_I915_CONTEXTS_H

#include <stdint.h>

struct i915_client;
struct lab_client;

int i915_context_create(struct lab_client *client, void *arg);  /**< struct drm_i915_gem_context_create_ext */
int i915_context_destroy(struct lab_client *client, void *arg); /**< struct drm_i915_gem_context_destroy */
int i915_context_getparam(struct lab_client *client, void *arg); /**< struct drm_i915_gem_context_param */
int i915_context_setparam(struct lab_client *client, void *arg); /**< struct drm_i915_gem_context_param */
int i915_reset_stats(struct lab_client *client, void *arg);      /**< struct drm_i915_reset_stats */
int i915_vm_create(struct lab_client *client, void *arg);        /**< struct drm_i915_gem_vm_control */
int i915_vm_destroy(struct lab_client *client, void *arg);       /**< struct drm_i915_gem_vm_control */

/** A number for OA reports that no other context has. */
uint32_t i915_new_hardware_id(void);

/** Free all contexts of a client. */
void i915_contexts_finish(struct i915_client *client);

#endif
