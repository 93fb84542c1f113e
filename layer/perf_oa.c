/** @file
 * The source "oa": Intel's metric sets over the raw results of VK_INTEL_performance_query, computed by our
 * own tables. See perf_source.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "counters/metric/catalogue.h"
#include "layer/perf_source.h"

/** The set that is measured by default. */
#define PRESET "RenderBasic"

/* Of i915_drm.h. The numbers of requests depend on the size of their argument. */
struct oa_config {
    char uuid[36];
    uint32_t mux, boolean, flex; /**< pairs of address and value */
    uint64_t mux_pointer, boolean_pointer, flex_pointer;
};
#define I915_ADD_CONFIG    0x40486477UL
#define I915_REMOVE_CONFIG 0x40086478UL

/** Under this id Mesa's ANV looks for what Intel's metrics-discovery library set up: intel_perf.h,
 * INTEL_PERF_QUERY_GUID_MDAPI. */
static const char guid[37] = "2f01b241-7014-42a7-9eb6-a925cad3daba";

/** "… (KBL GT2)" -> "kblgt2"; failing that "kbl". @retval 0, -ENOENT. */
static int
find_gpu(const char *device_name, struct pp_oa_gpu *ret)
{
    char name[32];
    size_t length = 0, first = 0;
    const char *open = strrchr(device_name, '(');
    for (const char *c = open == NULL ? "" : open + 1; *c != '\0' && *c != ')'; c++) {
        if (*c == ' ' && first == 0)
            first = length;
        if (*c != ' ' && length < sizeof(name) - 1)
            name[length++] = (char)tolower((unsigned char)*c);
    }
    name[length] = '\0';
    if (length == 0)
        return -ENOENT;
    int rc = pp_oa_gpu_find(name, ret);
    if (rc != 0 && first > 0) {
        name[first] = '\0';
        rc = pp_oa_gpu_find(name, ret);
    }
    return rc;
}

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

/** Results carry nanoseconds: with a clock of 1 GHz the formulas' ticks are just those. */
static void
learn_variables(struct pp_perf_oa *oa, uint32_t minor)
{
    int fd = open_node(minor);
    oa->variables = pp_oa_gpu_variables(&oa->gpu, oa->variable);
    oa->variables = pp_i915_topology(fd, &oa->gpu, oa->variable, oa->variables, PP_I915_VARIABLES);
    if (fd >= 0)
        close(fd);
    set_variable(oa, "GpuTimestampFrequency", 1000000000);
    const struct pp_metric_variable *mask = find_variable(oa, "SubsliceMask");
    set_variable(oa, "QueryMode", 0);
    if (mask != NULL)
        set_variable(oa, "DualSubsliceMask", mask->value.u);
}

static struct pp_metric_scope
scope_of(const struct pp_perf_oa *oa)
{
    return (struct pp_metric_scope){.variable = oa->variable, .variables = oa->variables};
}

/** Zero: it does not exist on this machine, or cannot be told. */
static bool
is_available(const struct pp_perf_oa *oa, const char *availability)
{
    const struct pp_metric_scope scope = scope_of(oa);
    enum pp_metric_type type;
    union pp_metric_number value = {.u = 0};
    if (availability[0] == '\0')
        return true;
    return pp_metric_constant(&scope, PP_METRIC_RPN, availability, &type, &value, NULL) == 0 && value.u != 0;
}

static void
add_event(struct pp_perf_oa *oa, uint32_t set, uint32_t metric, bool maximum,
          const struct pp_catalogue_metric *about)
{
    uint32_t e = oa->events++;
    oa->event[e] = (struct pp_perf_oa_event){
        set, metric, maximum,
        is_available(oa, about->availability) ? NULL : "this kind of GPU has no such unit"};
    if (maximum)
        snprintf(oa->maximum_name[e], sizeof(oa->maximum_name[0]), "%.59s.max", about->symbol);
}

static int
list_events(struct pp_perf_oa *oa)
{
    struct pp_catalogue_set about;
    struct pp_catalogue_metric metric;
    uint32_t count = 0;
    for (uint32_t s = 0; s < oa->gpu.sets; s++) {
        pp_catalogue_intel.set(oa->gpu.first_set + s, &about);
        count += 2 * about.metrics;
    }
    oa->event = calloc((size_t)count + 1, sizeof(*oa->event));
    oa->maximum_name = calloc((size_t)count + 1, sizeof(*oa->maximum_name));
    if (oa->event == NULL || oa->maximum_name == NULL)
        return -ENOMEM;
    oa->preset = count;
    for (uint32_t s = 0; s < oa->gpu.sets; s++) {
        uint32_t set = oa->gpu.first_set + s;
        pp_catalogue_intel.set(set, &about);
        if (strcmp(about.symbol, PRESET) == 0)
            oa->preset = oa->events;
        for (uint32_t m = 0; m < about.metrics; m++) {
            pp_catalogue_intel.metric(set, m, &metric);
            add_event(oa, set, m, false, &metric);
            if (strchr(metric.max_formula, '$') != NULL) /* a constant needs no column */
                add_event(oa, set, m, true, &metric);
        }
    }
    return count == 0 ? -ENOENT : 0;
}

int
pp_perf_oa_open(struct pp_perf_oa *oa, const char *device_name, uint32_t minor)
{
    *oa = (struct pp_perf_oa){.events = 0};
    int rc = find_gpu(device_name, &oa->gpu);
    if (rc != 0)
        return rc;
    oa->result = pp_layout_find(oa->gpu.gen >= PP_OA_GEN9   ? "mdapi-gfx9"
                                : oa->gpu.gen >= PP_OA_GEN8 ? "mdapi-gfx8"
                                                            : "mdapi-gfx7");
    if (oa->result == NULL)
        return -ENOENT;
    learn_variables(oa, minor);
    rc = list_events(oa);
    if (rc != 0)
        pp_perf_oa_close(oa);
    return rc;
}

void
pp_perf_oa_close(struct pp_perf_oa *oa)
{
    free(oa->event);
    free(oa->maximum_name);
    pp_perf_layouts_free(oa->layouts);
    *oa = (struct pp_perf_oa){.events = 0};
}

uint32_t
pp_perf_oa_result_bytes(const struct pp_perf_oa *oa)
{
    return oa->result->size;
}

/* The seam. */

static int
oa_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_perf_oa *oa = self;
    struct pp_catalogue_set about;
    struct pp_catalogue_metric metric;
    if (i >= oa->events)
        return -ENOENT;
    pp_catalogue_intel.set(oa->event[i].set, &about);
    pp_catalogue_intel.metric(oa->event[i].set, oa->event[i].metric, &metric);
    *ret_event = (struct pp_event){
        .name = oa->event[i].maximum ? oa->maximum_name[i] : metric.symbol,
        .description = oa->event[i].maximum ? "The most that this metric could have been in the same time."
                       : metric.description[0] != '\0' ? metric.description
                                                       : metric.name,
        .reason = oa->event[i].reason,
        .unit = metric.unit_id,
        .group = about.symbol,
        .number = metric.type == PP_METRIC_F64 ? PP_NUMBER_F64 : PP_NUMBER_U64,
    };
    return 0;
}

/** The unit is programmed for one set at a time. */
static int
oa_fits(void *self, const uint32_t *event, size_t events)
{
    const struct pp_perf_oa *oa = self;
    for (size_t i = 0; i < events; i++)
        if (event[i] >= oa->events || oa->event[event[i]].reason != NULL ||
            oa->event[event[i]].set != oa->event[event[0]].set)
            return 0;
    return events > 0;
}

/**
 * The program of some events over fields of the results.
 *
 * @param field Inputs; the driver's nanoseconds are what formulas call GPU_TIME.
 */
static int
compile(const struct pp_perf_oa *oa, const uint32_t *event, size_t events, const struct pp_field *field,
        uint32_t fields, struct pp_metric_program **ret_program)
{
    struct pp_catalogue_set about;
    struct pp_catalogue_metric metric;
    uint32_t set = oa->event[event[0]].set;
    pp_catalogue_intel.set(set, &about);
    struct pp_metric_input *input = calloc((size_t)fields + 1, sizeof(*input));
    struct pp_metric_def *def = calloc(about.metrics + events + 1, sizeof(*def));
    bool *chosen = calloc((size_t)about.metrics + 1, sizeof(*chosen));
    size_t defs = 0;
    int rc = input == NULL || def == NULL || chosen == NULL ? -ENOMEM : 0;
    for (uint32_t i = 0; i < fields && rc == 0; i++)
        input[i] = (struct pp_metric_input){
            .name = strcmp(field[i].name, "TotalTime") == 0 ? "GPU_TIME" : field[i].name,
            .type = PP_METRIC_U64,
        };
    /* The events in their order, and what else their formulas may name. */
    for (uint32_t i = 0; i < events + about.metrics && rc == 0; i++) {
        const struct pp_perf_oa_event *wanted = i < events ? &oa->event[event[i]] : NULL;
        uint32_t m = wanted != NULL ? wanted->metric : i - (uint32_t)events;
        bool maximum = wanted != NULL && wanted->maximum;
        if (wanted == NULL && chosen[m])
            continue;
        chosen[m] = chosen[m] || !maximum;
        pp_catalogue_intel.metric(set, m, &metric);
        def[defs++] = (struct pp_metric_def){
            .name = maximum ? NULL : metric.symbol,
            .formula = maximum ? metric.max_formula : metric.formula,
            .availability = metric.availability[0] != '\0' ? metric.availability : NULL,
            .self = maximum ? metric.symbol : NULL,
            .lang = PP_METRIC_RPN,
            .type = (uint8_t)metric.type,
            .hidden = wanted == NULL,
        };
    }
    struct pp_metric_scope scope = scope_of(oa);
    scope.input = input;
    scope.inputs = fields;
    if (rc == 0)
        rc = pp_metric_compile(&scope, def, defs, PP_METRIC_MISSING_OK, ret_program, NULL);
    free(input);
    free(def);
    free(chosen);
    return rc;
}

/** Of a result, the fields that these events' formulas read. */
static const struct pp_layout *
oa_layout(void *self, const uint32_t *event, size_t events)
{
    struct pp_perf_oa *oa = self;
    struct pp_metric_program *program = NULL;
    const struct pp_layout *known = pp_perf_layout_find(oa->layouts, event, events);
    if (known != NULL || oa_fits(self, event, events) == 0 ||
        compile(oa, event, events, oa->result->field, oa->result->fields, &program) != 0)
        return known;
    struct pp_perf_layout *made = pp_perf_layout_add(&oa->layouts, event, events, oa->result->fields);
    for (uint32_t f = 0; made != NULL && f < oa->result->fields; f++) {
        bool is_read = false;
        for (size_t o = 0; o < events && !is_read; o++)
            is_read = pp_metric_output_reads(program, o, f);
        if (is_read)
            made->field[made->layout.fields++] = oa->result->field[f];
    }
    pp_metric_destroy(program);
    if (made == NULL)
        return NULL;
    if (made->layout.fields == 0) /* a constant */
        made->field[made->layout.fields++] = oa->result->field[0];
    made->layout.name = oa->result->name;
    made->layout.size = oa->result->size;
    return &made->layout;
}

static int
oa_formulas(void *self, const uint32_t *event, size_t events, struct pp_metric_program **ret_program)
{
    const struct pp_layout *layout = oa_layout(self, event, events);
    if (layout == NULL)
        return -EINVAL;
    return compile(self, event, events, layout->field, layout->fields, ret_program);
}

static int
oa_preset(void *self, uint32_t i, uint32_t *ret_event)
{
    const struct pp_perf_oa *oa = self;
    uint32_t seen = 0;
    for (uint32_t e = oa->preset; e < oa->events && oa->event[e].set == oa->event[oa->preset].set; e++) {
        if (oa->event[e].reason != NULL)
            continue;
        if (seen++ == i) {
            *ret_event = e;
            return 0;
        }
    }
    return -ENOENT;
}

static int
oa_variable(void *self, uint32_t i, const char **ret_name, double *ret_value)
{
    const struct pp_perf_oa *oa = self;
    if (i >= oa->variables)
        return -ENOENT;
    *ret_name = oa->variable[i].name;
    *ret_value = (double)oa->variable[i].value.u;
    return 0;
}

const struct pp_source_ops pp_perf_source_oa = {
    .name = "oa",
    .event = oa_event,
    .fits = oa_fits,
    .layout = oa_layout,
    .preset = oa_preset,
    .formulas = oa_formulas,
    .peaks = "intel-oa",
    .clocks = "GpuCoreClocks",
    .variable = oa_variable,
    .exclusive = true,
};

/* The kernel. */

/** Pairs of one kind of a set's registers, as far as this machine has them. @return How many; with @p ret
 * they are copied. */
static uint32_t
collect_registers(const struct pp_perf_oa *oa, uint32_t set, enum pp_oa_register_kind kind,
                  uint32_t (*ret)[2])
{
    struct pp_oa_register_config config;
    uint32_t count = 0;
    for (uint32_t i = 0; pp_oa_register_config_at(set, i, &config) == 0; i++) {
        if (config.kind != kind || !is_available(oa, config.availability))
            continue;
        if (ret != NULL)
            memcpy(ret + count, config.pair, config.pairs * sizeof(*ret));
        count += config.pairs;
    }
    return count;
}

/** With the node open. @return Id with the kernel, or -errno. */
static int64_t
add_config(const struct pp_perf_oa *oa, uint32_t set, int fd)
{
    uint32_t count[3], first[3], total = 0;
    for (int kind = 0; kind < 3; kind++) {
        first[kind] = total;
        count[kind] = collect_registers(oa, set, (enum pp_oa_register_kind)kind, NULL);
        total += count[kind];
    }
    uint32_t(*pair)[2] = calloc((size_t)total + 1, sizeof(*pair));
    if (pair == NULL)
        return -ENOMEM;
    for (int kind = 0; kind < 3; kind++)
        (void)collect_registers(oa, set, (enum pp_oa_register_kind)kind, pair + first[kind]);
    struct oa_config config = {
        .mux = count[PP_OA_REGISTER_MUX],
        .boolean = count[PP_OA_REGISTER_BOOLEAN],
        .flex = count[PP_OA_REGISTER_FLEX],
        .mux_pointer = (uintptr_t)(pair + first[PP_OA_REGISTER_MUX]),
        .boolean_pointer = (uintptr_t)(pair + first[PP_OA_REGISTER_BOOLEAN]),
        .flex_pointer = (uintptr_t)(pair + first[PP_OA_REGISTER_FLEX]),
    };
    memcpy(config.uuid, guid, sizeof(config.uuid));
    int64_t id = ioctl(fd, I915_ADD_CONFIG, &config);
    int error = errno;
    free(pair);
    return id < 0 ? -error : id;
}

int64_t
pp_perf_oa_register(const struct pp_perf_oa *oa, uint32_t minor, uint32_t set, int *ret_fd)
{
    *ret_fd = open_node(minor);
    if (*ret_fd < 0)
        return -errno;
    int64_t id = add_config(oa, set, *ret_fd);
    if (id < 0) {
        close(*ret_fd);
        *ret_fd = -1;
    }
    return id;
}

const char *
pp_perf_oa_register_reason(int64_t rc)
{
    switch (-rc) {
    case EACCES:
    case EPERM:
        return "the kernel lets only root register metric sets: set dev.i915.perf_stream_paranoid to 0, or "
               "run "
               "with CAP_PERFMON";
    case EADDRINUSE:
    case EEXIST:
        return "another program has registered a metric set for this driver, and which one cannot be told";
    case ENOENT:
    case ENXIO:
    case ENODEV:
        return "the device's render node cannot be opened";
    default:
        return "the kernel takes no metric set";
    }
}

void
pp_perf_oa_unregister(int fd, int64_t id)
{
    uint64_t number = (uint64_t)id;
    (void)ioctl(fd, I915_REMOVE_CONFIG, &number);
    close(fd);
}
