/** @file
 * DRM_IOCTL_I915_QUERY: topology, engines, memory regions, OA configurations. */
#ifndef LAB_I915_QUERY_H
#define LAB_I915_QUERY_H

struct lab_client;

/** Serve the ioctl, struct drm_i915_query. @return 0 or -errno; each item has an error of its own. */
int i915_query(struct lab_client *client, void *arg);

#endif
