/** @file
 * Intel GPUs by i915; see i915.h. Source: the kernel's i915_drm.h and Documentation/gpu/i915.rst ("Perf"). */
#include "counters/sources/i915/i915.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/sources/i915/i915_config.h"
#include "counters/sources/i915/i915_uapi.h"
#include "counters/sources/i915/i915_variables.h"
#include "counters/util/array_size.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "pp_texts.h"

/* Numbers of render nodes. */
#define FIRST_NODE 128U
#define LAST_NODE  192U
/* Replaces EINVAL where the OA unit is known to work: the kernel refuses this set. */
#define SET_REFUSED (-EBADRQC)

/* Get the name of a render node's kernel driver. */
static bool
driver_of(const struct pp_kernel_paths *paths, unsigned node, char name[32])
{
    char path[PP_PATH_BYTES], real[PATH_MAX];
    snprintf(path, sizeof(path), "%.120s/class/drm/renderD%u/device/driver", paths->sys, node);
    if (!realpath(path, real))
        return false;
    snprintf(name, 32, "%.31s", strrchr(real, '/') + 1);
    return true;
}

/* Does i915 drive this render node? Then fill what sysfs has. */
static bool
look_at_node(const struct pp_kernel_paths *paths, unsigned node, struct pp_i915 *ret, char *reason)
{
    char path[PP_PATH_BYTES], driver[32], card[PP_PATH_BYTES];
    int64_t pci = 0;
    snprintf(ret->device, sizeof(ret->device), "%.120s/class/drm/renderD%u/device", paths->sys, node);
    if (!driver_of(paths, node, driver))
        return false;
    if (strcmp(driver, "i915") != 0) {
        if (strcmp(driver, "xe") == 0)
            /* Source: xe_drm.h, xe_observation.c. */
            snprintf(reason, PP_REASON_BYTES, PP_TEXT_I915_XE);
        return false;
    }
    if (pp_path_join(path, ret->device, "device") || pp_file_number(path, &pci))
        return false;
    ret->pci = (uint32_t)pci;
    snprintf(ret->node, sizeof(ret->node), "%.120s/dri/renderD%u", paths->dev, node);
    snprintf(ret->proc, sizeof(ret->proc), "%.100s", paths->proc);
    if (pp_i915_variables_find_card(ret->device, card) != 0)
        return false;
    snprintf(ret->metrics, sizeof(ret->metrics), "%.230s/metrics", card);
    return true;
}

/* The largest exponent whose period is short enough: reports come every 2^(exponent + 1) ticks. */
static uint64_t
exponent_of(const struct pp_i915 *i915, uint64_t period_ns)
{
    uint64_t exponent = 0;
    while (exponent < 31 &&
           (double)(UINT64_C(4) << exponent) * 1e9 / (double)i915->timestamp_hz <= (double)period_ns)
        exponent++;
    return exponent;
}

/* Read a sysctl of i915. @retval -errno It cannot be read. */
static int
sysctl_of(const struct pp_i915 *i915, const char *name, int64_t *ret)
{
    char path[PP_PATH_BYTES];
    int length = snprintf(path, sizeof(path), "%s/sys/dev/i915/%s", i915->proc, name);
    return length < 0 || length >= (int)sizeof(path) ? -ENAMETOOLONG : pp_file_number(path, ret);
}

/* Explain which right is missing. */
static void
explain_refusal(const struct pp_i915 *i915, int error, char *text)
{
    int64_t paranoid = 1, rate = 0, wanted = 1000000000 / PP_I915_PERIOD_NS;
    bool known = sysctl_of(i915, "perf_stream_paranoid", &paranoid) == 0;
    if (known && paranoid == 0 && sysctl_of(i915, "oa_max_sample_rate", &rate) == 0 && rate < 2 * wanted)
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_I915_RATE, (int)rate, (int)(2 * wanted));
    else if (known && paranoid == 0)
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_I915_REFUSED, pp_errno_text(error));
    else
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_I915_PARANOID,
                 known ? PP_TEXT_I915_IS_1 : PP_TEXT_I915_UNREADABLE);
}

void
pp_i915_explain(const struct pp_i915 *i915, int error, char *text)
{
    switch (error) {
    case EACCES:
    case EPERM:
        explain_refusal(i915, error, text);
        break;
    case EBUSY:
        snprintf(text, PP_REASON_BYTES, PP_TEXT_I915_BUSY);
        break;
    case ENODEV:
    case ENOTTY:
    case EINVAL:
    case ENOSYS:
    case PP_ENOTSUPP:
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_I915_NONE, error);
        break;
    case EMFILE:
    case ENFILE:
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_NO_DESCRIPTOR, pp_errno_text(error));
        break;
    case EADDRINUSE:
        snprintf(text, PP_REASON_BYTES, PP_TEXT_I915_SET_ADDED);
        break;
    case -SET_REFUSED:
        snprintf(text, PP_REASON_BYTES, PP_TEXT_I915_SET_REFUSED);
        break;
    case ENOENT:
        snprintf(text, PP_REASON_BYTES, PP_TEXT_I915_SET_GONE);
        break;
    case EIO:
        snprintf(text, PP_REASON_BYTES, PP_TEXT_I915_HANG);
        break;
    default:
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_I915_FAILED, pp_errno_text(error));
    }
}

static int
open_stream(const struct pp_i915 *i915, uint64_t config, uint64_t period_ns)
{
    uint64_t property[][2] = {
        {PP_I915_PROP_SAMPLE_OA, 1},
        {PP_I915_PROP_METRICS_SET, config},
        {PP_I915_PROP_OA_FORMAT,
         i915->gpu.gen >= PP_OA_GEN8 ? PP_I915_FORMAT_A32U40_A4U32_B8_C8 : PP_I915_FORMAT_A45_B8_C8},
        {PP_I915_PROP_OA_EXPONENT, exponent_of(i915, period_ns)},
    };
    struct pp_i915_perf_open open = {
        .flags = PP_I915_FD_CLOEXEC | PP_I915_FD_NONBLOCK | PP_I915_DISABLED,
        .properties = PP_ARRAY_SIZE(property),
        .properties_ptr = (uintptr_t)property,
    };
    return pp_i915_ioctl(i915->fd, PP_I915_PERF_OPEN, &open);
}

/* Check whether this process may use the OA unit. Both calls name a set that does not exist. The kernel looks
 * for the set last: after the rights and, for the stream, after whether another process uses the unit.
 * Nothing is started. Source: i915_perf.c, i915_oa_stream_init(). */
static int
may_use(const struct pp_i915 *i915)
{
    uint64_t none = UINT64_MAX;
    int rc = pp_i915_ioctl(i915->fd, PP_I915_REMOVE_CONFIG, &none);
    if (rc != -ENOENT)
        return rc ? rc : -EINVAL;
    rc = open_stream(i915, INT32_MAX, PP_I915_PERIOD_NS);
    if (rc >= 0)
        (void)close(rc);
    return rc >= 0 || rc == -EINVAL ? 0 : rc;
}

static int
use_node(struct pp_i915 *i915, char *reason)
{
    if (pp_oa_gpu_by_pci(i915->pci, &i915->gpu)) {
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_I915_UNKNOWN_GPU, i915->pci);
        return -ENOENT;
    }
    i915->fd = open(i915->node, O_RDWR | O_CLOEXEC);
    if (i915->fd < 0) {
        int error = errno;
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_RENDER_NODE, i915->node, pp_errno_text(error));
        return -error;
    }
    pp_fd_mark(i915->fd);
    if (access(i915->metrics, F_OK)) {
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_I915_NO_PERF, i915->metrics);
        return -ENODEV;
    }
    pp_i915_variables_collect(i915);
    if (i915->timestamp_hz == 0) {
        snprintf(reason, PP_REASON_BYTES, PP_TEXT_I915_FREQUENCY);
        return -ENODATA;
    }
    int rc = may_use(i915);
    if (rc) {
        pp_i915_explain(i915, -rc, reason);
        return rc;
    }
    return 0;
}

static bool
has_several(const struct pp_kernel_paths *paths)
{
    char driver[32];
    unsigned count = 0;
    for (unsigned node = FIRST_NODE; node < LAST_NODE; node++)
        count += driver_of(paths, node, driver) && (strcmp(driver, "i915") == 0 || strcmp(driver, "xe") == 0);
    return count > 1;
}

int
pp_i915_open(const struct pp_kernel_paths *paths, struct pp_i915 *ret, char *reason)
{
    int rc = -ENODEV;
    memset(ret, 0, sizeof(*ret));
    ret->fd = -1;
    snprintf(reason, PP_REASON_BYTES, PP_TEXT_I915_NO_GPU);
    for (unsigned node = FIRST_NODE; node < LAST_NODE; node++) {
        if (!look_at_node(paths, node, ret, reason))
            continue;
        ret->several = has_several(paths);
        rc = use_node(ret, reason);
        break;
    }
    if (rc)
        pp_i915_close(ret);
    return rc;
}

void
pp_i915_close(struct pp_i915 *i915)
{
    pp_fd_close(i915->fd);
    i915->fd = -1;
}

/* Metric sets and streams. */

int
pp_i915_stream_open(const struct pp_i915 *i915, uint32_t set, uint64_t period_ns, struct pp_i915_stream *ret)
{
    *ret = (struct pp_i915_stream){.fd = -1, .config = {.id = -1}};
    if (!pp_fd_is_own(i915->fd))
        return -EBADF;
    int rc = pp_i915_config_use(i915->fd, i915->metrics, set, i915->variable, i915->variables, &ret->config);
    if (rc)
        return rc == -EINVAL ? SET_REFUSED : rc;
    int fd = open_stream(i915, (uint64_t)ret->config.id, period_ns);
    if (fd >= 0) {
        pp_fd_mark(fd);
        ret->fd = fd;
        fd = pp_i915_ioctl(ret->fd, PP_I915_ENABLE, NULL);
    }
    if (fd < 0)
        pp_i915_stream_close(i915, ret);
    return fd == -EINVAL ? SET_REFUSED : fd < 0 ? fd : 0;
}

void
pp_i915_stream_close(const struct pp_i915 *i915, struct pp_i915_stream *stream)
{
    if (pp_fd_is_own(stream->fd)) {
        (void)pp_i915_ioctl(stream->fd, PP_I915_DISABLE, NULL);
        (void)close(stream->fd);
    }
    if (pp_fd_is_own(i915->fd))
        pp_i915_config_drop(i915->fd, &stream->config);
    *stream = (struct pp_i915_stream){.fd = -1, .config = {.id = -1}};
}
