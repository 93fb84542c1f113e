/** @file
 * The DRM core; see drm.h. The rules are those of the kernel's drm_ioctl(): an argument is copied in by the
 * size that the application's request names, and copied out. */
#include "tests/lab/drm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>

#include "tests/lab/memory.h"
#include "tests/lab/model.h"
#include "tests/lab/report.h"
#include "tests/lab/sync.h"

#define ARGUMENT_BYTES 512
#define MINORS         192

pthread_mutex_t lab_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t lab_changed = PTHREAD_COND_INITIALIZER;
static const struct lab_model *model_of[MINORS];

uint64_t
lab_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Handles. */

uint32_t
lab_handle_add(struct lab_handles *handles, void *object)
{
    uint32_t i = 0;
    while (i < handles->count && handles->object[i])
        i++;
    if (i == handles->count) {
        uint32_t count = handles->count ? 2 * handles->count : 64;
        void **more = realloc(handles->object, count * sizeof(*more));
        if (!more)
            abort();
        memset(more + handles->count, 0, (count - handles->count) * sizeof(*more));
        handles->object = more;
        handles->count = count;
    }
    handles->object[i] = object;
    return i + 1;
}

void *
lab_handle_find(const struct lab_handles *handles, uint32_t handle)
{
    return handle == 0 || handle > handles->count ? NULL : handles->object[handle - 1];
}

void *
lab_handle_take(struct lab_handles *handles, uint32_t handle)
{
    void *object = lab_handle_find(handles, handle);
    if (object)
        handles->object[handle - 1] = NULL;
    return object;
}

/* Ioctls of the core. */

static void
give_text(const char *text, char *to, __kernel_size_t *size)
{
    size_t length = strlen(text);
    if (to && *size)
        memcpy(to, text, *size < length ? *size : length);
    *size = length;
}

static int
version(const struct lab_model *model, struct drm_version *ask)
{
    ask->version_major = model->version[0];
    ask->version_minor = model->version[1];
    ask->version_patchlevel = model->version[2];
    give_text(model->driver, ask->name, &ask->name_len);
    give_text(model->date, ask->date, &ask->date_len);
    give_text(model->description, ask->desc, &ask->desc_len);
    return 0;
}

static int
capability(const struct lab_model *model, struct drm_get_cap *ask)
{
    uint64_t value = 0;
    int status = model->capability ? model->capability(ask->capability, &value) : -ENOTTY;
    ask->value = value;
    if (status != -ENOTTY)
        return status;
    switch (ask->capability) {
    case DRM_CAP_PRIME:
        ask->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
        return 0;
    case DRM_CAP_TIMESTAMP_MONOTONIC:
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE:
        ask->value = 1;
        return 0;
    default:
        return -EOPNOTSUPP; /* what displays can do */
    }
}

static int
close_memory(struct lab_client *client, const struct drm_gem_close *ask)
{
    struct lab_memory *memory = lab_handle_take(&client->memory, ask->handle);
    if (!memory) {
        LAB_FAULT("GEM_CLOSE: no memory has the handle %u", ask->handle);
        return -EINVAL;
    }
    lab_memory_unref(memory);
    return 0;
}

static int
export_memory(struct lab_client *client, struct drm_prime_handle *ask)
{
    ask->fd = lab_memory_export(client, ask->handle, ask->flags);
    return ask->fd < 0 ? ask->fd : 0;
}

static int
core_ioctl(struct lab_client *client, unsigned long request, void *arg)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION):
        return version(client->model, arg);
    case _IOC_NR(DRM_IOCTL_GET_CAP):
        return capability(client->model, arg);
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
        return close_memory(client, arg);
    case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
        return export_memory(client, arg);
    case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
        return lab_memory_import(client, ((struct drm_prime_handle *)arg)->fd,
                                 &((struct drm_prime_handle *)arg)->handle);
    case _IOC_NR(DRM_IOCTL_GET_MAGIC):
    case _IOC_NR(DRM_IOCTL_AUTH_MAGIC):
    case _IOC_NR(DRM_IOCTL_GEM_FLINK):
    case _IOC_NR(DRM_IOCTL_GEM_OPEN):
    case _IOC_NR(DRM_IOCTL_SET_CLIENT_CAP):
    case _IOC_NR(DRM_IOCTL_MODE_GETRESOURCES):
        return -EACCES; /* not on render nodes */
    default:
        return lab_sync_ioctl(client, request, arg);
    }
}

static int
node_ioctl(struct lab_object *object, unsigned long request, void *arg)
{
    struct lab_client *client = (struct lab_client *)object;
    _Alignas(16) uint8_t data[ARGUMENT_BYTES] = {0};
    unsigned number = _IOC_NR(request);
    size_t size = _IOC_SIZE(request);
    bool of_model = number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END;
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE || size > sizeof(data))
        return -ENOTTY;
    if (request & IOC_IN && size)
        memcpy(data, arg, size);
    pthread_mutex_lock(&lab_lock);
    int status = of_model ? client->model->command(client, number - DRM_COMMAND_BASE, data, size)
                          : core_ioctl(client, request, data);
    pthread_mutex_unlock(&lab_lock);
    if (status == -ENOTTY)
        LAB_FAULT("%s has no ioctl 0x%02x", of_model ? client->model->driver : "the DRM core", number);
    if (request & IOC_OUT && size)
        memcpy(arg, data, size);
    return status == -ENOTTY ? -EINVAL : status;
}

/* Other functions of nodes. */

static int
node_map(struct lab_object *object, size_t length, off_t *offset, int *fd)
{
    pthread_mutex_lock(&lab_lock);
    const struct lab_memory *memory = lab_memory_at((struct lab_client *)object, (uint64_t)*offset);
    bool fits = memory && length <= memory->size - ((uint64_t)*offset - memory->offset);
    pthread_mutex_unlock(&lab_lock);
    if (!fits) {
        LAB_FAULT("mmap: %zu bytes at offset 0x%llx are not in memory of this client", length,
                  (unsigned long long)*offset);
        return -EINVAL;
    }
    *fd = lab_memory_file();
    return 0;
}

static void
node_stat(struct lab_object *object, struct stat *st)
{
    st->st_mode = S_IFCHR | 0666;
    st->st_rdev = ((struct lab_client *)object)->device;
}

static void
close_handles(struct lab_handles *handles, void (*unref)(void *))
{
    for (uint32_t i = 0; i < handles->count; i++)
        if (handles->object[i])
            unref(handles->object[i]);
    free(handles->object);
}

static void
unref_memory(void *memory)
{
    lab_memory_unref(memory);
}

static void
node_release(struct lab_object *object)
{
    struct lab_client *client = (struct lab_client *)object;
    pthread_mutex_lock(&lab_lock);
    if (client->model->close)
        client->model->close(client);
    close_handles(&client->memory, unref_memory);
    close_handles(&client->sync, lab_sync_unref);
    pthread_mutex_unlock(&lab_lock);
    free(client);
}

static const struct lab_operations node_operations = {
    .name = "device node",
    .ioctl = node_ioctl,
    .map = node_map,
    .stat = node_stat,
    .release = node_release,
};

void
lab_drm_add_node(unsigned minor_number, const struct lab_model *model)
{
    if (minor_number < MINORS)
        model_of[minor_number] = model;
}

static atomic_bool used;

bool
lab_drm_is_used(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}

int
lab_drm_open(dev_t device, int flags)
{
    const struct lab_model *model = minor(device) < MINORS ? model_of[minor(device)] : NULL;
    if (major(device) != 226 || !model)
        return -ENODEV;
    struct lab_client *client = calloc(1, sizeof(*client));
    if (!client)
        return -ENOMEM;
    client->object.operations = &node_operations;
    client->model = model;
    client->device = device;
    atomic_store_explicit(&used, true, memory_order_relaxed);
    pthread_mutex_lock(&lab_lock);
    int fd = model->open ? model->open(client) : 0;
    pthread_mutex_unlock(&lab_lock);
    if (fd == 0) {
        /* the node is below a descriptor of the kernel's, so that its number is taken */
        fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | (flags & O_CLOEXEC));
        fd = fd < 0 ? -errno : lab_descriptor_add(fd, &client->object);
    }
    if (fd < 0)
        free(client);
    return fd;
}
