/** @file
 * The checks of PERF_OPEN; see perf_open.h. Order and errors are those of the kernel's
 * read_properties_unlocked() and i915_perf_open_ioctl_locked(). */
#include "tests/lab/i915/perf_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <i915_drm.h>

#include "tests/lab/i915/device.h"
#include "tests/lab/report.h"

#define FORMAT_DG2      12
#define DEFAULT_POLL_NS 5000000
#define MIN_POLL_NS     100000
#define MAX_EXPONENT    31
#define MAX_SAMPLE_HZ   100000

static int
set_context(struct lab_client *client, uint64_t number, struct i915_perf_ask *ask)
{
    const struct i915_context *context =
        number > UINT32_MAX ? NULL : i915_context_of(client, (uint32_t)number);
    if (!context)
        return -ENOENT;
    ask->context = context->hardware_id;
    return 0;
}

static bool
is_format(uint64_t format)
{
    if (i915.gpu->verx10 < 80)
        return format == I915_OA_FORMAT_A45_B8_C8; /* of those that Haswell has */
    return i915.gpu->verx10 >= 125 ? format == FORMAT_DG2 : format == I915_OA_FORMAT_A32u40_A4u32_B8_C8;
}

static int
set_exponent(uint64_t exponent, struct i915_perf_ask *ask)
{
    if (exponent > MAX_EXPONENT)
        return -EINVAL;
    ask->exponent = (int)exponent;
    ask->period_units = UINT64_C(16) << (exponent + 1);
    return i915.gpu->timestamp_hz / (UINT64_C(2) << exponent) > MAX_SAMPLE_HZ && getenv("LAB_PERF_PARANOID")
               ? -EACCES
               : 0;
}

static int
set_property(struct lab_client *client, uint64_t name, uint64_t value, struct i915_perf_ask *ask)
{
    switch (name) {
    case DRM_I915_PERF_PROP_CTX_HANDLE:
        return set_context(client, value, ask);
    case DRM_I915_PERF_PROP_SAMPLE_OA:
        ask->sample = value != 0;
        return 0;
    case DRM_I915_PERF_PROP_OA_METRICS_SET:
        ask->config = value;
        return value ? 0 : -EINVAL;
    case DRM_I915_PERF_PROP_OA_FORMAT:
        ask->format = value;
        return is_format(value) ? 0 : -EINVAL;
    case DRM_I915_PERF_PROP_OA_EXPONENT:
        return set_exponent(value, ask);
    case DRM_I915_PERF_PROP_HOLD_PREEMPTION:
        ask->hold_preemption = value != 0;
        return 0;
    case DRM_I915_PERF_PROP_GLOBAL_SSEU:
        return 0;
    case DRM_I915_PERF_PROP_POLL_OA_PERIOD:
        ask->poll_ns = value;
        return value < MIN_POLL_NS ? -EINVAL : 0;
    default:
        return -EINVAL;
    }
}

/* Haswell counts for the one context only. Generation 12 counts for each context, so that a context's own
 * process needs no privilege if it reads no reports. */
static bool
is_privileged(const struct i915_perf_ask *ask)
{
    if (i915.gpu->verx10 < 80)
        return ask->hold_preemption || !ask->context;
    return ask->hold_preemption || !ask->context || i915.gpu->verx10 < 120 || ask->sample;
}

int
i915_perf_ask_read(struct lab_client *client, const struct drm_i915_perf_open_param *param,
                   struct i915_perf_ask *ask)
{
    const uint32_t flags = I915_PERF_FLAG_FD_CLOEXEC | I915_PERF_FLAG_FD_NONBLOCK | I915_PERF_FLAG_DISABLED;
    const uint64_t *pair = (const void *)(uintptr_t)param->properties_ptr;
    memset(ask, 0, sizeof(*ask));
    ask->flags = param->flags;
    ask->exponent = -1;
    ask->poll_ns = DEFAULT_POLL_NS;
    if (param->flags & ~flags || param->num_properties == 0) {
        LAB_FAULT("PERF_OPEN: flags 0x%x, %u properties", param->flags, param->num_properties);
        return -EINVAL;
    }
    for (uint32_t i = 0; i < param->num_properties; i++) {
        int status = set_property(client, pair[2 * i], pair[2 * i + 1], ask);
        if (status)
            return status;
    }
    if (ask->hold_preemption && !ask->context)
        return -EINVAL;
    if (is_privileged(ask) && getenv("LAB_PERF_PARANOID"))
        return -EACCES;
    if (!ask->sample && (!ask->context || i915.gpu->verx10 < 120))
        return -EINVAL;
    return ask->format ? 0 : -EINVAL;
}
