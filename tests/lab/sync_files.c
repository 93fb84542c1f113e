/** @file
 * Descriptors of sync objects and sync files; see sync_files.h and sync.h. A sync file is an eventfd below,
 * which poll() finds readable once its fence is signalled. */
#include "tests/lab/sync_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include <linux/sync_file.h>

#include "tests/lab/drm.h"
#include "tests/lab/sync.h"

struct shared_sync {
    struct lab_object object;
    struct lab_sync *sync;
};

struct sync_file {
    struct lab_object object;
    bool done;
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
    bool done = false;
    if (ask->flags || ask->pad || lab_sync_file_state(ask->fd2, &done))
        return -EINVAL;
    ask->fence = lab_sync_file_create(file->done && done);
    return ask->fence < 0 ? ask->fence : 0;
}

static int
file_ioctl(struct lab_object *object, unsigned long request, void *arg)
{
    const struct sync_file *file = (struct sync_file *)object;
    if (request == SYNC_IOC_MERGE)
        return merge(file, arg);
    if (request != SYNC_IOC_FILE_INFO)
        return -ENOTTY;
    struct sync_file_info *info = arg;
    if (info->flags || info->pad)
        return -EINVAL;
    info->status = file->done;
    info->num_fences = 0;
    return 0;
}

static void
release_file(struct lab_object *object)
{
    free(object);
}

static const struct lab_operations file_operations = {
    .name = "sync file",
    .ioctl = file_ioctl,
    .release = release_file,
};

int
lab_sync_file_create(bool done)
{
    struct sync_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    *file = (struct sync_file){.object = {.operations = &file_operations}, .done = done};
    int fd = eventfd(done, EFD_CLOEXEC);
    fd = fd < 0 ? -errno : lab_descriptor_add(fd, &file->object);
    if (fd < 0)
        free(file);
    return fd;
}

int
lab_sync_file_state(int fd, bool *done)
{
    struct lab_object *object = lab_object_of(fd);
    if (!object || object->operations != &file_operations)
        return -EINVAL;
    *done = ((struct sync_file *)object)->done;
    return 0;
}
