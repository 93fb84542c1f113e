/** @file
 * The model "panfrost": the kernel driver that panfrost's OpenGL driver needs, for one Mali-G52. Its GPU
 * executes nothing. */
#include <errno.h>
#include <string.h>

#include <drm/drm.h>
#include <drm/panfrost_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/memory.h"
#include "tests/lab/models.h"
#include "tests/lab/no_work/platform.h"
#include "tests/lab/no_work/wait.h"
#include "tests/lab/report.h"
#include "tests/lab/sync.h"

#define PRODUCT_MALI_G52 0x7212
#define FIRST_ADDRESS    0x2000000

static bool
begin(const char *device)
{
    if (strcmp(device, "mali-g52") != 0)
        return false;
    lab_platform_add(128, "ffe40000.gpu", "arm,mali-bifrost", &lab_panfrost_model);
    return true;
}

static int
get_parameter(struct drm_panfrost_get_param *ask)
{
    switch (ask->param) {
    case DRM_PANFROST_PARAM_GPU_PROD_ID:
        ask->value = PRODUCT_MALI_G52;
        return 0;
    case DRM_PANFROST_PARAM_SHADER_PRESENT:
        ask->value = 0xf;
        return 0; /* four cores */
    case DRM_PANFROST_PARAM_TILER_FEATURES:
        ask->value = 0x809;
        return 0;
    case DRM_PANFROST_PARAM_TEXTURE_FEATURES0:
    case DRM_PANFROST_PARAM_TEXTURE_FEATURES1:
        ask->value = UINT32_MAX;
        return 0; /* all compressed formats */
    case DRM_PANFROST_PARAM_GPU_REVISION:
    case DRM_PANFROST_PARAM_THREAD_TLS_ALLOC:
    case DRM_PANFROST_PARAM_AFBC_FEATURES:
        ask->value = 0;
        return 0;
    default:
        LAB_FAULT("panfrost: parameter %u is not known", ask->param);
        return -EINVAL;
    }
}

static int
create_memory(struct lab_client *client, struct drm_panfrost_create_bo *ask)
{
    struct lab_memory *memory = lab_memory_create(ask->size);
    if (!memory)
        return -ENOMEM;
    memory->of_model = FIRST_ADDRESS + memory->offset;
    ask->offset = memory->of_model;
    ask->handle = lab_handle_add(&client->memory, memory);
    return 0;
}

static int
map_memory(const struct lab_client *client, struct drm_panfrost_mmap_bo *ask)
{
    const struct lab_memory *memory = lab_memory_of(client, ask->handle, "panfrost: MMAP_BO");
    if (!memory)
        return -ENOENT;
    ask->offset = memory->offset;
    return 0;
}

static int
submit(struct lab_client *client, const struct drm_panfrost_submit *ask)
{
    const uint32_t *handle = (const void *)(uintptr_t)ask->bo_handles;
    for (uint32_t i = 0; i < ask->bo_handle_count; i++)
        if (!lab_memory_of(client, handle[i], "panfrost: SUBMIT"))
            return -ENOENT;
    lab_log("SUBMIT memory %u", ask->bo_handle_count);
    return ask->out_sync ? lab_sync_submit(client, ask->out_sync, 0, lab_mode() != LAB_HANG) : 0;
}

static int
wait_for_memory(const struct lab_client *client, const struct drm_panfrost_wait_bo *ask)
{
    if (!lab_memory_of(client, ask->handle, "panfrost: WAIT_BO"))
        return -ENOENT;
    if (!lab_no_work_wait(ask->timeout_ns < 0 ? 0 : (uint64_t)ask->timeout_ns))
        return 0;
    return ask->timeout_ns == 0 ? -EBUSY : -ETIMEDOUT;
}

static int
command(struct lab_client *client, unsigned number, void *arg, size_t size)
{
    (void)size;
    switch (number) {
    case DRM_PANFROST_GET_PARAM:
        return get_parameter(arg);
    case DRM_PANFROST_CREATE_BO:
        return create_memory(client, arg);
    case DRM_PANFROST_MMAP_BO:
        return map_memory(client, arg);
    case DRM_PANFROST_SUBMIT:
        return submit(client, arg);
    case DRM_PANFROST_WAIT_BO:
        return wait_for_memory(client, arg);
    case DRM_PANFROST_MADVISE:
        ((struct drm_panfrost_madvise *)arg)->retained = 1;
        return 0;
    case DRM_PANFROST_PERFCNT_ENABLE:
    case DRM_PANFROST_PERFCNT_DUMP:
        return -ENOSYS; /* as without the module's parameter unstable_ioctls */
    default:
        return -ENOTTY;
    }
}

const struct lab_model lab_panfrost_model = {
    .driver = "panfrost",
    .date = "20180908",
    .description = "panfrost DRM",
    .version = {1, 2, 0}, /* Linux 6.1 */
    .begin = begin,
    .command = command,
};
