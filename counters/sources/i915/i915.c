/** @file
 * Intel GPUs by i915; see i915.h. Sources: the kernel's i915_drm.h and Documentation/gpu/i915.rst ("Perf");
 * Mesa 20 to 25, intel_device_info_timebase_scale() and the TIMESTAMP_BITS of iris and crocus. */
#include "counters/sources/i915/i915.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_report.h"
#include "counters/sources/i915/i915_uapi.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/util/array_size.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "pp_texts.h"

/* Metric sets. */

#define UUID_LENGTH 36
/* Begin of the ids of sets that passprobe adds: "pprb". The rest is that of the public id. */
#define OWN_PREFIX "70707262"

int
pp_i915_ioctl(int fd, unsigned long request, void *arg)
{
    int rc = 0;
    do {
        rc = ioctl(fd, request, arg);
    } while (rc < 0 && (errno == EINTR || (errno == EAGAIN && request == PP_I915_GETPARAM)));
    return rc < 0 ? -errno : rc;
}

int64_t
pp_i915_config_add(int fd, uint32_t set, const char *guid, const struct pp_metric_variable *variable,
                   size_t variables)
{
    struct pp_oa_registers registers;
    int rc = pp_oa_registers_init(&registers, set, variable, variables);
    if (rc)
        return rc;
    struct pp_i915_oa_config config = {
        .mux_regs = registers.count[PP_OA_REGISTER_MUX],
        .boolean_regs = registers.count[PP_OA_REGISTER_BOOLEAN],
        .flex_regs = registers.count[PP_OA_REGISTER_FLEX],
        .mux_ptr = (uintptr_t)(registers.pair + registers.first[PP_OA_REGISTER_MUX]),
        .boolean_ptr = (uintptr_t)(registers.pair + registers.first[PP_OA_REGISTER_BOOLEAN]),
        .flex_ptr = (uintptr_t)(registers.pair + registers.first[PP_OA_REGISTER_FLEX]),
    };
    memcpy(config.uuid, guid, sizeof(config.uuid));
    int64_t id = pp_i915_ioctl(fd, PP_I915_ADD_CONFIG, &config);
    pp_oa_registers_finish(&registers);
    return id;
}

int
pp_i915_config_remove(int fd, int64_t id)
{
    uint64_t number = (uint64_t)id;
    return pp_i915_ioctl(fd, PP_I915_REMOVE_CONFIG, &number);
}

bool
pp_i915_config_is_dynamic(int fd)
{
    return pp_i915_config_remove(fd, -1) == -ENOENT; /* no set has this id */
}

/* @return The kernel's id of a set that it has. */
static int64_t
known(const char *metrics, const char *guid)
{
    char path[PP_PATH_BYTES];
    int64_t id = 0;
    if (snprintf(path, sizeof(path), "%s/%s/id", metrics, guid) >= (int)sizeof(path))
        return -ENAMETOOLONG;
    int rc = pp_file_number(path, &id);
    return rc ? rc : id > 0 ? id : -ENOENT;
}

int
pp_i915_config_use(int fd, const char *metrics, uint32_t set, const struct pp_metric_variable *variable,
                   size_t variables, struct pp_i915_config *ret)
{
    struct pp_catalogue_set about;
    char own[UUID_LENGTH + 1];
    pp_catalogue_intel.set(set, &about);
    *ret = (struct pp_i915_config){.id = -1};
    if (strlen(about.guid) != UUID_LENGTH)
        return -EINVAL;
    snprintf(own, sizeof(own), OWN_PREFIX "%s", about.guid + strlen(OWN_PREFIX));
    int64_t id = known(metrics, about.guid);
    if (id < 0) {
        id = pp_i915_config_add(fd, set, own, variable, variables);
        ret->added = id >= 0;
    }
    if (id == -EADDRINUSE) { /* another process under passprobe has added the set */
        id = known(metrics, own);
        if (id == -ENOENT) /* the other process has removed it again, or it is hidden */
            id = -EADDRINUSE;
    }
    if (id >= 0)
        ret->id = id;
    return id < 0 ? (int)id : 0;
}

void
pp_i915_config_drop(int fd, struct pp_i915_config *config)
{
    if (config->added)
        (void)pp_i915_config_remove(fd, config->id);
    *config = (struct pp_i915_config){.id = -1};
}

/* Variables. */

static int
parameter(int fd, int32_t param, uint64_t *ret)
{
    int value = 0;
    struct pp_i915_getparam get = {.param = param, .value = &value};
    int rc = pp_i915_ioctl(fd, PP_I915_GETPARAM, &get);
    if (rc == 0 && value <= 0)
        rc = -ENODATA;
    if (rc == 0)
        *ret = (uint32_t)value;
    return rc;
}

/* Variables that are being collected. */
struct variables {
    struct pp_metric_variable *variable;
    size_t count, capacity;
};

static void
add_variable(struct variables *to, const char *name, uint64_t value)
{
    size_t i = 0;
    while (i < to->count && strcmp(to->variable[i].name, name) != 0)
        i++;
    if (i == to->capacity)
        return;
    to->count += i == to->count;
    to->variable[i] = (struct pp_metric_variable){.name = name, .type = PP_METRIC_U64, .value = {.u = value}};
}

static void
set_variable(struct pp_i915 *i915, const char *name, uint64_t value)
{
    struct variables to = {i915->variable, i915->variables, PP_I915_VARIABLES};
    add_variable(&to, name, value);
    i915->variables = to.count;
}

/* The subslice mask of all slices: bit 3 (8 from Gen11) * slice + subslice. The kernel returns that of one
 * slice. */
static uint64_t
all_subslices(const struct pp_oa_gpu *gpu, uint64_t slices, uint64_t subslices)
{
    unsigned stride = gpu->gen >= PP_OA_GEN11 ? 8 : 3;
    uint64_t mask = 0;
    for (unsigned s = 0; s < 64 / stride; s++)
        if (slices >> s & 1)
            mask |= subslices << (s * stride);
    return mask;
}

int
pp_i915_variables_find_card(const char *device, char card[PP_PATH_BYTES])
{
    for (unsigned number = 0; number < 64; number++) {
        int length = snprintf(card, PP_PATH_BYTES, "%s/drm/card%u", device, number);
        if (length > 0 && length < PP_PATH_BYTES && access(card, F_OK) == 0)
            return 0;
    }
    return -ENOENT;
}

size_t
pp_i915_variables_frequencies(const char *device, struct pp_metric_variable *variable, size_t variables,
                              size_t capacity)
{
    static const struct {
        const char *file, *name;
    } known[] = {{"gt_min_freq_mhz", "GpuMinFrequency"}, {"gt_max_freq_mhz", "GpuMaxFrequency"}};
    struct variables to = {variable, variables, capacity};
    char path[PP_PATH_BYTES], card[PP_PATH_BYTES];
    int64_t mhz = 0;
    if (pp_i915_variables_find_card(device, card) != 0)
        return to.count;
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++)
        if (pp_path_join(path, card, known[i].file) == 0 && pp_file_number(path, &mhz) == 0 && mhz > 0)
            add_variable(&to, known[i].name, (uint64_t)mhz * 1000000);
    return to.count;
}

size_t
pp_i915_variables_topology(int fd, const struct pp_oa_gpu *gpu, struct pp_metric_variable *variable,
                           size_t variables, size_t capacity)
{
    struct variables to = {variable, variables, capacity};
    uint64_t value = 0, slices = 0;
    if (parameter(fd, PP_I915_PARAM_EU_TOTAL, &value) == 0)
        add_variable(&to, "EuCoresTotalCount", value);
    if (parameter(fd, PP_I915_PARAM_SUBSLICE_TOTAL, &value) == 0)
        add_variable(&to, "EuSubslicesTotalCount", value);
    if (parameter(fd, PP_I915_PARAM_SLICE_MASK, &slices) == 0) {
        add_variable(&to, "SliceMask", slices);
        add_variable(&to, "EuSlicesTotalCount", (uint64_t)__builtin_popcountll(slices));
        if (parameter(fd, PP_I915_PARAM_SUBSLICE_MASK, &value) == 0)
            add_variable(&to, "SubsliceMask", all_subslices(gpu, slices, value));
    }
    return to.count;
}

/*
 * Collect the variables of an opened GPU: those of its kind, then those that the kernel reports about it.
 *
 * @param i915 Its fd, device and gpu are set. Its variables, clocks and number of EUs are filled in.
 */
static void
collect_variables(struct pp_i915 *i915)
{
    uint64_t value = 0;
    i915->variables = pp_oa_gpu_variables(&i915->gpu, i915->variable);
    i915->variables =
        pp_i915_variables_topology(i915->fd, &i915->gpu, i915->variable, i915->variables, PP_I915_VARIABLES);
    if (parameter(i915->fd, PP_I915_PARAM_OA_TIMESTAMP_FREQUENCY, &value) == 0 ||
        parameter(i915->fd, PP_I915_PARAM_CS_TIMESTAMP_FREQUENCY, &value) == 0)
        set_variable(i915, "GpuTimestampFrequency", value);
    if (parameter(i915->fd, PP_I915_PARAM_REVISION, &value) == 0)
        set_variable(i915, "SkuRevisionId", value);
    set_variable(i915, "QueryMode", 0);
    i915->variables =
        pp_i915_variables_frequencies(i915->device, i915->variable, i915->variables, PP_I915_VARIABLES);
    for (size_t i = 0; i < i915->variables; i++) {
        if (strcmp(i915->variable[i].name, "GpuMaxFrequency") == 0)
            i915->max_clock_hz = i915->variable[i].value.u;
        if (strcmp(i915->variable[i].name, "GpuTimestampFrequency") == 0)
            i915->timestamp_hz = i915->variable[i].value.u;
        if (strcmp(i915->variable[i].name, "EuCoresTotalCount") == 0)
            i915->eus = (uint32_t)i915->variable[i].value.u;
    }
    for (size_t i = 0; i < i915->variables; i++)
        if (strcmp(i915->variable[i].name, "SubsliceMask") == 0) {
            set_variable(i915, "DualSubsliceMask", i915->variable[i].value.u);
            break;
        }
}

/* The GPU, and streams of its reports. */

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
    collect_variables(i915);
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

/* The GPU's timestamp. OpenGL's timestamps become ticks of it. */

#define MASK     ((UINT64_C(1) << PP_I915_TIMESTAMP_BITS) - 1)
#define LAP_BITS 32
#define LAPS     (1U << (PP_I915_TIMESTAMP_BITS - LAP_BITS))

int
pp_i915_clock_read(int fd, uint64_t *ret_ticks)
{
    struct pp_i915_reg_read read = {.offset = PP_I915_RENDER_TIMESTAMP | PP_I915_REG_READ_8B_WA};
    int rc = pp_i915_ioctl(fd, PP_I915_REG_READ, &read);
    if (rc == 0)
        *ret_ticks = read.value & MASK;
    return rc;
}

/* The number that has the low bits of @p ns and is nearest to @p near, from 0 to @p end - 1. */
static int64_t
nearest(uint64_t ns, int64_t near, int64_t end)
{
    int64_t inside = near < 0 ? 0 : near < end ? near : end - 1;
    int64_t ahead = (int64_t)((ns - (uint64_t)inside) & MASK), all = (int64_t)MASK + 1;
    int64_t found = inside + (ahead > all / 2 ? ahead - all : ahead);
    return found < 0 ? found + all : found < end ? found : found - all;
}

/* A lap is the time in which the low 32 bits of the ticks wrap. Mesa converts the two halves of a timestamp
 * by themselves: the laps before as whole multiples of 2^32 nanoseconds, rounded down, and the ticks in the
 * lap. */
uint32_t
pp_i915_clock_ticks(uint64_t ns, uint64_t now_ticks, uint64_t hz)
{
    int64_t lap_ns = (int64_t)pp_oa_ticks_to_ns(UINT64_C(1) << LAP_BITS, hz), least = INT64_MAX, best = 0;
    for (int lap = -1; lap <= 1; lap++) {
        uint64_t before = ((now_ticks >> LAP_BITS) + LAPS + (uint64_t)(int64_t)lap) % LAPS;
        int64_t now = (int64_t)pp_oa_ticks_to_ns((uint32_t)now_ticks, hz) - lap * lap_ns;
        int64_t found = nearest(ns - (pp_oa_ticks_to_ns(before, hz) << LAP_BITS), now, lap_ns);
        if (llabs(found - now) < least) {
            least = llabs(found - now);
            best = found;
        }
    }
    return (uint32_t)pp_oa_ns_to_ticks((uint64_t)best, hz);
}

uint32_t
pp_i915_clock_ticks_of_any(uint64_t ns, uint64_t now_ticks, uint64_t hz, bool *whole)
{
    uint32_t ticks = pp_i915_clock_ticks(ns, now_ticks, hz), plain = (uint32_t)pp_oa_ns_to_ticks(ns, hz);
    int64_t ahead = (int32_t)(ticks - (uint32_t)now_ticks), age = (int32_t)((uint32_t)now_ticks - plain);
    int64_t second = (int64_t)hz;
    /* At other times, nanoseconds read as those of iris are far in the past, not ahead: shortly before the
     * end of a lap, and where the timestamp of 36 bits has begun again some times. */
    bool far_off = ahead < -second && age > -second / 5 && age < second;
    *whole = *whole || ahead > second / 5 || far_off;
    return *whole ? plain : ticks;
}
