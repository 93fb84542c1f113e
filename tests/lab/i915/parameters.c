/** @file
 * GETPARAM and REG_READ of i915; see parameters.h. Values are those of Linux 6.1. */
#include "tests/lab/i915/parameters.h"

#include <errno.h>

#include <i915_drm.h>

#include "tests/lab/i915/device.h"
#include "tests/lab/report.h"

#define TIMESTAMP_REGISTER 0x2358

static int
value_of(int32_t name, int *value)
{
    switch (name) {
    case I915_PARAM_CHIPSET_ID:
        *value = i915.gpu->pci;
        return 0;
    case I915_PARAM_REVISION:
        *value = 2;
        return 0;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        *value = (int)i915.gpu->timestamp_hz;
        return 0;
    case I915_PARAM_SUBSLICE_TOTAL:
        *value = i915.gpu->subslices;
        return 0;
    case I915_PARAM_EU_TOTAL:
        *value = i915.gpu->subslices * i915.gpu->eus;
        return 0;
    case I915_PARAM_SLICE_MASK:
        *value = 1;
        return 0;
    case I915_PARAM_SUBSLICE_MASK:
        *value = i915.gpu->subslices < 31 ? (1 << i915.gpu->subslices) - 1 : -1;
        return 0;
    case I915_PARAM_HAS_ALIASING_PPGTT:
        *value = i915.gpu->verx10 < 80 ? I915_GEM_PPGTT_ALIASING : I915_GEM_PPGTT_FULL;
        return 0;
    case I915_PARAM_MMAP_GTT_VERSION:
        *value = 4;
        return 0;
    case I915_PARAM_PERF_REVISION:
        *value = 5;
        return 0;
    case I915_PARAM_CMD_PARSER_VERSION:
        *value = 10;
        return 0;
    case I915_PARAM_NUM_FENCES_AVAIL:
        *value = i915.gpu->local_memory ? 0 : 32;
        return 0;
    case I915_PARAM_HAS_BSD:
    case I915_PARAM_HAS_BSD2:
    case I915_PARAM_HAS_VEBOX:
        *value = 0;
        return 0;
    case I915_PARAM_HAS_LLC:
        *value = !i915.gpu->local_memory;
        return 0;
    case I915_PARAM_HAS_SCHEDULER:
        *value = i915.gpu->verx10 < 80 ? 0
                                       : I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY |
                                             I915_SCHEDULER_CAP_PREEMPTION;
        return 0;
    default:
        return -ENOENT;
    }
}

/* Parameters that say only that something is there. */
static int
is_there(int32_t name)
{
    switch (name) {
    case I915_PARAM_HAS_GEM:
    case I915_PARAM_HAS_BLT:
    case I915_PARAM_HAS_EXECBUF2:
    case I915_PARAM_HAS_RELAXED_DELTA:
    case I915_PARAM_HAS_RELAXED_FENCING:
    case I915_PARAM_HAS_WAIT_TIMEOUT:
    case I915_PARAM_HAS_EXEC_NO_RELOC:
    case I915_PARAM_HAS_EXEC_HANDLE_LUT:
    case I915_PARAM_MMAP_VERSION:
    case I915_PARAM_HAS_EXEC_SOFTPIN:
    case I915_PARAM_HAS_EXEC_ASYNC:
    case I915_PARAM_HAS_EXEC_FENCE:
    case I915_PARAM_HAS_EXEC_CAPTURE:
    case I915_PARAM_HAS_EXEC_BATCH_FIRST:
    case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
    case I915_PARAM_HAS_CONTEXT_ISOLATION:
    case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
    case I915_PARAM_HAS_USERPTR_PROBE:
        return true;
    default:
        return false;
    }
}

int
i915_getparam(struct lab_client *client, void *arg)
{
    const struct drm_i915_getparam *ask = arg;
    int value = 0;
    (void)client;
    if (is_there(ask->param))
        value = 1;
    else if (value_of(ask->param, &value))
        return -EINVAL;
    *ask->value = value;
    return 0;
}

int
i915_reg_read(struct lab_client *client, void *arg)
{
    struct drm_i915_reg_read *ask = arg;
    (void)client;
    if ((ask->offset & ~(uint64_t)I915_REG_READ_8B_WA) != TIMESTAMP_REGISTER) {
        LAB_FAULT("REG_READ of 0x%llx", (unsigned long long)ask->offset);
        return -EINVAL;
    }
    uint64_t now = i915_units_now();
    ask->val = (now > i915.units ? now : i915.units) >> 4 & I915_TIMESTAMP_MASK;
    return 0;
}
