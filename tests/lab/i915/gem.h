/** @file
 * Memory ioctls of i915. Each function serves one: the argument is the ioctl's, the result 0 or -errno. */
#ifndef LAB_I915_GEM_H
#define LAB_I915_GEM_H

struct lab_client;

int i915_gem_create(struct lab_client *client, void *arg);       /**< struct drm_i915_gem_create */
int i915_gem_create_ext(struct lab_client *client, void *arg);   /**< struct drm_i915_gem_create_ext */
int i915_gem_userptr(struct lab_client *client, void *arg);      /**< struct drm_i915_gem_userptr */
int i915_gem_mmap_offset(struct lab_client *client, void *arg);  /**< struct drm_i915_gem_mmap_offset */
int i915_gem_pread(struct lab_client *client, void *arg);        /**< struct drm_i915_gem_pread */
int i915_gem_pwrite(struct lab_client *client, void *arg);       /**< struct drm_i915_gem_pwrite */
int i915_gem_set_domain(struct lab_client *client, void *arg);   /**< struct drm_i915_gem_set_domain */
int i915_gem_set_caching(struct lab_client *client, void *arg);  /**< struct drm_i915_gem_caching */
int i915_gem_set_tiling(struct lab_client *client, void *arg);   /**< struct drm_i915_gem_set_tiling */
int i915_gem_get_tiling(struct lab_client *client, void *arg);   /**< struct drm_i915_gem_get_tiling */
int i915_gem_get_aperture(struct lab_client *client, void *arg); /**< struct drm_i915_gem_get_aperture */
int i915_gem_madvise(struct lab_client *client, void *arg);      /**< struct drm_i915_gem_madvise */
int i915_gem_busy(struct lab_client *client, void *arg);         /**< struct drm_i915_gem_busy */
int i915_gem_wait(struct lab_client *client, void *arg);         /**< struct drm_i915_gem_wait */

#endif
