/** @file
 * The model "i915": the table of GPUs, the clock, and where each ioctl is served. See device.h. */
#include "tests/lab/i915/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <i915_drm.h>

#include "tests/lab/files.h"
#include "tests/lab/i915/contexts.h"
#include "tests/lab/i915/execbuffer.h"
#include "tests/lab/i915/gem.h"
#include "tests/lab/i915/parameters.h"
#include "tests/lab/i915/perf.h"
#include "tests/lab/i915/perf_configs.h"
#include "tests/lab/i915/query.h"
#include "tests/lab/models.h"
#include "tests/lab/pci.h"

#define CORE_HZ 1000000000u

struct i915_device i915;

/* PCI ids and sizes of GPUs: Mesa's tables. Sizes of the kernel's masks: intel_sseu of i915. Timestamps: the
 * kernel's. Bits of addresses: ppgtt_size of the kernel's module i915_pci. */
static const struct i915_gpu gpus[] = {
    {"hsw", 0x0412, 75, 31, false, 12500000, 1, 2, 10, 2, 10},
    {"chv", 0x22b0, 80, 32, false, 12500000, 1, 2, 8, 2, 8},
    {"bdw", 0x1616, 80, 48, false, 12500000, 3, 3, 8, 3, 8},
    {"skl", 0x1912, 90, 48, false, 12000000, 3, 4, 8, 3, 8},
    {"kbl", 0x5916, 90, 48, false, 12000000, 3, 4, 8, 3, 8},
    {"cfl", 0x3e92, 90, 48, false, 12000000, 3, 4, 8, 3, 8},
    {"bxt", 0x5a84, 90, 48, false, 19200000, 1, 3, 6, 3, 6},
    {"glk", 0x3184, 90, 48, false, 19200000, 1, 3, 6, 3, 6},
    {"icl", 0x8a52, 110, 48, false, 12000000, 1, 8, 8, 8, 8},
    {"ehl", 0x4571, 110, 48, false, 12000000, 1, 4, 8, 4, 8},
    {"tgl", 0x9a49, 120, 48, false, 19200000, 1, 6, 16, 6, 16},
    {"rkl", 0x4c8a, 120, 48, false, 19200000, 1, 6, 16, 2, 16},
    {"adl", 0x46a6, 120, 48, false, 19200000, 1, 6, 16, 6, 16},
    {"adls", 0x4680, 120, 48, false, 19200000, 1, 6, 16, 2, 16},
    {"dg1", 0x4905, 120, 48, true, 19200000, 1, 6, 16, 6, 16},
    {"dg2", 0x56a0, 125, 48, true, 19200000, 1, 32, 16, 32, 16},
};

const struct i915_gpu *
i915_gpu_named(const char *text)
{
    static struct i915_gpu other;
    size_t length = strcspn(text, ":");
    for (unsigned i = 0; i < sizeof(gpus) / sizeof(*gpus); i++) {
        if (strlen(gpus[i].name) != length || memcmp(text, gpus[i].name, length) != 0)
            continue;
        if (!text[length])
            return &gpus[i];
        other = gpus[i];
        other.pci = (uint16_t)strtoul(text + length + 1, NULL, 16);
        return &other;
    }
    return NULL;
}

uint64_t
i915_units_now(void)
{
    uint64_t now = lab_now_ns() - i915.start_ns, per_second = (uint64_t)i915.gpu->timestamp_hz * 16;
    return i915.start_units + now / 1000000000 * per_second + now % 1000000000 * per_second / 1000000000;
}

uint64_t
i915_ns_of_units(uint64_t units)
{
    uint64_t now_ns = lab_now_ns(), now = i915_units_now(),
             per_second = (uint64_t)i915.gpu->timestamp_hz * 16;
    uint64_t since = now > units ? now - units : 0;
    return now_ns - since / per_second * 1000000000 - since % per_second * 1000000000 / per_second;
}

uint64_t
i915_ticks(void)
{
    return i915.units >> 4;
}

uint64_t
i915_core_cycles(uint64_t units)
{
    uint64_t ratio = CORE_HZ / i915.gpu->timestamp_hz / 5 * 5;
    return units / 16 * ratio + units % 16 * ratio / 16;
}

static void
set_clock(void)
{
    const char *ticks = getenv("LAB_CLOCK");
    if (!ticks)
        return;
    i915.start_ns = lab_now_ns();
    i915.start_units = strtoull(ticks, NULL, 0) * 16;
}

static bool
begin(const char *device)
{
    i915.gpu = i915_gpu_named(device);
    if (!i915.gpu)
        return false;
    set_clock();
    lab_pci_add(&(struct lab_pci){.vendor = 0x8086,
                                  .device = i915.gpu->pci,
                                  .subvendor = 0x8086,
                                  .subdevice = 0x2212,
                                  .revision = 2,
                                  .driver = "i915"},
                &lab_i915_model);
    lab_files_hide("/proc/sys/dev/i915");
    lab_files_text("/proc/sys/dev/i915/perf_stream_paranoid", "%d\n", getenv("LAB_PERF_PARANOID") ? 1 : 0);
    lab_files_text("/proc/sys/dev/i915/oa_max_sample_rate", "100000\n");
    lab_files_text(LAB_PCI_PATH "/drm/card0/gt_min_freq_mhz", "300\n");
    lab_files_text(LAB_PCI_PATH "/drm/card0/gt_max_freq_mhz", "1000\n");
    lab_files_text(LAB_PCI_PATH "/drm/card0/dev", "226:0\n");
    i915_perf_configs_begin();
    if (getenv("LAB_OTHER_STREAM"))
        i915_perf_open_other();
    return true;
}

static int
open_client(struct lab_client *client)
{
    struct i915_client *mine = calloc(1, sizeof(*mine));
    if (!mine)
        return -ENOMEM;
    mine->default_context.hardware_id = i915_new_hardware_id();
    client->of_model = mine;
    return 0;
}

static void
close_client(struct lab_client *client)
{
    i915_contexts_finish(client->of_model);
    free(client->of_model);
}

static int
nothing(struct lab_client *client, void *arg)
{
    (void)client;
    (void)arg;
    return 0;
}

/* Ioctls that only the old interface for graphics translation had, and display ones, are not there. */
static int
command(struct lab_client *client, unsigned number, void *arg, size_t size)
{
    (void)size;
    static int (*const serve[])(struct lab_client *, void *) = {
        [DRM_I915_GETPARAM] = i915_getparam,
        [DRM_I915_GEM_BUSY] = i915_gem_busy,
        [DRM_I915_GEM_THROTTLE] = nothing,
        [DRM_I915_GEM_CREATE] = i915_gem_create,
        [DRM_I915_GEM_PREAD] = i915_gem_pread,
        [DRM_I915_GEM_PWRITE] = i915_gem_pwrite,
        [DRM_I915_GEM_SET_DOMAIN] = i915_gem_set_domain,
        [DRM_I915_GEM_SW_FINISH] = nothing,
        [DRM_I915_GEM_SET_TILING] = i915_gem_set_tiling,
        [DRM_I915_GEM_GET_TILING] = i915_gem_get_tiling,
        [DRM_I915_GEM_GET_APERTURE] = i915_gem_get_aperture,
        [DRM_I915_GEM_MMAP_GTT] = i915_gem_mmap_offset,
        [DRM_I915_GEM_MADVISE] = i915_gem_madvise,
        [DRM_I915_GEM_EXECBUFFER2] = i915_execbuffer,
        [DRM_I915_GEM_WAIT] = i915_gem_wait,
        [DRM_I915_GEM_CONTEXT_CREATE] = i915_context_create,
        [DRM_I915_GEM_CONTEXT_DESTROY] = i915_context_destroy,
        [DRM_I915_GEM_SET_CACHING] = i915_gem_set_caching,
        [DRM_I915_REG_READ] = i915_reg_read,
        [DRM_I915_GET_RESET_STATS] = i915_reset_stats,
        [DRM_I915_GEM_USERPTR] = i915_gem_userptr,
        [DRM_I915_GEM_CONTEXT_GETPARAM] = i915_context_getparam,
        [DRM_I915_GEM_CONTEXT_SETPARAM] = i915_context_setparam,
        [DRM_I915_PERF_OPEN] = i915_perf_open,
        [DRM_I915_PERF_ADD_CONFIG] = i915_perf_add_config,
        [DRM_I915_PERF_REMOVE_CONFIG] = i915_perf_remove_config,
        [DRM_I915_QUERY] = i915_query,
        [DRM_I915_GEM_VM_CREATE] = i915_vm_create,
        [DRM_I915_GEM_VM_DESTROY] = i915_vm_destroy,
        [DRM_I915_GEM_CREATE_EXT] = i915_gem_create_ext,
    };
    if (number >= sizeof(serve) / sizeof(*serve) || !serve[number])
        return -ENOTTY;
    return serve[number](client, arg);
}

const struct lab_model lab_i915_model = {
    .driver = "i915",
    .date = "20201103",
    .description = "Intel Graphics",
    .version = {1, 6, 0},
    .begin = begin,
    .command = command,
    .open = open_client,
    .close = close_client,
};
