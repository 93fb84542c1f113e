/** @file
 * See mali_device.h. Both drivers of Mali GPUs.
 *
 * kbase is Arm's driver. It virtualises the counters (kinstr_prfcnt): other processes may count at the same
 * time. Source: kbase's mali_kbase_ioctl.h, mali_kbase_hwcnt_reader.h; libGPUCounters.
 *
 * panfrost is the kernel's. Its counters belong to one open file at a time, count the whole GPU and are
 * cleared by a dump. Source: panfrost_drm.h and panfrost_perfcnt.c. */
#include "counters/sources/mali/mali_device.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters/sources/mali/mali_uapi.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "pp_texts.h"

int
pp_mali_ioctl(int fd, unsigned long request, void *arg)
{
    int rc = 0;
    if (!pp_fd_is_own(fd))
        return -EBADF;
    do {
        rc = ioctl(fd, request, arg);
    } while (rc < 0 && errno == EINTR);
    return rc < 0 ? -errno : rc;
}

void
pp_mali_device_close(struct pp_mali_device *device)
{
    if (device->driver && device->driver->end)
        device->driver->end(device);
    if (device->map)
        (void)munmap(device->map, device->map_bytes);
    pp_fd_close(device->session);
    pp_fd_close(device->fd);
    free(device->dump);
    *device = (struct pp_mali_device){.fd = -1, .session = -1};
}

#define SAMPLE_MS 1000

/* @param user_data What the metadata of the sample has, if the command makes one. */
static int
command(const struct pp_mali_device *device, uint16_t number, uint64_t user_data)
{
    struct pp_kinstr_command request = {.command = number, .user_data = user_data};
    return pp_mali_ioctl(device->session, PP_KINSTR_COMMAND, &request);
}

/* Set up a session. @return Its descriptor. */
static int
set_up(const struct pp_mali_device *device, union pp_kinstr_setup *setup)
{
    struct pp_kinstr_request request[6] = {
        {.type = PP_KINSTR_REQUEST_MODE}, /* manual */
    };
    for (uint8_t block = 0; block < 4; block++) { /* front end, tiler, memory, shader cores: primary set */
        request[1 + block].type = PP_KINSTR_REQUEST_ENABLE;
        request[1 + block].u.enable.block_type = block;
        request[1 + block].u.enable.mask[0] = UINT64_MAX;
    }
    *setup = (union pp_kinstr_setup){
        .in = {.count = 6, .size = sizeof(request[0]), .requests = (uintptr_t)request}};
    return pp_mali_ioctl(device->fd, PP_KINSTR_SETUP, setup);
}

static int
kbase_begin(struct pp_mali_device *device)
{
    union pp_kinstr_setup setup;
    int rc = set_up(device, &setup);
    if (rc < 0)
        return rc;
    device->session = rc;
    pp_fd_mark(rc);
    device->map_bytes = setup.out.mmap_bytes;
    device->metadata_item_bytes = setup.out.metadata_item_size;
    device->map = mmap(NULL, device->map_bytes, PROT_READ, MAP_PRIVATE, device->session, 0);
    if (device->map == MAP_FAILED) {
        device->map = NULL;
        return -errno;
    }
    return command(device, PP_KINSTR_START, 0);
}

static int
wait_for_sample(const struct pp_mali_device *device)
{
    struct pollfd file = {.fd = device->session, .events = POLLIN};
    int rc = 0;
    if (!pp_fd_is_own(device->session))
        return -EBADF;
    do {
        rc = poll(&file, 1, SAMPLE_MS);
    } while (rc < 0 && errno == EINTR);
    return rc > 0 ? 0 : rc == 0 ? -ETIMEDOUT : -errno;
}

/* Wait for the oldest sample, add it and give its buffer back. */
static int
take_oldest(const struct pp_mali_device *device, struct pp_mali_sums *sums, struct pp_mali_sample *ret_sample)
{
    struct pp_kinstr_access access = {.sequence = 0};
    int rc = wait_for_sample(device);
    rc = rc ? rc : pp_mali_ioctl(device->session, PP_KINSTR_GET_SAMPLE, &access);
    if (rc)
        return rc;
    const struct pp_mali_kinstr sample = {.map = device->map,
                                          .map_bytes = device->map_bytes,
                                          .sample_offset = access.offset,
                                          .metadata_item_bytes = device->metadata_item_bytes};
    rc = pp_mali_add_kinstr(device->gpu, &device->config, &sample, sums, ret_sample, NULL);
    int put = pp_mali_ioctl(device->session, PP_KINSTR_PUT_SAMPLE, &access);
    return rc ? rc : put;
}

/* A sample that came after its time is not taken for this one: its interval is lost already. */
static int
kbase_sample(struct pp_mali_device *device, struct pp_mali_sums *sums)
{
    struct pp_mali_sample got = {.user_data = 0};
    uint64_t wanted = ++device->samples;
    int rc = command(device, PP_KINSTR_SAMPLE_SYNC, wanted);
    while (rc == 0 && got.user_data != wanted) {
        pp_mali_sums_begin(sums);
        rc = take_oldest(device, sums, &got);
    }
    return rc;
}

static void
kbase_explain(int error, char *text)
{
    if (error == EINVAL)
        snprintf(text, PP_REASON_BYTES, PP_TEXT_MALI_SET);
    else if (error == EBUSY || error == ENOMEM)
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_MALI_READERS, pp_errno_text(error));
    else if (error == EMFILE || error == ENFILE)
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_NO_DESCRIPTOR, pp_errno_text(error));
    else
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_MALI_REFUSED, pp_errno_text(error));
}

static const struct pp_mali_driver kbase = {
    .begin = kbase_begin,
    .sample = kbase_sample,
    .explain = kbase_explain,
    .broken = PP_MALI_SATURATED,
};

static int
get_properties(const struct pp_mali_device *device, struct pp_kbase_properties *ret)
{
    struct pp_kbase_get_gpuprops request = {.size = 0};
    int size = pp_mali_ioctl(device->fd, PP_KBASE_GET_GPUPROPS, &request);
    if (size <= 0 || size > 65536)
        return size < 0 ? size : -EBADMSG;
    uint8_t *bytes = calloc(1, (size_t)size);
    if (!bytes)
        return -ENOMEM;
    request = (struct pp_kbase_get_gpuprops){.buffer = (uintptr_t)bytes, .size = (uint32_t)size};
    int rc = pp_mali_ioctl(device->fd, PP_KBASE_GET_GPUPROPS, &request);
    if (rc >= 0)
        pp_kbase_properties_read(bytes, (size_t)size, ret);
    free(bytes);
    return rc < 0 ? rc : 0;
}

static int
check_version(const struct pp_mali_device *device, char *reason)
{
    struct pp_kbase_version version = {.major = 11, .minor = 37};
    struct pp_kbase_set_flags flags = {.create_flags = PP_KBASE_SYSTEM_MONITOR};
    struct pp_kinstr_enum_info info = {.list = 0};
    int rc = pp_mali_ioctl(device->fd, PP_KBASE_VERSION_CHECK, &version);
    if (rc) {
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_MALI_NO_JM, pp_errno_text(-rc));
        return rc;
    }
    if (version.major != 11 || version.minor < 37) {
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_MALI_OLD, version.major, version.minor);
        return -EPROTO;
    }
    (void)pp_mali_ioctl(device->fd, PP_KBASE_SET_FLAGS, &flags); /* refused where a context exists */
    rc = pp_mali_ioctl(device->fd, PP_KINSTR_ENUM_INFO, &info);
    if (rc)
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_MALI_NO_KINSTR, pp_errno_text(-rc));
    return rc;
}

static int
learn_gpu(struct pp_mali_device *device, char *reason)
{
    struct pp_kbase_properties got = {.product = 0};
    int rc = get_properties(device, &got);
    unsigned width = (unsigned)(got.l2_features >> 24 & 0xff);
    device->config = (struct pp_mali_config){.core_mask = got.cores,
                                             .l2_slices = (uint32_t)got.l2_slices,
                                             .bus_width_bits = width < 31 ? 1U << width : 0};
    rc = rc ? rc : pp_mali_config_check(&device->config);
    if (rc) {
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_MALI_PROPERTIES, pp_errno_text(-rc));
        return rc;
    }
    device->gpu = pp_mali_gpu_by_product((uint32_t)got.product);
    if (device->gpu)
        return 0;
    snprintf(reason, PP_REASON_BYTES, PP_FORMAT_MALI_UNKNOWN_GPU, (unsigned)got.product);
    return -ENOENT;
}

/* Open a session and close it at once, to learn whether it works. Nothing is counted yet. */
static int
try_session(const struct pp_mali_device *device, char *reason)
{
    union pp_kinstr_setup setup;
    int rc = set_up(device, &setup);
    if (rc >= 0) {
        (void)close(rc);
        return 0;
    }
    kbase_explain(-rc, reason);
    return rc;
}

int
pp_mali_kbase_open(const char *dev, struct pp_mali_device *ret, char *reason)
{
    char path[PP_PATH_BYTES];
    *ret = (struct pp_mali_device){.driver = &kbase, .fd = -1, .session = -1};
    int rc = pp_path_join(path, dev, "mali0");
    ret->fd = rc ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (ret->fd < 0 && (rc || errno == ENOENT || errno == ENODEV || errno == ENXIO))
        return -ENODEV;
    rc = ret->fd < 0 ? -errno : 0;
    pp_fd_mark(ret->fd);
    if (rc)
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_MALI_NODE, path, pp_errno_text(-rc));
    rc = rc ? rc : check_version(ret, reason);
    rc = rc ? rc : learn_gpu(ret, reason);
    rc = rc ? rc : try_session(ret, reason);
    if (rc)
        pp_mali_device_close(ret);
    return rc;
}

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
learn_panfrost_gpu(struct pp_mali_device *device, char *reason)
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
    rc = rc ? rc : learn_panfrost_gpu(ret, reason);
    rc = rc ? rc : try_counters(ret, reason);
    if (rc)
        pp_mali_device_close(ret);
    return rc;
}
