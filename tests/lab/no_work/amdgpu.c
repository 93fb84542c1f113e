/** @file
 * The model "amdgpu": the kernel driver that RADV and radeonsi need, for the GPUs of amdgpu_info.c. Its GPU
 * executes nothing: results of queries never come. Fences are signalled, or with LAB_MODE=hang never. */
#include "tests/lab/no_work/amdgpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <amdgpu_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/memory.h"
#include "tests/lab/models.h"
#include "tests/lab/no_work/wait.h"
#include "tests/lab/pci.h"
#include "tests/lab/report.h"
#include "tests/lab/sync.h"

#define PCI_VENDOR_AMD 0x1002

/* What a client keeps. */
struct client {
    struct lab_handles contexts; /* a non-NULL mark for each */
    struct lab_handles lists;    /* of memory objects; a non-NULL mark for each */
    uint64_t submissions;
};

static const struct lab_amdgpu *gpu;
static char mark;

static bool
begin(const char *device)
{
    gpu = lab_amdgpu_named(device);
    if (!gpu)
        return false;
    lab_pci_add(
        &(struct lab_pci){
            .vendor = PCI_VENDOR_AMD, .device = gpu->pci, .revision = gpu->pci_revision, .driver = "amdgpu"},
        &lab_amdgpu_model);
    return true;
}

static int
open_client(struct lab_client *client)
{
    client->of_model = calloc(1, sizeof(struct client));
    return client->of_model ? 0 : -ENOMEM;
}

static void
close_client(struct lab_client *client)
{
    struct client *mine = client->of_model;
    free(mine->contexts.object);
    free(mine->lists.object);
    free(mine);
}

/* Memory. */

static int
create_memory(struct lab_client *client, union drm_amdgpu_gem_create *ask)
{
    struct lab_memory *memory = lab_memory_create(ask->in.bo_size);
    if (!memory)
        return -ENOMEM;
    memset(ask, 0, sizeof(*ask));
    ask->out.handle = lab_handle_add(&client->memory, memory);
    return 0;
}

static int
take_user_memory(struct lab_client *client, struct drm_amdgpu_gem_userptr *ask)
{
    struct lab_memory *memory = lab_memory_of_user((void *)(uintptr_t)ask->addr, ask->size);
    if (!memory)
        return -ENOMEM;
    ask->handle = lab_handle_add(&client->memory, memory);
    return 0;
}

static int
map_memory(const struct lab_client *client, union drm_amdgpu_gem_mmap *ask)
{
    const struct lab_memory *memory = lab_memory_of(client, ask->in.handle, "amdgpu: GEM_MMAP");
    if (!memory)
        return -ENOENT;
    ask->out.addr_ptr = memory->offset;
    return 0;
}

static int
place_memory(const struct lab_client *client, const struct drm_amdgpu_gem_va *ask)
{
    if ((ask->va_address | ask->offset_in_bo | ask->map_size) & 4095) {
        LAB_FAULT("amdgpu: GEM_VA: address %#llx, offset %#llx and size %#llx must be whole pages",
                  (unsigned long long)ask->va_address, (unsigned long long)ask->offset_in_bo,
                  (unsigned long long)ask->map_size);
        return -EINVAL;
    }
    /* No memory is named where a sparse range begins or ends. */
    if (ask->handle != 0 && !lab_memory_of(client, ask->handle, "amdgpu: GEM_VA"))
        return -ENOENT;
    return 0;
}

/* Contexts and lists of memory objects. */

static int
handle_context(struct client *mine, union drm_amdgpu_ctx *ask)
{
    uint32_t operation = ask->in.op, handle = ask->in.ctx_id;
    if (operation == AMDGPU_CTX_OP_ALLOC_CTX) {
        memset(ask, 0, sizeof(*ask));
        ask->out.alloc.ctx_id = lab_handle_add(&mine->contexts, &mark);
        return 0;
    }
    if (!lab_handle_find(&mine->contexts, handle)) {
        LAB_FAULT("amdgpu: CTX: no context has the handle %u", handle);
        return -EINVAL;
    }
    if (operation == AMDGPU_CTX_OP_FREE_CTX)
        (void)lab_handle_take(&mine->contexts, handle);
    memset(ask, 0, sizeof(*ask)); /* no reset happened; no clocks are pinned */
    return 0;
}

static int
handle_list(const struct lab_client *client, union drm_amdgpu_bo_list *ask)
{
    struct client *mine = client->of_model;
    if (ask->in.operation == AMDGPU_BO_LIST_OP_DESTROY) {
        if (!lab_handle_take(&mine->lists, ask->in.list_handle))
            LAB_FAULT("amdgpu: BO_LIST: no list has the handle %u", ask->in.list_handle);
        return 0;
    }
    const struct drm_amdgpu_bo_list_entry *entry = (const void *)(uintptr_t)ask->in.bo_info_ptr;
    for (uint32_t i = 0; i < ask->in.bo_number; i++)
        if (!lab_memory_of(client, entry[i].bo_handle, "amdgpu: BO_LIST"))
            return -ENOENT;
    if (ask->in.operation == AMDGPU_BO_LIST_OP_CREATE) {
        memset(ask, 0, sizeof(*ask));
        ask->out.list_handle = lab_handle_add(&mine->lists, &mark);
    }
    return 0;
}

/* Submissions. */

/* Sync objects that a submission signals. */
static int
signal_fences(struct lab_client *client, const struct drm_amdgpu_cs_chunk *chunk)
{
    bool done = lab_mode() != LAB_HANG;
    const struct drm_amdgpu_cs_chunk_sem *binary = (const void *)(uintptr_t)chunk->chunk_data;
    const struct drm_amdgpu_cs_chunk_syncobj *timeline = (const void *)(uintptr_t)chunk->chunk_data;
    int status = 0;
    if (chunk->chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_OUT)
        for (uint32_t i = 0; i < chunk->length_dw * 4 / sizeof(*binary) && status == 0; i++)
            status = lab_sync_submit(client, binary[i].handle, 0, done);
    else if (chunk->chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL)
        for (uint32_t i = 0; i < chunk->length_dw * 4 / sizeof(*timeline) && status == 0; i++)
            status = lab_sync_submit(client, timeline[i].handle, timeline[i].point, done);
    return status;
}

static int
submit(struct lab_client *client, union drm_amdgpu_cs *ask)
{
    struct client *mine = client->of_model;
    const uint64_t *chunk = (const void *)(uintptr_t)ask->in.chunks;
    uint32_t dwords = 0;
    if (!lab_handle_find(&mine->contexts, ask->in.ctx_id)) {
        LAB_FAULT("amdgpu: CS: no context has the handle %u", ask->in.ctx_id);
        return -EINVAL;
    }
    for (uint32_t i = 0; i < ask->in.num_chunks; i++) {
        const struct drm_amdgpu_cs_chunk *next = (const void *)(uintptr_t)chunk[i];
        const struct drm_amdgpu_cs_chunk_ib *commands = (const void *)(uintptr_t)next->chunk_data;
        if (next->chunk_id == AMDGPU_CHUNK_ID_IB)
            dwords += commands->ib_bytes / 4;
        int status = signal_fences(client, next);
        if (status)
            return status;
    }
    lab_log("CS context %u dwords %u", ask->in.ctx_id, dwords);
    memset(ask, 0, sizeof(*ask));
    ask->out.handle = ++mine->submissions;
    return 0;
}

static int
wait_for_fences(union drm_amdgpu_wait_fences *ask)
{
    bool busy = lab_no_work_wait(ask->in.timeout_ns);
    memset(ask, 0, sizeof(*ask));
    ask->out.status = !busy;
    return 0;
}

static int
wait_for_memory(const struct lab_client *client, union drm_amdgpu_gem_wait_idle *ask)
{
    if (!lab_memory_of(client, ask->in.handle, "amdgpu: GEM_WAIT_IDLE"))
        return -ENOENT;
    bool busy = lab_no_work_wait(ask->in.timeout);
    memset(ask, 0, sizeof(*ask));
    ask->out.status = busy;
    return 0;
}

static int
wait_for_submission(union drm_amdgpu_wait_cs *ask)
{
    bool busy = lab_no_work_wait(ask->in.timeout);
    memset(ask, 0, sizeof(*ask));
    ask->out.status = busy;
    return 0;
}

static int
command(struct lab_client *client, unsigned number, void *arg, size_t size)
{
    (void)size;
    switch (number) {
    case DRM_AMDGPU_INFO:
        return lab_amdgpu_info(gpu, arg);
    case DRM_AMDGPU_GEM_CREATE:
        return create_memory(client, arg);
    case DRM_AMDGPU_GEM_USERPTR:
        return take_user_memory(client, arg);
    case DRM_AMDGPU_GEM_MMAP:
        return map_memory(client, arg);
    case DRM_AMDGPU_GEM_VA:
        return place_memory(client, arg);
    case DRM_AMDGPU_GEM_WAIT_IDLE:
        return wait_for_memory(client, arg);
    case DRM_AMDGPU_CTX:
        return handle_context(client->of_model, arg);
    case DRM_AMDGPU_BO_LIST:
        return handle_list(client, arg);
    case DRM_AMDGPU_CS:
        return submit(client, arg);
    case DRM_AMDGPU_WAIT_CS:
        return wait_for_submission(arg);
    case DRM_AMDGPU_WAIT_FENCES:
        return wait_for_fences(arg);
    case DRM_AMDGPU_GEM_METADATA:
    case DRM_AMDGPU_GEM_OP:
    case DRM_AMDGPU_VM:
    case DRM_AMDGPU_SCHED:
        return 0;
    default:
        return -ENOTTY;
    }
}

const struct lab_model lab_amdgpu_model = {
    .driver = "amdgpu",
    .date = "20150101",
    .description = "AMD GPU",
    .version = {3, 47,
                0}, /* Linux 6.0; from 3.48 on the kernel gives versions that libdrm 2.4.114's headers lack */
    .begin = begin,
    .command = command,
    .open = open_client,
    .close = close_client,
};
