/** @file
 * See i915_unit.h. Sources: Linux 6.1, i915_perf.c; the properties are those of Mesa 22.3.6 and 25.0.7. */
#include "counters/sources/i915/i915_unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/oa/oa_gpu.h"
#include "counters/sources/i915/i915.h"
#include "counters/sources/i915/i915_uapi.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/util/array_size.h"

/* One driver at a time opens a stream, or another device's stream would be taken for its own. A second one is
 * refused, and does not wait: the kernel would refuse it, too. */
static atomic_flag opening = ATOMIC_FLAG_INIT;

/* Numbers of render nodes. Source: Linux, minors of DRM_MINOR_RENDER. */
enum { RENDER_FIRST = 128, RENDER_END = 192 };

/* The stack may be a small one of the application. Links of drivers and streams have about 40 bytes, paths of
 * render nodes and of their files too; those of metric sets have the path of a card in front. */
#define LINK_BYTES 128
#define NODE_BYTES 64
#define SET_BYTES  256

static bool
link_is(const char *path, const char *wanted)
{
    char link[LINK_BYTES];
    size_t length = strlen(wanted);
    ssize_t got = readlink(path, link, sizeof(link));
    /* a longer one is cut, and is none of those */
    return got >= (ssize_t)length && (size_t)got < sizeof(link) &&
           memcmp(link + got - length, wanted, length) == 0;
}

static bool
is_stream(int fd)
{
    char path[48];
    snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
    return link_is(path, "anon_inode:[i915-perf]");
}

/* @return Number of the process' streams; -errno: they cannot be counted. */
static int
find_streams(int found[PP_I915_STREAMS])
{
    int count = 0;
    DIR *folder = opendir("/proc/thread-self/fd");
    if (!folder)
        return -errno;
    for (const struct dirent *entry = readdir(folder); entry && count < PP_I915_STREAMS;
         entry = readdir(folder)) {
        int fd = entry->d_name[0] == '.' ? -1 : atoi(entry->d_name);
        if (fd >= 0 && is_stream(fd))
            found[count++] = fd;
    }
    (void)closedir(folder);
    return count;
}

/* @return The kernel's number of a metric set: Mesa adds its own when it starts. 0: there is none. */
static uint64_t
any_set(const char *device)
{
    char path[SET_BYTES], card[PP_PATH_BYTES];
    int64_t number = 0;
    if (pp_i915_variables_find_card(device, card) != 0)
        return 0;
    snprintf(path, sizeof(path), "%.230s/metrics", card);
    DIR *folder = opendir(path);
    if (!folder)
        return 0;
    for (const struct dirent *entry = readdir(folder); entry && number <= 0; entry = readdir(folder)) {
        snprintf(path, sizeof(path), "%.180s/metrics/%.40s/id", card, entry->d_name);
        if (entry->d_name[0] == '.' || pp_file_number(path, &number) != 0)
            number = 0;
    }
    (void)closedir(folder);
    return number > 0 ? (uint64_t)number : 0;
}

/* Use a stream of a context of its own: open, choose a set, start, close. */
static int
use_stream(int node, uint64_t set, unsigned gen, bool hold)
{
    struct pp_i915_context context = {.number = 0};
    int rc = pp_i915_ioctl(node, PP_I915_CONTEXT_CREATE, &context);
    if (rc < 0)
        return rc;
    uint64_t property[][2] = {
        {PP_I915_PROP_SAMPLE_OA, 1},
        {PP_I915_PROP_METRICS_SET, set},
        {PP_I915_PROP_OA_FORMAT,
         gen >= PP_OA_GEN8 ? PP_I915_FORMAT_A32U40_A4U32_B8_C8 : PP_I915_FORMAT_A45_B8_C8},
        {PP_I915_PROP_OA_EXPONENT, 31},
        {PP_I915_PROP_CTX_HANDLE, context.number},
        {PP_I915_PROP_HOLD_PREEMPTION, 1},
    };
    struct pp_i915_perf_open open = {
        .flags = PP_I915_FD_CLOEXEC | PP_I915_FD_NONBLOCK | PP_I915_DISABLED,
        .properties = PP_ARRAY_SIZE(property) - !hold, /* the last one needs privileges */
        .properties_ptr = (uintptr_t)property,
    };
    int stream = pp_i915_ioctl(node, PP_I915_PERF_OPEN, &open);
    if (stream < 0)
        return stream;
    rc = pp_i915_ioctl(stream, PP_I915_ENABLE, NULL);
    if (rc >= 0)
        rc = pp_i915_ioctl(stream, PP_I915_CONFIG, (void *)(uintptr_t)set);
    (void)pp_i915_ioctl(stream, PP_I915_DISABLE, NULL);
    (void)close(stream);
    return rc < 0 ? rc : 0;
}

static int
try_unit(uint32_t minor, uint32_t pci, const char *device, bool hold)
{
    struct pp_oa_gpu gpu;
    char path[NODE_BYTES];
    if (pp_oa_gpu_by_pci(pci, &gpu) != 0)
        return 0; /* what the driver opens there is not known: only its descriptor shows it */
    snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
    int node = open(path, O_RDWR | O_CLOEXEC);
    if (node < 0)
        return -errno;
    int rc = use_stream(node, any_set(device), gpu.gen, hold);
    (void)close(node);
    return rc;
}

bool
pp_i915_unit_is(uint32_t minor)
{
    char driver[NODE_BYTES];
    snprintf(driver, sizeof(driver), "/sys/class/drm/renderD%u/device/driver", minor);
    return link_is(driver, "/i915");
}

/* Try the unit of a GPU. @param hold The driver keeps the GPU from being taken away in the middle of a query.
 */
static int
try_gpu(uint32_t minor, uint32_t pci, bool hold)
{
    char device[NODE_BYTES];
    snprintf(device, sizeof(device), "/sys/class/drm/renderD%u/device", minor);
    return try_unit(minor, pci, device, hold);
}

/* Try the units of all GPUs that i915 drives. @param ret_any There is one. */
static int
try_all(bool *ret_any)
{
    for (uint32_t minor = RENDER_FIRST; minor < RENDER_END; minor++) {
        char path[NODE_BYTES];
        int64_t pci = 0;
        if (!pp_i915_unit_is(minor))
            continue;
        *ret_any = true;
        snprintf(path, sizeof(path), "/sys/class/drm/renderD%u/device/device", minor);
        int rc = pp_file_number(path, &pci);
        rc = rc ? rc : try_gpu(minor, (uint32_t)pci, false);
        if (rc)
            return rc;
    }
    return 0;
}

int
pp_i915_unit_begin(uint32_t minor, uint32_t pci, struct pp_i915_unit *ret)
{
    bool any = minor != PP_I915_ANY_GPU && pp_i915_unit_is(minor);
    *ret = (struct pp_i915_unit){.checked = false};
    if (minor != PP_I915_ANY_GPU && !any)
        return 0;
    if (atomic_flag_test_and_set(&opening))
        return -EBUSY;
    int rc = minor == PP_I915_ANY_GPU ? try_all(&any) : try_gpu(minor, pci, true);
    if (rc == 0 && any)
        rc = ret->streams = find_streams(ret->before);
    ret->checked = rc >= 0 && any;
    if (!ret->checked)
        atomic_flag_clear(&opening);
    return rc < 0 ? rc : 0;
}

int
pp_i915_unit_end(const struct pp_i915_unit *unit)
{
    int after[PP_I915_STREAMS] = {0}, made = -ENOENT;
    if (!unit->checked)
        return -ENODEV;
    int streams = find_streams(after);
    for (int i = 0; i < streams && made < 0; i++) {
        bool known = false;
        for (int k = 0; k < unit->streams; k++)
            known |= unit->before[k] == after[i];
        made = known ? made : after[i];
    }
    atomic_flag_clear(&opening);
    return made;
}

int
pp_i915_unit_change(int stream, int64_t id)
{
    if (stream < 0 || !is_stream(stream))
        return -EBADF;
    int rc = pp_i915_ioctl(stream, PP_I915_CONFIG, (void *)(intptr_t)id);
    return rc < 0 ? rc : 0;
}
