/** @file
 * Submissions of i915: which buffers are at which addresses, what work waits for and signals. */
#ifndef LAB_I915_EXECBUFFER_H
#define LAB_I915_EXECBUFFER_H

struct lab_client;

/** DRM_IOCTL_I915_GEM_EXECBUFFER2. @return 0 or -errno. */
int i915_execbuffer(struct lab_client *client, void *arg);

#endif
