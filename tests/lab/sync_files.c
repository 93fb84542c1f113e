/** @file
 * Descriptors of sync objects and sync files; see sync_files.h and sync.h. A sync file is an eventfd below;
 * poll() finds it readable once its fence is signalled. */
#include "tests/lab/sync_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include <linux/sync_file.h>

#include "tests/lab/drm.h"
#include "tests/lab/fence.h"
#include "tests/lab/sync.h"

struct shared_sync {
    struct lab_object object;
    struct lab_sync *sync;
};

struct sync_file {
    struct lab_object object;
    struct lab_fence *fence;
};

static int
no_ioctl(struct lab_object *object, unsigned long request, void *arg)
{
    (void)object;
    (void)request;
    (void)arg;
    return -ENOTTY;
}

static void
release_shared(struct lab_object *object)
{
    pthread_mutex_lock(&lab_lock);
    lab_sync_unref(((struct shared_sync *)object)->sync);
    pthread_mutex_unlock(&lab_lock);
    free(object);
}

static const struct lab_operations shared_operations = {
    .name = "sync object",
    .ioctl = no_ioctl,
    .release = release_shared,
};

int
lab_sync_share(struct lab_sync *sync)
{
    struct shared_sync *shared = calloc(1, sizeof(*shared));
    if (!shared)
        return -ENOMEM;
    *shared = (struct shared_sync){.object = {.operations = &shared_operations}, .sync = sync};
    int fd = eventfd(0, EFD_CLOEXEC);
    fd = fd < 0 ? -errno : lab_descriptor_add(fd, &shared->object);
    if (fd < 0)
        free(shared);
    return fd;
}

struct lab_sync *
lab_sync_shared(int fd)
{
    struct lab_object *object = lab_object_of(fd);
    return object && object->operations == &shared_operations ? ((struct shared_sync *)object)->sync : NULL;
}

static int
merge(const struct sync_file *file, struct sync_merge_data *ask)
{
    struct lab_fence *other = lab_sync_file_fence(ask->fd2);
    if (ask->flags || ask->pad || !other)
        return -EINVAL;
    /* Of two fences that are not signalled, the newer one is signalled last. */
    bool first = other->done || (!file->fence->done && file->fence->number > other->number);
    ask->fence = lab_sync_file_of(first ? file->fence : other);
    return ask->fence < 0 ? ask->fence : 0;
}

static int
file_ioctl(struct lab_object *object, unsigned long request, void *arg)
{
    const struct sync_file *file = (struct sync_file *)object;
    if (request == SYNC_IOC_MERGE) {
        pthread_mutex_lock(&lab_lock);
        int status = merge(file, arg);
        pthread_mutex_unlock(&lab_lock);
        return status;
    }
    if (request != SYNC_IOC_FILE_INFO)
        return -ENOTTY;
    struct sync_file_info *info = arg;
    if (info->flags || info->pad)
        return -EINVAL;
    info->status = file->fence->done;
    info->num_fences = 0;
    return 0;
}

static short
poll_file(struct lab_object *object)
{
    pthread_mutex_lock(&lab_lock);
    short events = ((struct sync_file *)object)->fence->done ? POLLIN : 0;
    pthread_mutex_unlock(&lab_lock);
    return events;
}

static void
release_file(struct lab_object *object)
{
    pthread_mutex_lock(&lab_lock);
    lab_fence_unref(((struct sync_file *)object)->fence);
    pthread_mutex_unlock(&lab_lock);
    free(object);
}

static const struct lab_operations file_operations = {
    .name = "sync file",
    .ioctl = file_ioctl,
    .poll = poll_file,
    .release = release_file,
};

int
lab_sync_file_of(struct lab_fence *fence)
{
    struct sync_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    *file = (struct sync_file){.object = {.operations = &file_operations}, .fence = fence};
    int fd = eventfd(fence->done, EFD_CLOEXEC);
    fd = fd < 0 ? -errno : lab_descriptor_add(fd, &file->object);
    if (fd < 0)
        free(file);
    else
        lab_fence_ref(fence);
    return fd;
}

int
lab_sync_file_create(bool done)
{
    struct lab_fence *fence = lab_fence_create(done);
    int fd = lab_sync_file_of(fence);
    lab_fence_unref(fence);
    return fd;
}

struct lab_fence *
lab_sync_file_fence(int fd)
{
    struct lab_object *object = lab_object_of(fd);
    return object && object->operations == &file_operations ? ((struct sync_file *)object)->fence : NULL;
}
