/** @file
 * What i915 says of itself in numbers. Each function serves one ioctl: the result is 0 or -errno. */
#ifndef LAB_I915_PARAMETERS_H
#define LAB_I915_PARAMETERS_H

struct lab_client;

int i915_getparam(struct lab_client *client, void *arg); /**< struct drm_i915_getparam */
int i915_reg_read(struct lab_client *client, void *arg); /**< struct drm_i915_reg_read */

#endif
