/** @file
 * Descriptors of sync objects and sync files. For sync.c, which has the objects. */
#ifndef LAB_SYNC_FILES_H
#define LAB_SYNC_FILES_H

struct lab_sync;

/** A descriptor that leads to a sync object; the caller counts it as an owner. @return The descriptor, or
 * -errno. */
int lab_sync_share(struct lab_sync *sync);

/** The sync object of a descriptor of lab_sync_share(); NULL: it is none. */
struct lab_sync *lab_sync_shared(int fd);

#endif
