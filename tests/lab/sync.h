/** @file
 * Sync objects of the DRM core, binary ones and timelines, and sync files. All functions are called with
 * lab_lock held. */
#ifndef LAB_SYNC_H
#define LAB_SYNC_H

#include <stdbool.h>
#include <stdint.h>

struct lab_client;
struct lab_fence;

/** Serve an ioctl of sync objects, DRM_IOCTL_SYNCOBJ_*. @return 0 or -errno; -ENOTTY: it is none. */
int lab_sync_ioctl(struct lab_client *client, unsigned long request, void *arg);

/** Work was submitted that signals a sync object: at @p point of its timeline, or, if that is 0, as a binary
 * one. @p done: the work has ended; otherwise it never will. @return 0; -ENOENT, with a fault: no such
 * handle. */
int lab_sync_submit(struct lab_client *client, uint32_t handle, uint64_t point, bool done);

/** As lab_sync_submit(), for work that ends when a fence is signalled. */
int lab_sync_submit_fence(struct lab_client *client, uint32_t handle, uint64_t point,
                          struct lab_fence *fence);

/** Work waits for a sync object. @return 0; -EINVAL: it has no fence; -ENOENT, with a fault: no such handle.
 */
int lab_sync_needed(struct lab_client *client, uint32_t handle, uint64_t point);

/** A sync file for submitted work. @return A descriptor, or -errno. */
int lab_sync_file_create(bool done);

/** A sync file for work that ends when a fence is signalled. @return A descriptor, or -errno. */
int lab_sync_file_of(struct lab_fence *fence);

/** The sync file's fence; NULL: the descriptor is no sync file. */
struct lab_fence *lab_sync_file_fence(int fd);

/** One owner of the sync object less. For the core, when a client closes. */
void lab_sync_unref(void *sync);

#endif
