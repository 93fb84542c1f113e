/** @file
 * The source "oa": Intel's metric sets over the raw results of VK_INTEL_performance_query, computed by
 * passprobe's tables. See intel_query.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/log.h"
#include "counters/sources/i915/i915.h"
#include "layer/counters/intel_query.h"
#include "layer/counters/perf_layout.h"

/* Mesa's ANV looks under this id for the metric set that Intel's metrics-discovery library has registered:
 * intel_perf.h, INTEL_PERF_QUERY_GUID_MDAPI. */
static const char guid[37] = "2f01b241-7014-42a7-9eb6-a925cad3daba";

static void
set_variable(struct pp_perf_oa *oa, const char *name, uint64_t value)
{
    size_t i = 0;
    while (i < oa->variables && strcmp(oa->variable[i].name, name) != 0)
        i++;
    if (i == PP_I915_VARIABLES)
        return;
    oa->variables += i == oa->variables;
    oa->variable[i] = (struct pp_metric_variable){.name = name, .type = PP_METRIC_U64, .value = {.u = value}};
}

static const struct pp_metric_variable *
find_variable(const struct pp_perf_oa *oa, const char *name)
{
    for (size_t i = 0; i < oa->variables; i++)
        if (strcmp(oa->variable[i].name, name) == 0)
            return &oa->variable[i];
    return NULL;
}

static int
open_node(uint32_t minor)
{
    char path[48];
    snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
    return open(path, O_RDWR | O_CLOEXEC);
}

/* Results have nanoseconds, so the formulas get a clock of 1 GHz: a tick is a nanosecond. */
static void
learn_variables(struct pp_perf_oa *oa, uint32_t minor)
{
    char device[64];
    int fd = open_node(minor);
    snprintf(device, sizeof(device), "/sys/class/drm/renderD%u/device", minor);
    oa->variables = pp_oa_gpu_variables(&oa->gpu, oa->variable);
    oa->variables = pp_i915_variables_topology(fd, &oa->gpu, oa->variable, oa->variables, PP_I915_VARIABLES);
    if (fd >= 0)
        close(fd);
    oa->variables = pp_i915_variables_frequencies(device, oa->variable, oa->variables, PP_I915_VARIABLES);
    set_variable(oa, "GpuTimestampFrequency", 1000000000);
    const struct pp_metric_variable *mask = find_variable(oa, "SubsliceMask");
    set_variable(oa, "QueryMode", 0);
    if (mask)
        set_variable(oa, "DualSubsliceMask", mask->value.u);
}

int
pp_perf_oa_open(struct pp_perf_oa *oa, const VkPhysicalDeviceProperties *device, uint32_t minor)
{
    *oa = (struct pp_perf_oa){.result = NULL};
    int rc = device->vendorID != PP_VENDOR_INTEL ? -ENOENT : pp_oa_gpu_by_pci(device->deviceID, &oa->gpu);
    if (rc != 0)
        return rc;
    oa->result = pp_layout_find(oa->gpu.gen >= PP_OA_GEN9   ? "mdapi-gfx9"
                                : oa->gpu.gen >= PP_OA_GEN8 ? "mdapi-gfx8"
                                                            : "mdapi-gfx7");
    if (!oa->result)
        return -ENOENT;
    learn_variables(oa, minor);
    rc = pp_oa_events_init(&oa->events, &oa->gpu, oa->variable, oa->variables, PP_TEXT_OA_FUSED);
    if (rc != 0)
        pp_perf_oa_close(oa);
    return rc;
}

void
pp_perf_oa_close(struct pp_perf_oa *oa)
{
    pp_oa_events_finish(&oa->events);
    pp_perf_layouts_free(oa->layouts);
    *oa = (struct pp_perf_oa){.result = NULL};
}

uint32_t
pp_perf_oa_result_bytes(const struct pp_perf_oa *oa)
{
    return oa->result->size;
}

/* The interface. */

static int
oa_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_perf_oa *oa = self;
    return pp_oa_events_describe(&oa->events, i, ret_event);
}

static int
oa_fits(void *self, const uint32_t *event, size_t events)
{
    const struct pp_perf_oa *oa = self;
    return pp_oa_events_fit(&oa->events, event, events);
}

/* Make the layout of some events: the fields of a result that the events' formulas read. */
static struct pp_perf_layout *
make_layout(struct pp_perf_oa *oa, const uint32_t *event, size_t events, const bool *is_read)
{
    struct pp_perf_layout *made = pp_perf_layout_add(&oa->layouts, event, events, oa->result->fields);
    if (!made)
        return NULL;
    for (uint32_t f = 0; f < oa->result->fields; f++)
        if (is_read[f])
            made->field[made->layout.fields++] = oa->result->field[f];
    if (made->layout.fields == 0) /* the formulas read no field */
        made->field[made->layout.fields++] = oa->result->field[0];
    made->layout.name = oa->result->name;
    made->layout.size = oa->result->size;
    return made;
}

static const struct pp_layout *
oa_layout(void *self, const uint32_t *event, size_t events)
{
    struct pp_perf_oa *oa = self;
    const struct pp_layout *known = pp_perf_layout_find(oa->layouts, event, events);
    if (known || oa_fits(self, event, events) == 0)
        return known;
    struct pp_perf_layout *made = NULL;
    bool *is_read = calloc(oa->result->fields, sizeof(*is_read));
    if (is_read && pp_oa_events_read_fields(&oa->events, event, events, oa->result, is_read) == 0)
        made = make_layout(oa, event, events, is_read);
    free(is_read);
    return !made ? NULL : &made->layout;
}

static int
oa_formulas(void *self, const uint32_t *event, size_t events, struct pp_metric_program **ret_program)
{
    const struct pp_layout *layout = oa_layout(self, event, events);
    if (!layout)
        return -EINVAL;
    const struct pp_perf_oa *oa = self;
    return pp_oa_events_compile(&oa->events, event, events, layout->field, layout->fields, ret_program);
}

static int
oa_default_event(void *self, uint32_t i, uint32_t *ret_event)
{
    const struct pp_perf_oa *oa = self;
    return pp_oa_events_default(&oa->events, i, ret_event);
}

static int
oa_variable(void *self, uint32_t i, const char **ret_name, double *ret_value)
{
    const struct pp_perf_oa *oa = self;
    return pp_oa_events_variable(&oa->events, i, ret_name, ret_value);
}

const struct pp_source_ops pp_perf_source_oa = {
    .name = "oa",
    .event = oa_event,
    .fits = oa_fits,
    .layout = oa_layout,
    .default_event = oa_default_event,
    .formulas = oa_formulas,
    .peaks = "intel-oa",
    .clocks = "GpuCoreClocks",
    .variable = oa_variable,
    .exclusive = true,
};

/* The kernel. */

int64_t
pp_perf_oa_register(const struct pp_perf_oa *oa, uint32_t minor, uint32_t set)
{
    int fd = open_node(minor);
    if (fd < 0)
        return -errno;
    /* ANV computes results by the layout of its first metric set. Without a set the values are those of other
     * fields: GpuTime was 15 us for 10 ms (25.0.7). */
    int64_t id = pp_i915_config_is_dynamic(fd)
                     ? pp_i915_config_add(fd, set, guid, oa->variable, oa->variables)
                     : -EOPNOTSUPP;
    close(fd);
    return id;
}

const char *
pp_perf_oa_register_reason(int64_t rc)
{
    switch (-rc) {
    case EACCES:
    case EPERM:
        return PP_TEXT_OA_ROOT;
    case EADDRINUSE:
    case EEXIST:
        return PP_TEXT_OA_FOREIGN;
    case ENOENT:
    case ENXIO:
    case ENODEV:
        return PP_TEXT_OA_NODE;
    default:
        return PP_TEXT_OA_KERNEL;
    }
}

void
pp_perf_oa_unregister(uint32_t minor, int64_t id)
{
    int fd = open_node(minor);
    if (fd < 0)
        return;
    (void)pp_i915_config_remove(fd, id);
    close(fd);
}

int
pp_perf_oa_use(const struct pp_perf_oa *oa, uint32_t minor, uint32_t set, struct pp_i915_config *ret)
{
    char device[64], card[PP_PATH_BYTES], metrics[PP_PATH_BYTES];
    snprintf(device, sizeof(device), "/sys/class/drm/renderD%u/device", minor);
    int rc = pp_i915_variables_find_card(device, card);
    rc = rc ? rc : pp_path_join(metrics, card, "metrics");
    if (rc)
        return rc;
    int fd = open_node(minor);
    if (fd < 0)
        return -errno;
    rc = pp_i915_config_use(fd, metrics, set, oa->variable, oa->variables, ret);
    close(fd);
    return rc;
}

void
pp_perf_oa_drop(uint32_t minor, struct pp_i915_config *config)
{
    int fd = config->added ? open_node(minor) : -1;
    if (fd < 0)
        return;
    pp_i915_config_drop(fd, config);
    close(fd);
}
