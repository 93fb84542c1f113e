/** @file
 * Memory objects; see memory.h. */
#include "tests/lab/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <drm.h>
#include <linux/dma-buf.h>

#include "tests/lab/drm.h"
#include "tests/lab/report.h"

#define PAGE 4096u
/* Size of the sparse file; a place is never used twice. qemu-user, for arm64, notes each page of a mapping.
 */
#ifdef __aarch64__
#define FILE_BYTES (UINT64_C(1) << 33)
#else
#define FILE_BYTES (UINT64_C(1) << 40)
#endif
#define FIRST_FD 512 /* out of the way of applications that expect low numbers */

/* A descriptor of PRIME. */
struct shared {
    struct lab_object object;
    struct lab_memory *memory;
};

static int file = -1;
static uint8_t *all;
static uint64_t used = PAGE; /* so that 0 is no offset */

static bool
open_file(void)
{
    if (all)
        return true;
    int fd = (int)syscall(SYS_memfd_create, "lab", MFD_CLOEXEC);
    int high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);
    if (high >= 0) {
        (void)syscall(SYS_close, fd);
        fd = high;
    }
    if (fd < 0 || ftruncate(fd, (off_t)FILE_BYTES) != 0)
        return false;
    void *map = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    file = fd;
    all = map;
    return true;
}

int
lab_memory_file(void)
{
    return file;
}

struct lab_memory *
lab_memory_create(uint64_t size)
{
    struct lab_memory *memory = NULL;
    size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (size == 0 || !open_file() || size > FILE_BYTES - used || !(memory = calloc(1, sizeof(*memory))))
        return NULL;
    *memory = (struct lab_memory){.size = size, .offset = used, .bytes = all + used, .owners = 1};
    used += size;
    return memory;
}

struct lab_memory *
lab_memory_of_user(void *bytes, uint64_t size)
{
    struct lab_memory *memory = calloc(1, sizeof(*memory));
    if (memory)
        *memory = (struct lab_memory){.size = size, .bytes = bytes, .from_user = true, .owners = 1};
    return memory;
}

void
lab_memory_ref(struct lab_memory *memory)
{
    memory->owners++;
}

void
lab_memory_unref(struct lab_memory *memory)
{
    if (--memory->owners != 0)
        return;
    if (!memory->from_user)
        (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)memory->offset,
                        (off_t)memory->size);
    free(memory);
}

struct lab_memory *
lab_memory_at(const struct lab_client *client, uint64_t offset)
{
    for (uint32_t i = 0; i < client->memory.count; i++) {
        struct lab_memory *memory = client->memory.object[i];
        if (memory && !memory->from_user && offset >= memory->offset &&
            offset - memory->offset < memory->size)
            return memory;
    }
    return NULL;
}

struct lab_memory *
lab_memory_of(const struct lab_client *client, uint32_t handle, const char *what)
{
    struct lab_memory *memory = lab_handle_find(&client->memory, handle);
    if (!memory)
        LAB_FAULT("%s: no memory has the handle %u", what, handle);
    return memory;
}

/* Descriptors of PRIME. */

static int
shared_ioctl(struct lab_object *object, unsigned long request, void *arg)
{
    (void)object;
    (void)arg;
    return request == DMA_BUF_IOCTL_SYNC || _IOC_NR(request) == _IOC_NR(DMA_BUF_SET_NAME_A) ? 0 : -ENOTTY;
}

static int
shared_map(struct lab_object *object, size_t length, off_t *offset, int *fd)
{
    const struct lab_memory *memory = ((struct shared *)object)->memory;
    if (*offset < 0 || (uint64_t)*offset + length > ((memory->size + PAGE - 1) & ~(uint64_t)(PAGE - 1)))
        return -EINVAL;
    *offset += (off_t)memory->offset;
    *fd = file;
    return 0;
}

static off_t
shared_size(struct lab_object *object)
{
    return (off_t)((struct shared *)object)->memory->size;
}

static void
shared_release(struct lab_object *object)
{
    pthread_mutex_lock(&lab_lock);
    lab_memory_unref(((struct shared *)object)->memory);
    pthread_mutex_unlock(&lab_lock);
    free(object);
}

static const struct lab_operations shared_operations = {
    .name = "dma-buf",
    .ioctl = shared_ioctl,
    .map = shared_map,
    .size = shared_size,
    .release = shared_release,
};

int
lab_memory_export(struct lab_client *client, uint32_t handle, uint32_t flags)
{
    struct lab_memory *memory = lab_handle_find(&client->memory, handle);
    if (!memory) {
        LAB_FAULT("PRIME_HANDLE_TO_FD: no memory has the handle %u", handle);
        return -ENOENT;
    }
    if (flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    if (memory->from_user)
        return -EINVAL;
    struct shared *shared = calloc(1, sizeof(*shared));
    if (!shared)
        return -ENOMEM;
    *shared = (struct shared){.object = {.operations = &shared_operations}, .memory = memory};
    int fd = fcntl(file, flags & DRM_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
    fd = fd < 0 ? -errno : lab_descriptor_add(fd, &shared->object);
    if (fd < 0)
        free(shared);
    else
        lab_memory_ref(memory);
    return fd;
}

int
lab_memory_import(struct lab_client *client, int fd, uint32_t *handle)
{
    struct lab_object *object = lab_object_of(fd);
    if (!object || object->operations != &shared_operations)
        return -EBADF;
    struct lab_memory *memory = ((struct shared *)object)->memory;
    for (uint32_t i = 0; i < client->memory.count; i++)
        if (client->memory.object[i] == memory) {
            *handle = i + 1;
            return 0;
        }
    lab_memory_ref(memory);
    *handle = lab_handle_add(&client->memory, memory);
    return 0;
}
