/** @file
 * Variables of Intel GPUs that i915 and sysfs know; see i915_variables.h. Source: the kernel's i915_drm.h. */
#include "counters/sources/i915/i915_variables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counters/sources/i915/i915_config.h"
#include "counters/sources/i915/i915_uapi.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/util/array_size.h"

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

void
pp_i915_variables_collect(struct pp_i915 *i915)
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
