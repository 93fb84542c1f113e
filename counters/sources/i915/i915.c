/** @file
 * Intel GPUs by i915; see i915.h. Source: the kernel's i915_drm.h and Documentation/gpu/i915.rst ("Perf"). */
#include "counters/sources/i915/i915.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/metric/catalogue.h"
#include "counters/sources/i915/i915_uapi.h"
#include "counters/util/errno_text.h"

/* Numbers of render nodes. */
#define FIRST_NODE 128U
#define LAST_NODE  192U
/* EINVAL where the unit itself has answered already. */
#define SET_REFUSED (-EBADRQC)

static int
i915_ioctl(int fd, unsigned long request, void *arg)
{
    int rc = 0;
    do {
        rc = ioctl(fd, request, arg);
    } while (rc < 0 && (errno == EINTR || (errno == EAGAIN && request == PP_I915_GETPARAM)));
    return rc < 0 ? -errno : rc;
}

/* What GPUs are called in devices.csv. Source: PCI ids of Mesa's include/pci_ids/{crocus,iris}_pci_ids.h;
 * which of them have metrics: Mesa's intel_perf.c (no GT1 before Ice Lake, no GT1.5). */
const char *
pp_i915_gpu_of(uint32_t pci)
{
    static const struct {
        const char *gpu;
        uint16_t id[24];
    } known[] = {
        {"hsw",
         {0x0402, 0x0406, 0x040a, 0x040b, 0x040e, 0x0412, 0x0416, 0x041a, 0x041b, 0x041e, 0x0422, 0x0426,
          0x042a, 0x042b, 0x042e}},
        {"hsw",
         {0x0a02, 0x0a06, 0x0a0a, 0x0a0b, 0x0a0e, 0x0a12, 0x0a16, 0x0a1a, 0x0a1b, 0x0a1e, 0x0a22, 0x0a26,
          0x0a2a, 0x0a2b, 0x0a2e}},
        {"hsw",
         {0x0c02, 0x0c06, 0x0c0a, 0x0c0b, 0x0c0e, 0x0c12, 0x0c16, 0x0c1a, 0x0c1b, 0x0c1e, 0x0c22, 0x0c26,
          0x0c2a, 0x0c2b, 0x0c2e}},
        {"hsw",
         {0x0d02, 0x0d06, 0x0d0a, 0x0d0b, 0x0d0e, 0x0d12, 0x0d16, 0x0d1a, 0x0d1b, 0x0d1e, 0x0d22, 0x0d26,
          0x0d2a, 0x0d2b, 0x0d2e}},
        {"bdw",
         {0x1602, 0x1606, 0x160a, 0x160b, 0x160d, 0x160e, 0x1612, 0x1616, 0x161a, 0x161b, 0x161d, 0x161e,
          0x1622, 0x1626, 0x162a, 0x162b, 0x162d, 0x162e}},
        {"chv", {0x22b0, 0x22b1, 0x22b2, 0x22b3}},
        {"sklgt2", {0x1912, 0x1913, 0x1915, 0x1916, 0x1917, 0x191a, 0x191b, 0x191d, 0x191e, 0x1921}},
        {"sklgt3", {0x1923, 0x1926, 0x1927, 0x192b, 0x192d}},
        {"sklgt4", {0x192a, 0x1932, 0x193a, 0x193b, 0x193d}},
        {"bxt", {0x0a84, 0x1a84, 0x1a85, 0x5a84, 0x5a85}},
        {"glk", {0x3184, 0x3185}},
        {"kblgt2", {0x5912, 0x5916, 0x5917, 0x591a, 0x591b, 0x591c, 0x591d, 0x591e, 0x5921, 0x87c0}},
        {"kblgt3", {0x5923, 0x5926, 0x5927}},
        {"cflgt2", {0x3e91, 0x3e92, 0x3e94, 0x3e96, 0x3e98, 0x3e9a, 0x3e9b, 0x3ea9, 0x3ea0, 0x3ea3, 0x87ca}},
        {"cflgt2",
         {0x9b41, 0x9bc0, 0x9bc2, 0x9bc4, 0x9bc5, 0x9bc6, 0x9bc8, 0x9bca, 0x9bcb, 0x9bcc, 0x9be6, 0x9bf6}},
        {"cflgt3", {0x3ea2, 0x3ea5, 0x3ea6, 0x3ea7, 0x3ea8}},
        {"icl",
         {0x8a50, 0x8a51, 0x8a52, 0x8a53, 0x8a54, 0x8a56, 0x8a57, 0x8a58, 0x8a59, 0x8a5a, 0x8a5b, 0x8a5c,
          0x8a5d, 0x8a71}},
        {"ehl", {0x4541, 0x4551, 0x4555, 0x4557, 0x4570, 0x4571, 0x4e51, 0x4e55, 0x4e57, 0x4e61, 0x4e71}},
        {"tglgt1", {0x9a60, 0x9a68, 0x9a70}},
        {"tglgt2", {0x9a40, 0x9a49, 0x9a59, 0x9a78, 0x9ac0, 0x9ac9, 0x9ad9, 0x9af8}},
        {"rkl", {0x4c8a, 0x4c8b, 0x4c8c, 0x4c90, 0x4c9a}},
        {"dg1", {0x4905, 0x4906, 0x4907, 0x4908, 0x4909}},
        {"adl", {0x4680, 0x4682, 0x4688, 0x468a, 0x468b, 0x4690, 0x4692, 0x4693, 0x4626, 0x4628, 0x462a,
                 0x46a0, 0x46a1, 0x46a2, 0x46a3, 0x46a6, 0x46a8, 0x46aa, 0x46b0, 0x46b1, 0x46b2, 0x46b3}},
        {"adl", {0x46c0, 0x46c1, 0x46c2, 0x46c3, 0x46d0, 0x46d1, 0x46d2, 0x46d3, 0x46d4}},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        for (size_t j = 0; j < 24 && known[i].id[j]; j++)
            if (known[i].id[j] == pci)
                return known[i].gpu;
    return NULL;
}

/* The machine. */

static int
parameter(int fd, int32_t param, uint64_t *ret)
{
    int value = 0;
    struct pp_i915_getparam get = {.param = param, .value = &value};
    int rc = i915_ioctl(fd, PP_I915_GETPARAM, &get);
    if (rc == 0 && value <= 0)
        rc = -ENODATA;
    if (rc == 0)
        *ret = (uint32_t)value;
    return rc;
}

/* Variables being gathered. */
struct variables {
    struct pp_metric_variable *variable;
    size_t count, room;
};

static void
add_variable(struct variables *to, const char *name, uint64_t value)
{
    size_t i = 0;
    while (i < to->count && strcmp(to->variable[i].name, name) != 0)
        i++;
    if (i == to->room)
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

/* Bits 3 (8 from Gen11) * slice + subslice; the kernel tells those of one slice. */
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

static void
learn_frequencies(struct pp_i915 *i915)
{
    char path[PP_PATH_BYTES], card[256];
    int64_t mhz = 0;
    snprintf(card, sizeof(card), "%s", i915->metrics);
    *strrchr(card, '/') = '\0';
    if (pp_path_join(path, card, "gt_min_freq_mhz") == 0 && pp_file_number(path, &mhz) == 0 && mhz > 0)
        set_variable(i915, "GpuMinFrequency", (uint64_t)mhz * 1000000);
    if (pp_path_join(path, card, "gt_max_freq_mhz") == 0 && pp_file_number(path, &mhz) == 0 && mhz > 0) {
        i915->max_clock_hz = (uint64_t)mhz * 1000000;
        set_variable(i915, "GpuMaxFrequency", i915->max_clock_hz);
    }
}

size_t
pp_i915_topology(int fd, const struct pp_oa_gpu *gpu, struct pp_metric_variable *variable, size_t variables,
                 size_t room)
{
    struct variables to = {variable, variables, room};
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

/* What the kind of GPU has at most, then what the kernel says this one has. */
static void
learn_variables(struct pp_i915 *i915)
{
    uint64_t value = 0;
    i915->variables = pp_oa_gpu_variables(&i915->gpu, i915->variable);
    i915->variables =
        pp_i915_topology(i915->fd, &i915->gpu, i915->variable, i915->variables, PP_I915_VARIABLES);
    if (parameter(i915->fd, PP_I915_PARAM_OA_TIMESTAMP_FREQUENCY, &value) == 0 ||
        parameter(i915->fd, PP_I915_PARAM_CS_TIMESTAMP_FREQUENCY, &value) == 0)
        set_variable(i915, "GpuTimestampFrequency", value);
    if (parameter(i915->fd, PP_I915_PARAM_REVISION, &value) == 0)
        set_variable(i915, "SkuRevisionId", value);
    set_variable(i915, "QueryMode", 0);
    learn_frequencies(i915);
    for (size_t i = 0; i < i915->variables; i++) {
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

/* Finding it. */

/* Name of the kernel driver of a render node. */
static bool
driver_of(const struct pp_i915_paths *paths, unsigned node, char name[32])
{
    char path[PP_PATH_BYTES], real[PATH_MAX];
    snprintf(path, sizeof(path), "%.120s/class/drm/renderD%u/device/driver", paths->sys, node);
    if (!realpath(path, real))
        return false;
    snprintf(name, 32, "%.31s", strrchr(real, '/') + 1);
    return true;
}

/* Is this render node i915's? Fills what sysfs tells. */
static bool
look_at_node(const struct pp_i915_paths *paths, unsigned node, struct pp_i915 *ret, char *reason)
{
    char device[200], path[PP_PATH_BYTES], driver[32], text[PP_PATH_BYTES];
    int64_t pci = 0;
    snprintf(device, sizeof(device), "%.120s/class/drm/renderD%u/device", paths->sys, node);
    if (!driver_of(paths, node, driver))
        return false;
    if (strcmp(driver, "i915") != 0) {
        if (strcmp(driver, "xe") == 0)
            /* Source: xe_drm.h, xe_observation.c. */
            snprintf(
                reason, PP_REASON_BYTES,
                "the GPU's kernel driver is xe: passprobe reads i915's streams, not xe's "
                "(DRM_IOCTL_XE_OBSERVATION, Linux 6.11); Mesa's Vulkan driver offers the counters as khr: "
                "once dev.xe.observation_paranoid is 0");
        return false;
    }
    if (pp_path_join(path, device, "device") || pp_file_number(path, &pci))
        return false;
    ret->pci = (uint32_t)pci;
    snprintf(ret->node, sizeof(ret->node), "%.120s/dri/renderD%u", paths->dev, node);
    snprintf(ret->proc, sizeof(ret->proc), "%.100s", paths->proc);
    for (unsigned card = 0; card < 64; card++) {
        snprintf(text, sizeof(text), "%s/drm/card%u", device, card);
        if (access(text, F_OK) == 0)
            snprintf(ret->metrics, sizeof(ret->metrics), "%.230s/metrics", text);
    }
    return ret->metrics[0] != '\0';
}

/* The slowest exponent that is fast enough: reports come every 2^(exponent + 1) ticks. */
static uint64_t
exponent_of(const struct pp_i915 *i915, uint64_t period_ns)
{
    uint64_t exponent = 0;
    while (exponent < 31 &&
           (double)(UINT64_C(4) << exponent) * 1e9 / (double)i915->timestamp_hz <= (double)period_ns)
        exponent++;
    return exponent;
}

/* A sysctl of i915's. @retval -errno It cannot be read. */
static int
sysctl_of(const struct pp_i915 *i915, const char *name, int64_t *ret)
{
    char path[PP_PATH_BYTES];
    int length = snprintf(path, sizeof(path), "%s/sys/dev/i915/%s", i915->proc, name);
    return length < 0 || length >= (int)sizeof(path) ? -ENAMETOOLONG : pp_file_number(path, ret);
}

/* Refused for want of a right: which? */
static void
explain_refusal(const struct pp_i915 *i915, int error, char *text)
{
    int64_t paranoid = 1, rate = 0, wanted = 1000000000 / PP_I915_PERIOD_NS;
    bool known = sysctl_of(i915, "perf_stream_paranoid", &paranoid) == 0;
    if (known && paranoid == 0 && sysctl_of(i915, "oa_max_sample_rate", &rate) == 0 && rate < 2 * wanted)
        snprintf(text, PP_REASON_BYTES,
                 "dev.i915.oa_max_sample_rate is %d: needs %d or more (sudo sysctl "
                 "dev.i915.oa_max_sample_rate=100000; every user may then have the GPU report so often) or "
                 "CAP_PERFMON",
                 (int)rate, (int)(2 * wanted));
    else if (known && paranoid == 0)
        snprintf(text, PP_REASON_BYTES,
                 "i915 refuses (%s) although dev.i915.perf_stream_paranoid is 0: a security module, or a "
                 "container that does not allow it",
                 pp_errno_text(error));
    else
        snprintf(text, PP_REASON_BYTES,
                 "dev.i915.perf_stream_paranoid %s: needs 0 (sudo sysctl dev.i915.perf_stream_paranoid=0; "
                 "every user may then watch what the whole GPU does) or CAP_PERFMON",
                 known ? "is 1" : "cannot be read");
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
        snprintf(
            text, PP_REASON_BYTES,
            "the GPU's OA unit is in use by another profiler (intel_gpu_top does not need it; GPA, gputop, "
            "Mesa's own counters do): one at a time");
        break;
    case ENODEV:
    case ENOTTY:
    case EINVAL:
    case ENOSYS:
    case PP_ENOTSUPP:
        snprintf(text, PP_REASON_BYTES, "this kernel has no i915-perf for this GPU (error %d)", error);
        break;
    case EMFILE:
    case ENFILE:
        snprintf(text, PP_REASON_BYTES, "no file descriptor left (%s): raise ulimit -n",
                 pp_errno_text(error));
        break;
    case EADDRINUSE:
        snprintf(text, PP_REASON_BYTES,
                 "another program adds the same metric set to i915 just now (EADDRINUSE): one at a time");
        break;
    case -SET_REFUSED:
        snprintf(
            text, PP_REASON_BYTES,
            "i915 refuses this metric set (EINVAL): its registers are not those that this kernel allows on "
            "this GPU; other sets may work");
        break;
    case ENOENT:
        snprintf(text, PP_REASON_BYTES,
                 "i915 does not know this metric set (ENOENT): whoever had added it took it away");
        break;
    case EIO:
        snprintf(text, PP_REASON_BYTES, "the GPU hangs, or i915 has given it up (EIO): see dmesg");
        break;
    default:
        snprintf(text, PP_REASON_BYTES, "i915-perf: %s", pp_errno_text(error));
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
        .properties = sizeof(property) / sizeof(property[0]),
        .properties_ptr = (uintptr_t)property,
    };
    return i915_ioctl(i915->fd, PP_I915_PERF_OPEN, &open);
}

/* May we? Removing a set that is not there fails by the right, or for want of the set; so does a stream with
 * such a set, which the kernel looks for last, after it has seen whether somebody else has the unit. Nothing
 * is begun. Source: i915_perf.c, i915_oa_stream_init(). */
static int
may_use(const struct pp_i915 *i915)
{
    uint64_t none = UINT64_MAX;
    int rc = i915_ioctl(i915->fd, PP_I915_REMOVE_CONFIG, &none);
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
    const char *name = pp_i915_gpu_of(i915->pci);
    if (!name || pp_oa_gpu_find(name, &i915->gpu)) {
        snprintf(reason, PP_REASON_BYTES, "no metric sets are known for the Intel GPU %04x", i915->pci);
        return -ENOENT;
    }
    i915->fd = open(i915->node, O_RDWR | O_CLOEXEC);
    if (i915->fd < 0) {
        int error = errno;
        snprintf(reason, PP_REASON_BYTES, "%.200s: %s (is the user in the group render?)", i915->node,
                 pp_errno_text(error));
        return -error;
    }
    if (access(i915->metrics, F_OK)) {
        snprintf(reason, PP_REASON_BYTES, "this kernel has no i915-perf for this GPU: %.200s is missing",
                 i915->metrics);
        return -ENODEV;
    }
    learn_variables(i915);
    if (i915->timestamp_hz == 0) {
        snprintf(reason, PP_REASON_BYTES, "the kernel does not tell the frequency of the GPU's timestamps");
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
has_several(const struct pp_i915_paths *paths)
{
    char driver[32];
    unsigned count = 0;
    for (unsigned node = FIRST_NODE; node < LAST_NODE; node++)
        count += driver_of(paths, node, driver) && (strcmp(driver, "i915") == 0 || strcmp(driver, "xe") == 0);
    return count > 1;
}

int
pp_i915_open(const struct pp_i915_paths *paths, struct pp_i915 *ret, char *reason)
{
    int rc = -ENODEV;
    memset(ret, 0, sizeof(*ret));
    ret->fd = -1;
    snprintf(reason, PP_REASON_BYTES, "no GPU of this machine has the kernel driver i915");
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
    if (i915->fd >= 0)
        (void)close(i915->fd);
    i915->fd = -1;
}

/* Metric sets and streams. */

static bool
is_available(const struct pp_i915 *i915, const char *availability)
{
    const struct pp_metric_scope scope = {.variable = i915->variable, .variables = i915->variables};
    enum pp_metric_type type = PP_METRIC_AUTO;
    union pp_metric_number value = {.u = 0};
    return !*availability ||
           (pp_metric_constant(&scope, PP_METRIC_RPN, availability, &type, &value, NULL) == 0 &&
            value.u != 0);
}

/* Registers of one kind that this machine has. @param to NULL: only count. */
static uint32_t
collect(const struct pp_i915 *i915, uint32_t set, enum pp_oa_register_kind kind, uint32_t (*to)[2])
{
    struct pp_oa_register_config config;
    uint32_t count = 0;
    for (uint32_t i = 0; pp_oa_register_config_at(set, i, &config) == 0; i++) {
        if (config.kind != kind || !is_available(i915, config.availability))
            continue;
        if (to)
            memcpy(to + count, config.pair, config.pairs * sizeof(*to));
        count += config.pairs;
    }
    return count;
}

/* @return The kernel's id of a set that it has. */
static int64_t
known_config(const struct pp_i915 *i915, const char *guid)
{
    char path[PP_PATH_BYTES];
    int64_t id = 0;
    if (snprintf(path, sizeof(path), "%s/%s/id", i915->metrics, guid) >= (int)sizeof(path))
        return -ENAMETOOLONG;
    int rc = pp_file_number(path, &id);
    return rc ? rc : id > 0 ? id : -ENOENT;
}

static int64_t
add_config(const struct pp_i915 *i915, uint32_t set, const char *guid)
{
    uint32_t mux = collect(i915, set, PP_OA_REGISTER_MUX, NULL);
    uint32_t boolean = collect(i915, set, PP_OA_REGISTER_BOOLEAN, NULL);
    uint32_t flex = collect(i915, set, PP_OA_REGISTER_FLEX, NULL);
    uint32_t(*pair)[2] = calloc((size_t)mux + boolean + flex + 1, sizeof(*pair));
    if (!pair)
        return -ENOMEM;
    (void)collect(i915, set, PP_OA_REGISTER_MUX, pair);
    (void)collect(i915, set, PP_OA_REGISTER_BOOLEAN, pair + mux);
    (void)collect(i915, set, PP_OA_REGISTER_FLEX, pair + mux + boolean);
    struct pp_i915_oa_config config = {
        .mux_regs = mux,
        .boolean_regs = boolean,
        .flex_regs = flex,
        .mux_ptr = (uintptr_t)pair,
        .boolean_ptr = (uintptr_t)(pair + mux),
        .flex_ptr = (uintptr_t)(pair + mux + boolean),
    };
    memcpy(config.uuid, guid, sizeof(config.uuid));
    int64_t id = i915_ioctl(i915->fd, PP_I915_ADD_CONFIG, &config);
    free(pair);
    return id;
}

int
pp_i915_stream_open(const struct pp_i915 *i915, uint32_t set, uint64_t period_ns, struct pp_i915_stream *ret)
{
    struct pp_catalogue_set about;
    pp_catalogue_intel.set(set, &about);
    *ret = (struct pp_i915_stream){.fd = -1, .config = -1};
    if (strlen(about.guid) != sizeof(((struct pp_i915_oa_config *)NULL)->uuid))
        return -EINVAL;
    int64_t config = known_config(i915, about.guid);
    if (config < 0) {
        config = add_config(i915, set, about.guid);
        ret->ours = config >= 0;
        if (config == -EADDRINUSE) { /* somebody else was faster */
            config = known_config(i915, about.guid);
            if (config == -ENOENT) /* and it is gone again, or hidden */
                config = -EADDRINUSE;
        }
    }
    if (config < 0)
        return config == -EINVAL ? SET_REFUSED : (int)config;
    ret->config = config;
    int fd = open_stream(i915, (uint64_t)config, period_ns);
    if (fd >= 0) {
        ret->fd = fd;
        fd = i915_ioctl(ret->fd, PP_I915_ENABLE, NULL);
    }
    if (fd < 0)
        pp_i915_stream_close(i915, ret);
    return fd == -EINVAL ? SET_REFUSED : fd < 0 ? fd : 0;
}

void
pp_i915_stream_close(const struct pp_i915 *i915, struct pp_i915_stream *stream)
{
    uint64_t id = (uint64_t)stream->config;
    if (stream->fd >= 0) {
        (void)i915_ioctl(stream->fd, PP_I915_DISABLE, NULL);
        (void)close(stream->fd);
    }
    if (stream->ours)
        (void)i915_ioctl(i915->fd, PP_I915_REMOVE_CONFIG, &id);
    *stream = (struct pp_i915_stream){.fd = -1, .config = -1};
}
