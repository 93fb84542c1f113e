/** @file
 * Sync objects; see sync.h. The rules are those of the kernel's drm_syncobj module. */
#include "tests/lab/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

#include <drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/fence.h"
#include "tests/lab/report.h"
#include "tests/lab/sync_files.h"

/* A sync object. A binary one is a timeline that stays at 0. */
struct lab_sync {
    struct lab_fence *fence; /* the newest; NULL: none was submitted */
    struct lab_timeline timeline;
    uint64_t last_point; /* up to which work was submitted */
    unsigned owners;     /* handles and descriptors */
};

static struct lab_sync *
find(struct lab_client *client, uint32_t handle, const char *what)
{
    struct lab_sync *sync = lab_handle_find(&client->sync, handle);
    if (!sync)
        LAB_FAULT("%s: no sync object has the handle %u", what, handle);
    return sync;
}

static void
reset(struct lab_sync *sync)
{
    lab_fence_unref(sync->fence);
    lab_timeline_finish(&sync->timeline);
    *sync = (struct lab_sync){.owners = sync->owners};
}

static void
set_fence(struct lab_sync *sync, uint64_t point, struct lab_fence *fence)
{
    if (point != 0 && point <= sync->last_point)
        LAB_FAULT("point %llu of a timeline follows point %llu", (unsigned long long)point,
                  (unsigned long long)sync->last_point);
    lab_fence_ref(fence);
    if (point == 0)
        reset(sync);
    else
        lab_timeline_add(&sync->timeline, point, fence);
    lab_fence_unref(sync->fence);
    sync->fence = fence;
    sync->last_point = point;
    pthread_cond_broadcast(&lab_changed);
}

/* Set a fence that no one else needs. */
static void
set_new_fence(struct lab_sync *sync, uint64_t point, bool done)
{
    struct lab_fence *fence = lab_fence_create(done);
    set_fence(sync, point, fence);
    lab_fence_unref(fence);
}

static bool
is_signalled(struct lab_sync *sync, uint64_t point)
{
    return point ? lab_timeline_value(&sync->timeline) >= point : sync->fence && sync->fence->done;
}

void
lab_sync_unref(void *data)
{
    struct lab_sync *sync = data;
    if (--sync->owners != 0)
        return;
    reset(sync);
    free(sync);
}

int
lab_sync_submit_fence(struct lab_client *client, uint32_t handle, uint64_t point, struct lab_fence *fence)
{
    struct lab_sync *sync = find(client, handle, "submission");
    if (!sync)
        return -ENOENT;
    set_fence(sync, point, fence);
    return 0;
}

int
lab_sync_submit(struct lab_client *client, uint32_t handle, uint64_t point, bool done)
{
    struct lab_fence *fence = lab_fence_create(done);
    int status = lab_sync_submit_fence(client, handle, point, fence);
    lab_fence_unref(fence);
    return status;
}

int
lab_sync_needed(struct lab_client *client, uint32_t handle, uint64_t point)
{
    const struct lab_sync *sync = find(client, handle, "submission");
    if (!sync)
        return -ENOENT;
    return !sync->fence || sync->last_point < point ? -EINVAL : 0;
}

/* Waiting. */

/* -EINVAL: a fence is missing that the caller does not expect to come. */
static int
is_done(struct lab_sync *sync, uint64_t point, uint32_t flags, bool *done)
{
    bool there = sync->fence && sync->last_point >= point;
    if (!there && !(flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT) &&
        !(flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))
        return -EINVAL;
    *done = there && (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE || is_signalled(sync, point));
    return 0;
}

struct wait {
    const uint32_t *handle;
    const uint64_t *point; /* NULL: binary */
    uint32_t count, flags;
    uint32_t *first; /* out: a signalled one */
};

static int
count_done(struct lab_client *client, const struct wait *wait, uint32_t *ready)
{
    *ready = 0;
    for (uint32_t i = 0; i < wait->count; i++) {
        struct lab_sync *sync = find(client, wait->handle[i], "wait");
        bool done = false;
        int status = sync ? is_done(sync, wait->point ? wait->point[i] : 0, wait->flags, &done) : -ENOENT;
        if (status)
            return status;
        if (done && (*ready)++ == 0)
            *wait->first = i;
    }
    return 0;
}

static int
wait_for(struct lab_client *client, const struct wait *wait, int64_t deadline_ns)
{
    uint64_t deadline = deadline_ns < 0 ? 0 : (uint64_t)deadline_ns;
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000),
                             .tv_nsec = (long)(deadline % 1000000000)};
    if (wait->count == 0)
        return -EINVAL;
    for (bool waits = false;; waits = true) {
        uint32_t ready = 0;
        int status = count_done(client, wait, &ready);
        if (status)
            return status;
        if (wait->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL ? ready == wait->count : ready > 0)
            return 0;
        if (lab_now_ns() >= deadline)
            return -ETIME;
        if (!waits)
            lab_log("wait");
        (void)pthread_cond_clockwait(&lab_changed, &lab_lock, CLOCK_MONOTONIC, &until);
    }
}

static void *
pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static int
wait_binary(struct lab_client *client, struct drm_syncobj_wait *ask)
{
    struct wait wait = {.handle = pointer(ask->handles),
                        .count = ask->count_handles,
                        .flags = ask->flags,
                        .first = &ask->first_signaled};
    if (ask->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)) {
        LAB_FAULT("SYNCOBJ_WAIT: flags 0x%x", ask->flags);
        return -EINVAL;
    }
    return wait_for(client, &wait, ask->timeout_nsec);
}

static int
wait_timeline(struct lab_client *client, struct drm_syncobj_timeline_wait *ask)
{
    struct wait wait = {.handle = pointer(ask->handles),
                        .point = pointer(ask->points),
                        .count = ask->count_handles,
                        .flags = ask->flags,
                        .first = &ask->first_signaled};
    if (ask->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                                 DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE)) {
        LAB_FAULT("SYNCOBJ_TIMELINE_WAIT: flags 0x%x", ask->flags);
        return -EINVAL;
    }
    return wait_for(client, &wait, ask->timeout_nsec);
}

/* Making, setting, reading. */

static int
create(struct lab_client *client, struct drm_syncobj_create *ask)
{
    struct lab_sync *sync = NULL;
    if (ask->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED) {
        LAB_FAULT("SYNCOBJ_CREATE: flags 0x%x", ask->flags);
        return -EINVAL;
    }
    if (!(sync = calloc(1, sizeof(*sync))))
        return -ENOMEM;
    sync->owners = 1;
    if (ask->flags & DRM_SYNCOBJ_CREATE_SIGNALED)
        sync->fence = lab_fence_create(true);
    ask->handle = lab_handle_add(&client->sync, sync);
    return 0;
}

static int
destroy(struct lab_client *client, const struct drm_syncobj_destroy *ask)
{
    struct lab_sync *sync = ask->pad ? NULL : lab_handle_take(&client->sync, ask->handle);
    if (!sync) {
        LAB_FAULT("SYNCOBJ_DESTROY: no sync object has the handle %u, or pad is not 0", ask->handle);
        return -EINVAL;
    }
    lab_sync_unref(sync);
    return 0;
}

static int
set_all(struct lab_client *client, const struct drm_syncobj_array *ask, bool signal)
{
    const uint32_t *handle = pointer(ask->handles);
    if (ask->pad || ask->count_handles == 0)
        return -EINVAL;
    for (uint32_t i = 0; i < ask->count_handles; i++) {
        struct lab_sync *sync = find(client, handle[i], signal ? "SYNCOBJ_SIGNAL" : "SYNCOBJ_RESET");
        if (!sync)
            return -ENOENT;
        reset(sync);
        if (signal)
            set_new_fence(sync, 0, true);
    }
    return 0;
}

static int
signal_timeline(struct lab_client *client, const struct drm_syncobj_timeline_array *ask)
{
    const uint32_t *handle = pointer(ask->handles);
    const uint64_t *point = pointer(ask->points);
    if (ask->flags || ask->count_handles == 0)
        return -EINVAL;
    for (uint32_t i = 0; i < ask->count_handles; i++) {
        struct lab_sync *sync = find(client, handle[i], "SYNCOBJ_TIMELINE_SIGNAL");
        if (!sync)
            return -ENOENT;
        set_new_fence(sync, point[i], true);
    }
    return 0;
}

static int
query_timeline(struct lab_client *client, const struct drm_syncobj_timeline_array *ask)
{
    const uint32_t *handle = pointer(ask->handles);
    uint64_t *point = pointer(ask->points);
    if (ask->flags & ~(uint32_t)DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED || ask->count_handles == 0)
        return -EINVAL;
    for (uint32_t i = 0; i < ask->count_handles; i++) {
        struct lab_sync *sync = find(client, handle[i], "SYNCOBJ_QUERY");
        if (!sync)
            return -ENOENT;
        point[i] = ask->flags & DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED ? sync->last_point
                                                                       : lab_timeline_value(&sync->timeline);
    }
    return 0;
}

static int
transfer(struct lab_client *client, const struct drm_syncobj_transfer *ask)
{
    struct lab_sync *from = find(client, ask->src_handle, "SYNCOBJ_TRANSFER");
    struct lab_sync *to = find(client, ask->dst_handle, "SYNCOBJ_TRANSFER");
    bool done = false;
    int status = !from || !to || ask->pad ? -EINVAL : is_done(from, ask->src_point, 0, &done);
    if (status)
        return status;
    struct lab_fence *of_point =
        ask->src_point ? lab_timeline_fence(&from->timeline, ask->src_point) : from->fence;
    struct lab_fence *fence = of_point && !done ? lab_fence_ref(of_point) : lab_fence_create(true);
    set_fence(to, ask->dst_point, fence);
    lab_fence_unref(fence);
    return 0;
}

/* Descriptors. */

static int
to_descriptor(struct lab_client *client, struct drm_syncobj_handle *ask)
{
    struct lab_sync *sync = find(client, ask->handle, "SYNCOBJ_HANDLE_TO_FD");
    int fd = -EINVAL;
    if (!sync || ask->pad || ask->flags & ~(uint32_t)DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
        return -EINVAL;
    if (!ask->flags) {
        fd = lab_sync_share(sync);
        if (fd >= 0)
            sync->owners++;
    } else if (sync->fence) {
        fd = lab_sync_file_of(sync->fence);
    }
    ask->fd = fd;
    return fd < 0 ? fd : 0;
}

static int
from_descriptor(struct lab_client *client, struct drm_syncobj_handle *ask)
{
    if (ask->pad || ask->flags & ~(uint32_t)DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
        return -EINVAL;
    if (!ask->flags) {
        struct lab_sync *shared = lab_sync_shared(ask->fd);
        if (!shared)
            return -EINVAL;
        shared->owners++;
        ask->handle = lab_handle_add(&client->sync, shared);
        return 0;
    }
    struct lab_sync *sync = find(client, ask->handle, "SYNCOBJ_FD_TO_HANDLE");
    struct lab_fence *fence = lab_sync_file_fence(ask->fd);
    if (!sync || !fence)
        return sync ? -EINVAL : -ENOENT;
    set_fence(sync, 0, fence);
    return 0;
}

int
lab_sync_ioctl(struct lab_client *client, unsigned long request, void *arg)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE):
        return create(client, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
        return destroy(client, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD):
        return to_descriptor(client, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE):
        return from_descriptor(client, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
        return wait_binary(client, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
        return set_all(client, arg, false);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
        return set_all(client, arg, true);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
        return wait_timeline(client, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY):
        return query_timeline(client, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER):
        return transfer(client, arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
        return signal_timeline(client, arg);
    default:
        return -ENOTTY;
    }
}
