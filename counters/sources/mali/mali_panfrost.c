/** @file
 * Mali by the kernel's driver panfrost; see mali_device.h. The counters belong to one open file at a time,
 * count the whole GPU and are cleared by a dump. Source: panfrost_drm.h and panfrost_perfcnt.c. */
#include "counters/sources/mali/mali_panfrost.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/sources/mali/mali_uapi.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "pp_texts.h"

static int
enable(struct pp_mali_device *device, bool on)
{
    struct pp_panfrost_perfcnt_enable request = {.enable = on, .counterset = 0};
    int rc = pp_mali_ioctl(device->fd, PP_PANFROST_PERFCNT_ENABLE, &request);
    if (rc == 0)
        device->enabled = on;
    return rc;
}

static int
panfrost_begin(struct pp_mali_device *device)
{
    return enable(device, true);
}

static int
panfrost_sample(struct pp_mali_device *device, struct pp_mali_sums *sums)
{
    struct pp_panfrost_perfcnt_dump request = {.buffer = (uintptr_t)device->dump};
    size_t size = pp_mali_dump_bytes(&device->config);
    int rc = pp_mali_ioctl(device->fd, PP_PANFROST_PERFCNT_DUMP, &request);
    return rc ? rc : pp_mali_add_dump(device->gpu, &device->config, device->dump, size, sums);
}

static void
panfrost_end(struct pp_mali_device *device)
{
    if (device->enabled)
        (void)enable(device, false);
}

static void
panfrost_explain(int error, char *text)
{
    if (error == ENOSYS)
        snprintf(text, PP_REASON_BYTES, PP_TEXT_PANFROST_OFF);
    else if (error == EBUSY)
        snprintf(text, PP_REASON_BYTES, PP_TEXT_PANFROST_BUSY);
    else
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_PANFROST_FAILED, pp_errno_text(error));
}

static const struct pp_mali_driver panfrost = {
    .begin = panfrost_begin,
    .end = panfrost_end,
    .sample = panfrost_sample,
    .explain = panfrost_explain,
    .broken = PP_MALI_SATURATED | PP_MALI_PARTIAL | PP_MALI_UNAVAILABLE,
};

static int
parameter(const struct pp_mali_device *device, uint32_t param, uint64_t *ret)
{
    struct pp_panfrost_get_param request = {.param = param};
    int rc = pp_mali_ioctl(device->fd, PP_PANFROST_GET_PARAM, &request);
    *ret = request.value;
    return rc;
}

static int
learn_gpu(struct pp_mali_device *device, char *reason)
{
    uint64_t product = 0, cores = 0, memory = 0, l2 = 0;
    int rc = parameter(device, PP_PANFROST_GPU_PROD_ID, &product);
    rc = rc ? rc : parameter(device, PP_PANFROST_SHADER_PRESENT, &cores);
    rc = rc ? rc : parameter(device, PP_PANFROST_MEM_FEATURES, &memory);
    rc = rc ? rc : parameter(device, PP_PANFROST_L2_FEATURES, &l2);
    rc = rc ? rc : pp_mali_config_from_registers(cores, (uint32_t)memory, (uint32_t)l2, &device->config);
    if (rc) {
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_PANFROST_PROPERTIES, pp_errno_text(-rc));
        return rc;
    }
    device->gpu = pp_mali_gpu_by_product((uint32_t)product);
    if (!device->gpu) {
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_MALI_UNKNOWN_GPU, (unsigned)product);
        return -ENOENT;
    }
    device->dump = calloc(1, pp_mali_dump_bytes(&device->config));
    return device->dump ? 0 : -ENOMEM;
}

/* Enable the counters and disable them at once, to learn whether they work. Nothing is counted yet. */
static int
try_counters(struct pp_mali_device *device, char *reason)
{
    int rc = enable(device, true);
    if (rc == 0)
        return enable(device, false);
    panfrost_explain(-rc, reason);
    return rc;
}

/* Find the render node of a driver. @return 0: there is none. */
static unsigned
find_node(const char *sys, const char *driver)
{
    char path[PP_PATH_BYTES], real[PATH_MAX];
    for (unsigned node = 128; node < 192; node++) {
        snprintf(path, sizeof(path), "%.200s/class/drm/renderD%u/device/driver", sys, node);
        if (realpath(path, real) && strcmp(strrchr(real, '/') + 1, driver) == 0)
            return node;
    }
    return 0;
}

int
pp_mali_panfrost_open(const char *sys, const char *dev, struct pp_mali_device *ret, char *reason)
{
    char path[PP_PATH_BYTES];
    unsigned node = find_node(sys, "panfrost");
    *ret = (struct pp_mali_device){.driver = &panfrost, .fd = -1, .session = -1};
    if (!node && find_node(sys, "panthor")) {
        snprintf(reason, PP_REASON_BYTES, PP_TEXT_MALI_PANTHOR);
        return -ENOTTY;
    }
    if (!node)
        return -ENODEV;
    snprintf(path, sizeof(path), "%.200s/dri/renderD%u", dev, node);
    ret->fd = open(path, O_RDWR | O_CLOEXEC);
    int rc = ret->fd < 0 ? -errno : 0;
    pp_fd_mark(ret->fd);
    if (rc)
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_RENDER_NODE, path, pp_errno_text(-rc));
    rc = rc ? rc : learn_gpu(ret, reason);
    rc = rc ? rc : try_counters(ret, reason);
    if (rc)
        pp_mali_device_close(ret);
    return rc;
}
