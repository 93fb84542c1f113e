/** @file
 * The model "msm": the kernel driver that Turnip and freedreno need, for one Adreno 630. Its GPU executes
 * nothing. */
#include <errno.h>
#include <string.h>

#include <drm/drm.h>
#include <drm/msm_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/memory.h"
#include "tests/lab/models.h"
#include "tests/lab/no_work/platform.h"
#include "tests/lab/no_work/wait.h"
#include "tests/lab/report.h"
#include "tests/lab/sync.h"

#define GPU_ID        630
#define CHIP_ID       0x060300ff /* Adreno 630, any patch level */
#define GMEM_BYTES    0x100000
#define GMEM_ADDRESS  0x100000
#define FIRST_ADDRESS 0x100000000ull /* of memory objects */
#define ADDRESS_BYTES 0x1000000000ull
#define TICKS_PER_US  19.2 /* of the always-on timer */

static uint32_t fences, queues;

static bool
begin(const char *device)
{
    if (strcmp(device, "adreno630") != 0)
        return false;
    lab_platform_add(128, "5000000.gpu", "qcom,adreno-630.2", &lab_msm_model);
    return true;
}

static int
get_parameter(struct drm_msm_param *ask)
{
    switch (ask->param) {
    case MSM_PARAM_GPU_ID:
        ask->value = GPU_ID;
        return 0;
    case MSM_PARAM_CHIP_ID:
        ask->value = CHIP_ID;
        return 0;
    case MSM_PARAM_GMEM_SIZE:
        ask->value = GMEM_BYTES;
        return 0;
    case MSM_PARAM_GMEM_BASE:
        ask->value = GMEM_ADDRESS;
        return 0;
    case MSM_PARAM_MAX_FREQ:
        ask->value = 710000000;
        return 0;
    case MSM_PARAM_TIMESTAMP:
        ask->value = (uint64_t)((double)lab_now_ns() / 1000 * TICKS_PER_US);
        return 0;
    case MSM_PARAM_PRIORITIES:
        ask->value = 3;
        return 0;
    case MSM_PARAM_PP_PGTABLE:
    case MSM_PARAM_FAULTS:
    case MSM_PARAM_SUSPENDS:
        ask->value = 0;
        return 0;
    case MSM_PARAM_VA_START:
        ask->value = FIRST_ADDRESS;
        return 0;
    case MSM_PARAM_VA_SIZE:
        ask->value = ADDRESS_BYTES;
        return 0;
    default:
        return -EINVAL; /* drivers ask for what newer kernels know */
    }
}

static int
create_memory(struct lab_client *client, struct drm_msm_gem_new *ask)
{
    struct lab_memory *memory = lab_memory_create(ask->size);
    if (!memory)
        return -ENOMEM;
    memory->of_model = FIRST_ADDRESS + memory->offset;
    ask->handle = lab_handle_add(&client->memory, memory);
    return 0;
}

static int
describe_memory(const struct lab_client *client, struct drm_msm_gem_info *ask)
{
    struct lab_memory *memory = lab_handle_find(&client->memory, ask->handle);
    if (!memory) {
        LAB_FAULT("msm: GEM_INFO: no memory has the handle %u", ask->handle);
        return -ENOENT;
    }
    switch (ask->info) {
    case MSM_INFO_GET_OFFSET:
        ask->value = memory->offset;
        return 0;
    case MSM_INFO_GET_IOVA:
        ask->value = memory->of_model;
        return 0;
    case MSM_INFO_SET_IOVA:
        memory->of_model = ask->value;
        return 0;
    case MSM_INFO_SET_NAME:
        return 0;
    default:
        return -EINVAL;
    }
}

static int
submit(struct lab_client *client, struct drm_msm_gem_submit *ask)
{
    const struct drm_msm_gem_submit_bo *memory = (const void *)(uintptr_t)ask->bos;
    const struct drm_msm_gem_submit_syncobj *out = (const void *)(uintptr_t)ask->out_syncobjs;
    bool done = lab_mode() != LAB_HANG;
    for (uint32_t i = 0; i < ask->nr_bos; i++)
        if (!lab_memory_of(client, memory[i].handle, "msm: GEM_SUBMIT"))
            return -ENOENT;
    for (uint32_t i = 0; ask->flags & MSM_SUBMIT_SYNCOBJ_OUT && i < ask->nr_out_syncobjs; i++) {
        int status = lab_sync_submit(client, out[i].handle, out[i].point, done);
        if (status)
            return status;
    }
    if (ask->flags & MSM_SUBMIT_FENCE_FD_OUT) {
        ask->fence_fd = lab_sync_file_create(done);
        if (ask->fence_fd < 0)
            return ask->fence_fd;
    }
    ask->fence = ++fences;
    lab_log("SUBMIT commands %u memory %u", ask->nr_cmds, ask->nr_bos);
    return 0;
}

static uint64_t
nanoseconds(const struct drm_msm_timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static int
query_queue(const struct drm_msm_submitqueue_query *ask)
{
    const uint32_t faults = 0;
    if (ask->param != MSM_SUBMITQUEUE_PARAM_FAULTS)
        return -EINVAL;
    memcpy((void *)(uintptr_t)ask->data, &faults, ask->len < sizeof(faults) ? ask->len : sizeof(faults));
    return 0;
}

static int
prepare_memory(const struct lab_client *client, const struct drm_msm_gem_cpu_prep *ask)
{
    uint64_t deadline = ask->op & MSM_PREP_NOSYNC ? 0 : nanoseconds(&ask->timeout);
    if (!lab_memory_of(client, ask->handle, "msm: GEM_CPU_PREP"))
        return -ENOENT;
    if (!lab_no_work_wait(deadline))
        return 0;
    return deadline ? -ETIMEDOUT : -EBUSY;
}

static int
command(struct lab_client *client, unsigned number, void *arg, size_t size)
{
    (void)size;
    switch (number) {
    case DRM_MSM_GET_PARAM:
        return get_parameter(arg);
    case DRM_MSM_GEM_NEW:
        return create_memory(client, arg);
    case DRM_MSM_GEM_INFO:
        return describe_memory(client, arg);
    case DRM_MSM_GEM_SUBMIT:
        return submit(client, arg);
    case DRM_MSM_GEM_CPU_PREP:
        return prepare_memory(client, arg);
    case DRM_MSM_WAIT_FENCE:
        return lab_no_work_wait(nanoseconds(&((struct drm_msm_wait_fence *)arg)->timeout)) ? -ETIMEDOUT : 0;
    case DRM_MSM_GEM_MADVISE:
        ((struct drm_msm_gem_madvise *)arg)->retained = 1;
        return 0;
    case DRM_MSM_SUBMITQUEUE_NEW:
        ((struct drm_msm_submitqueue *)arg)->id = ++queues;
        return 0;
    case DRM_MSM_SUBMITQUEUE_QUERY:
        return query_queue(arg);
    case DRM_MSM_SET_PARAM:
    case DRM_MSM_GEM_CPU_FINI:
    case DRM_MSM_SUBMITQUEUE_CLOSE:
        return 0;
    default:
        return -ENOTTY;
    }
}

const struct lab_model lab_msm_model = {
    .driver = "msm",
    .date = "20130625",
    .description = "MSM Snapdragon DRM",
    .version = {1, 9, 0}, /* Linux 6.1 */
    .begin = begin,
    .command = command,
};
