/** @file
 * The models "v3d" and "vc4": the kernel drivers that V3DV and v3d's OpenGL driver need, for the Raspberry
 * Pi 4. The GPU draws nothing, but its performance monitors count: counter number N of a monitor grows by N +
 * 1 with each job that names the monitor. The display's driver vc4 is only there to be found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <drm/drm.h>
#include <drm/v3d_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/memory.h"
#include "tests/lab/models.h"
#include "tests/lab/no_work/platform.h"
#include "tests/lab/no_work/wait.h"
#include "tests/lab/report.h"
#include "tests/lab/sync.h"

#define FIRST_ADDRESS 0x1000

/* Registers of V3D 4.2 by number of the parameter, as Mesa 22.3.6 has them for its own tests. */
static const uint32_t registers[] = {
    [DRM_V3D_PARAM_V3D_UIFCFG] = 0x00000045,       [DRM_V3D_PARAM_V3D_HUB_IDENT1] = 0x000e1124,
    [DRM_V3D_PARAM_V3D_HUB_IDENT2] = 0x00000100,   [DRM_V3D_PARAM_V3D_HUB_IDENT3] = 0x00000e00,
    [DRM_V3D_PARAM_V3D_CORE0_IDENT0] = 0x04443356, [DRM_V3D_PARAM_V3D_CORE0_IDENT1] = 0x81001422,
    [DRM_V3D_PARAM_V3D_CORE0_IDENT2] = 0x40078121,
};

/* A performance monitor. */
struct monitor {
    uint32_t counters;
    uint8_t counter[DRM_V3D_MAX_PERF_COUNTERS];
    uint64_t jobs;
};

static uint32_t next_address = FIRST_ADDRESS;

static bool
begin(const char *device)
{
    if (strcmp(device, "rpi4") != 0)
        return false;
    lab_platform_add(128, "fec00000.gpu", "brcm,2711-v3d", &lab_v3d_model);
    lab_platform_add(0, "gpu", "brcm,bcm2711-vc5", &lab_vc4_model);
    return true;
}

static bool
begin_nothing(const char *device)
{
    (void)device;
    return false;
}

/* client->of_model: handles of monitors. */
static int
open_client(struct lab_client *client)
{
    client->of_model = calloc(1, sizeof(struct lab_handles));
    return client->of_model ? 0 : -ENOMEM;
}

static void
close_client(struct lab_client *client)
{
    struct lab_handles *monitors = client->of_model;
    for (uint32_t i = 0; i < monitors->count; i++)
        free(monitors->object[i]);
    free(monitors->object);
    free(monitors);
}

static int
get_parameter(struct drm_v3d_get_param *ask)
{
    if (ask->param < sizeof(registers) / sizeof(*registers)) {
        ask->value = registers[ask->param];
        return 0;
    }
    ask->value = 1; /* all abilities that Linux 6.1 knows */
    return ask->param <= DRM_V3D_PARAM_SUPPORTS_MULTISYNC_EXT ? 0 : -EINVAL;
}

static int
create_memory(struct lab_client *client, struct drm_v3d_create_bo *ask)
{
    struct lab_memory *memory = lab_memory_create(ask->size);
    if (!memory)
        return -ENOMEM;
    memory->of_model = next_address;
    ask->offset = next_address;
    next_address += (uint32_t)memory->size;
    ask->handle = lab_handle_add(&client->memory, memory);
    return 0;
}

static int
map_memory(const struct lab_client *client, struct drm_v3d_mmap_bo *ask)
{
    const struct lab_memory *memory = lab_memory_of(client, ask->handle, "v3d: MMAP_BO");
    if (!memory)
        return -ENOENT;
    ask->offset = memory->offset;
    return 0;
}

static int
find_address(const struct lab_client *client, struct drm_v3d_get_bo_offset *ask)
{
    const struct lab_memory *memory = lab_memory_of(client, ask->handle, "v3d: GET_BO_OFFSET");
    if (!memory)
        return -ENOENT;
    ask->offset = (uint32_t)memory->of_model;
    return 0;
}

/* A timeout is relative here, as in the kernel's drm_v3d_wait_bo. */
static int
wait_for_memory(const struct lab_client *client, const struct drm_v3d_wait_bo *ask)
{
    uint64_t now = lab_now_ns();
    if (!lab_memory_of(client, ask->handle, "v3d: WAIT_BO"))
        return -ENOENT;
    return lab_no_work_wait(ask->timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + ask->timeout_ns) ? -ETIME
                                                                                                     : 0;
}

/* Monitors. */

static int
create_monitor(struct lab_handles *monitors, struct drm_v3d_perfmon_create *ask)
{
    if (ask->ncounters == 0 || ask->ncounters > DRM_V3D_MAX_PERF_COUNTERS)
        return -EINVAL;
    struct monitor *monitor = calloc(1, sizeof(*monitor));
    if (!monitor)
        return -ENOMEM;
    monitor->counters = ask->ncounters;
    memcpy(monitor->counter, ask->counters, sizeof(monitor->counter));
    ask->id = lab_handle_add(monitors, monitor);
    return 0;
}

static int
destroy_monitor(struct lab_handles *monitors, const struct drm_v3d_perfmon_destroy *ask)
{
    void *monitor = lab_handle_take(monitors, ask->id);
    if (!monitor) {
        LAB_FAULT("v3d: PERFMON_DESTROY: no monitor has the number %u", ask->id);
        return -EINVAL;
    }
    free(monitor);
    return 0;
}

static int
read_monitor(const struct lab_handles *monitors, const struct drm_v3d_perfmon_get_values *ask)
{
    const struct monitor *monitor = lab_handle_find(monitors, ask->id);
    uint64_t *value = (void *)(uintptr_t)ask->values_ptr;
    if (!monitor) {
        LAB_FAULT("v3d: PERFMON_GET_VALUES: no monitor has the number %u", ask->id);
        return -EINVAL;
    }
    for (uint32_t i = 0; i < monitor->counters; i++)
        value[i] = monitor->jobs * (monitor->counter[i] + 1u);
    return 0;
}

/* Jobs. */

static int
count_job(const struct lab_handles *monitors, uint32_t id, const char *what)
{
    struct monitor *monitor = id ? lab_handle_find(monitors, id) : NULL;
    lab_log("%s monitor %u", what, id);
    if (id && !monitor) {
        LAB_FAULT("v3d: %s: no monitor has the number %u", what, id);
        return -ENOENT;
    }
    if (monitor && lab_mode() != LAB_HANG)
        monitor->jobs++;
    return 0;
}

static int
signal_fences(struct lab_client *client, uint32_t out, uint32_t flags, uint64_t extensions)
{
    bool done = lab_mode() != LAB_HANG;
    if (!(flags & DRM_V3D_SUBMIT_EXTENSION))
        return out ? lab_sync_submit(client, out, 0, done) : 0;
    for (const struct drm_v3d_extension *next = (const void *)(uintptr_t)extensions; next;
         next = (const void *)(uintptr_t)next->next) {
        const struct drm_v3d_multi_sync *several = (const void *)next;
        if (next->id != DRM_V3D_EXT_ID_MULTI_SYNC)
            return -EINVAL;
        const struct drm_v3d_sem *sync = (const void *)(uintptr_t)several->out_syncs;
        for (uint32_t i = 0; i < several->out_sync_count; i++) {
            int status = lab_sync_submit(client, sync[i].handle, 0, done);
            if (status)
                return status;
        }
    }
    return 0;
}

static int
submit_lists(struct lab_client *client, const struct drm_v3d_submit_cl *ask)
{
    int status = count_job(client->of_model, ask->perfmon_id, "SUBMIT_CL");
    return status ? status : signal_fences(client, ask->out_sync, ask->flags, ask->extensions);
}

static int
submit_compute(struct lab_client *client, const struct drm_v3d_submit_csd *ask)
{
    int status = count_job(client->of_model, ask->perfmon_id, "SUBMIT_CSD");
    return status ? status : signal_fences(client, ask->out_sync, ask->flags, ask->extensions);
}

static int
submit_copy(struct lab_client *client, const struct drm_v3d_submit_tfu *ask)
{
    lab_log("SUBMIT_TFU");
    return signal_fences(client, ask->out_sync, ask->flags, ask->extensions);
}

static int
command(struct lab_client *client, unsigned number, void *arg, size_t size)
{
    (void)size;
    switch (number) {
    case DRM_V3D_GET_PARAM:
        return get_parameter(arg);
    case DRM_V3D_CREATE_BO:
        return create_memory(client, arg);
    case DRM_V3D_MMAP_BO:
        return map_memory(client, arg);
    case DRM_V3D_GET_BO_OFFSET:
        return find_address(client, arg);
    case DRM_V3D_WAIT_BO:
        return wait_for_memory(client, arg);
    case DRM_V3D_SUBMIT_CL:
        return submit_lists(client, arg);
    case DRM_V3D_SUBMIT_CSD:
        return submit_compute(client, arg);
    case DRM_V3D_SUBMIT_TFU:
        return submit_copy(client, arg);
    case DRM_V3D_PERFMON_CREATE:
        return create_monitor(client->of_model, arg);
    case DRM_V3D_PERFMON_DESTROY:
        return destroy_monitor(client->of_model, arg);
    case DRM_V3D_PERFMON_GET_VALUES:
        return read_monitor(client->of_model, arg);
    default:
        return -ENOTTY;
    }
}

/* A display's driver: all drivers look whether it is there, none asks it for anything. */
static int
refuse(struct lab_client *client, unsigned number, void *arg, size_t size)
{
    (void)client, (void)number, (void)arg, (void)size;
    return -EINVAL;
}

const struct lab_model lab_v3d_model = {
    .driver = "v3d",
    .date = "20180419",
    .description = "Broadcom V3D graphics",
    .version = {1, 0, 0},
    .begin = begin,
    .command = command,
    .open = open_client,
    .close = close_client,
};

const struct lab_model lab_vc4_model = {
    .driver = "vc4",
    .date = "20140616",
    .description = "Broadcom VC4 graphics",
    .version = {0, 0, 0},
    .begin = begin_nothing,
    .command = refuse,
};
