/** @file
 * Sync objects of the DRM core, binary ones and timelines, and sync files. Fences are either signalled when
 * work is submitted, or never. All functions are called with lab_lock held. */
#ifndef LAB_SYNC_H
#define LAB_SYNC_H

#include <stdbool.h>
#include <stdint.h>

struct lab_client;

/** Serve an ioctl of sync objects, DRM_IOCTL_SYNCOBJ_*. @return 0 or -errno; -ENOTTY: it is none. */
int lab_sync_ioctl(struct lab_client *client, unsigned long request, void *arg);

/** Work was submitted that signals a sync object: at @p point of its timeline, or, if that is 0, as a binary
 * one. @p done: the work has ended; otherwise it never will. @return 0; -ENOENT, with a fault: no such
 * handle. */
int lab_sync_submit(struct lab_client *client, uint32_t handle, uint64_t point, bool done);

/** Work waits for a sync object. @return 0; -EINVAL: it has no fence; -ENOENT, with a fault: no such handle.
 * *done: its fence is signalled. */
int lab_sync_needed(struct lab_client *client, uint32_t handle, uint64_t point, bool *done);

/** A sync file for submitted work. @return A descriptor, or -errno. */
int lab_sync_file_create(bool done);

/** Whether the sync file's fence is signalled. @return 0; -EINVAL: the descriptor is no sync file. */
int lab_sync_file_state(int fd, bool *done);

/** One owner of the sync object less. For the core, when a client closes. */
void lab_sync_unref(void *sync);

#endif
