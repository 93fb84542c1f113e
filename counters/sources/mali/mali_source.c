/** @file
 * The source "mali"; see kernel_sources.h. A sample clears the counters; a snapshot is the
 * sum of all samples so far. */
#include "counters/sources/kernel/kernel_sources.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events/event_plan.h"
#include "counters/sources/mali/mali_device.h"
#include "counters/util/array_size.h"
#include "counters/util/errno_text.h"
#include "pp_texts.h"

struct mali {
    /* immutable after open */
    char reason[PP_REASON_BYTES]; /* "": there is a GPU */
    uint32_t counters, metrics;
    struct pp_layout layout; /* all counters */
    struct pp_field *field;
    char (*raw)[96]; /* names of the inputs of counters that are averages */
    pthread_mutex_t lock;
    /* guarded by lock */
    struct pp_mali_device device;
    bool begun;
    int failed; /* -errno of begin() */
    uint64_t sum[PP_MALI_MAX_COUNTERS];
};

/* Formulas. */

/* Make the definition of event e: counters, then metrics. */
static struct pp_metric_def
define(const struct mali *mali, uint32_t e, char *formula, size_t size)
{
    const struct pp_mali_gpu *gpu = mali->device.gpu;
    if (e >= mali->counters)
        return (struct pp_metric_def){.name = gpu->metric[e - mali->counters].symbol,
                                      .formula = gpu->metric[e - mali->counters].formula,
                                      .lang = PP_METRIC_INFIX,
                                      .type = PP_METRIC_F64};
    bool average = gpu->counter[e].aggregation == PP_MALI_AVERAGE;
    snprintf(formula, size, average ? "$%s / $MaliConstantsShaderCoreCount" : "$%s",
             average ? mali->raw[e] : gpu->counter[e].symbol);
    return (struct pp_metric_def){.name = average ? gpu->counter[e].symbol : NULL,
                                  .formula = formula,
                                  .lang = PP_METRIC_INFIX,
                                  .type = average ? PP_METRIC_F64 : PP_METRIC_U64};
}

static size_t
variables_of(const struct mali *mali, struct pp_metric_variable variable[3])
{
    const struct pp_mali_config *config = &mali->device.config;
    variable[0] = (struct pp_metric_variable){
        "MaliConstantsShaderCoreCount", PP_METRIC_U64, {.u = pp_mali_cores(config)}};
    variable[1] =
        (struct pp_metric_variable){"MaliConstantsL2SliceCount", PP_METRIC_U64, {.u = config->l2_slices}};
    variable[2] = (struct pp_metric_variable){
        "MaliConstantsBusWidthBits", PP_METRIC_U64, {.u = config->bus_width_bits}};
    return 3;
}

static bool
is_average(const struct mali *mali, uint32_t counter)
{
    return mali->device.gpu->counter[counter].aggregation == PP_MALI_AVERAGE;
}

/* Compile the events in their order. The other metrics are hidden definitions, which formulas may name. */
static int
compile(const struct mali *mali, const uint32_t *event, size_t events, struct pp_metric_program **ret_program)
{
    enum { FORMULA = 192 };
    struct pp_metric_variable variable[3];
    uint32_t all = mali->counters + mali->metrics;
    struct pp_metric_input *input = calloc(mali->counters + 1U, sizeof(*input));
    struct pp_metric_def *def = calloc(all + events + 1, sizeof(*def));
    char *text = calloc(all + events + 1, FORMULA);
    bool *chosen = calloc(all + 1U, sizeof(*chosen));
    size_t defs = 0;
    int rc = input && def && text && chosen ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < mali->counters && rc == 0; i++)
        input[i] =
            (struct pp_metric_input){is_average(mali, i) ? mali->raw[i] : mali->field[i].name, PP_METRIC_U64};
    for (uint32_t i = 0; i < events && rc == 0; i++) {
        def[defs] = define(mali, event[i], text + defs * FORMULA, FORMULA);
        defs++;
        chosen[event[i]] = true;
    }
    for (uint32_t e = 0; e < all && rc == 0; e++) {
        if (chosen[e] || (e < mali->counters && !is_average(mali, e)))
            continue;
        def[defs] = define(mali, e, text + defs * FORMULA, FORMULA);
        def[defs++].hidden = true;
    }
    const struct pp_metric_scope scope = {input, mali->counters, variable, variables_of(mali, variable)};
    if (rc == 0)
        rc = pp_metric_compile(&scope, def, defs, 0, ret_program, NULL);
    free(input);
    free(def);
    free(text);
    free(chosen);
    return rc;
}

/* The interface: pp_source_ops. */

static int
mali_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct mali *mali = self;
    const struct pp_mali_gpu *gpu = mali->device.gpu;
    if (*mali->reason && i == 0) {
        *ret_event = (struct pp_event){
            .name = "MaliGPUCyclesGPUActive",
            .description = "Clocks in which the GPU had work: with a Mali GPU its counters stand here.",
            .reason = mali->reason,
            .unit = PP_UNIT_CYCLES,
        };
        return 0;
    }
    if (i >= mali->counters + mali->metrics)
        return -ENOENT;
    if (i < mali->counters)
        *ret_event = (struct pp_event){.name = gpu->counter[i].symbol,
                                       .description = gpu->counter[i].description,
                                       .group = "counters",
                                       .unit = (enum pp_unit)gpu->counter[i].unit_id,
                                       .number = is_average(mali, i) ? PP_NUMBER_F64 : PP_NUMBER_U64};
    else
        *ret_event = (struct pp_event){.name = gpu->metric[i - mali->counters].symbol,
                                       .description = gpu->metric[i - mali->counters].description,
                                       .group = "metrics",
                                       .unit = (enum pp_unit)gpu->metric[i - mali->counters].unit_id,
                                       .number = PP_NUMBER_F64};
    return 0;
}

static bool
has_all(const struct mali *mali, const uint32_t *event, size_t events)
{
    for (size_t i = 0; i < events; i++)
        if (event[i] >= mali->counters + mali->metrics)
            return false;
    return events > 0;
}

static const struct pp_layout *
mali_layout(void *self, const uint32_t *event, size_t events)
{
    const struct mali *mali = self;
    return has_all(mali, event, events) ? &mali->layout : NULL;
}

static int
mali_formulas(void *self, const uint32_t *event, size_t events, struct pp_metric_program **ret_program)
{
    const struct mali *mali = self;
    return has_all(mali, event, events) ? compile(mali, event, events, ret_program) : -EINVAL;
}

/* The default events: the quantities of mali-g76-peaks.csv, the utilization of each unit, and the amounts of
 * work. The hardware samples all counters at once, whatever is chosen. */
static int
mali_default_event(void *self, uint32_t i, uint32_t *ret_event)
{
    static const char *const usual[] = {
        "MaliGPUCyclesGPUActive",
        "MaliCoreInstructionsExecutedInstructions",
        "MaliExternalBusBeatsReadBeat",
        "MaliExternalBusBeatsWriteBeat",
        "*_utilization",
        "tiler_active_cycles",
        "varying_cycles",
        "texture_filtering_cycles",
        "load_store_total_issues",
        "output_external_read_bytes",
        "output_external_write_bytes",
        "total_input_primitives",
        "visible_primitives",
        "pixels",
        "fragments_per_pixel",
    };
    const struct mali *mali = self;
    struct pp_event event;
    for (uint32_t e = 0; !*mali->reason && mali_event(self, e, &event) == 0; e++) {
        bool chosen = false;
        for (size_t u = 0; u < PP_ARRAY_SIZE(usual) && !chosen; u++)
            chosen = pp_event_matches(usual[u], event.name);
        if (!chosen || i-- > 0)
            continue;
        *ret_event = e;
        return 0;
    }
    return -ENOENT;
}

/* A machine has one Mali GPU. */
static bool
mali_counts(void *self, uint32_t vendor, uint32_t gpu)
{
    (void)self;
    (void)gpu;
    return vendor == PP_VENDOR_ARM;
}

static int
mali_variable(void *self, uint32_t i, const char **ret_name, double *ret_value)
{
    const struct mali *mali = self;
    struct pp_metric_variable variable[3];
    if (*mali->reason || i >= variables_of(mali, variable))
        return -ENOENT;
    *ret_name = variable[i].name;
    *ret_value = (double)variable[i].value.u;
    return 0;
}

/* Check sums. A sum that is a lower bound, or covers more than the interval, has no valid differences. */
static int
check_sums(const struct mali *mali, const struct pp_mali_sums *sums)
{
    if (sums->stretched)
        return -EIO;
    for (uint32_t i = 0; i < mali->counters; i++)
        if (sums->remark[i] & mali->device.driver->broken)
            return sums->remark[i] & PP_MALI_SATURATED ? -ERANGE : -ENODATA;
    return 0;
}

static int
sample_locked(struct mali *mali)
{
    struct pp_mali_sums sums;
    if (!mali->begun) {
        mali->failed = mali->device.driver->begin(&mali->device);
        mali->begun = true;
    }
    if (mali->failed)
        return mali->failed;
    pp_mali_sums_begin(&sums);
    int rc = mali->device.driver->sample(&mali->device, &sums);
    rc = rc ? rc : check_sums(mali, &sums);
    for (uint32_t i = 0; i < mali->counters && rc == 0; i++)
        mali->sum[i] += sums.sum[i];
    return rc;
}

static int
mali_read(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct mali *mali = self;
    int saved = errno;
    if (!has_all(mali, event, events))
        return -EINVAL;
    (void)pthread_mutex_lock(&mali->lock);
    int rc = sample_locked(mali);
    for (uint32_t i = 0; i < mali->counters && rc == 0; i++) {
        uint64_t value = htole64(mali->sum[i]);
        memcpy(ret_snapshot + (size_t)8 * i, &value, sizeof(value));
    }
    (void)pthread_mutex_unlock(&mali->lock);
    errno = saved;
    return rc;
}

/* Explain why a sample failed, or why the driver refuses to begin. */
static void
mali_explain(void *self, int error, char *text)
{
    struct mali *mali = self;
    switch (error) {
    case ERANGE:
        snprintf(text, PP_REASON_BYTES, PP_TEXT_MALI_FULL);
        break;
    case ENODATA:
        snprintf(text, PP_REASON_BYTES, PP_TEXT_MALI_CORES);
        break;
    case ETIMEDOUT:
    case EIO:
    case EAGAIN:
        snprintf(text, PP_REASON_BYTES, PP_FORMAT_MALI_NO_SAMPLE, pp_errno_text(error));
        break;
    default:
        if (*mali->reason)
            snprintf(text, PP_REASON_BYTES, "%s", mali->reason);
        else
            mali->device.driver->explain(error, text);
    }
}

static const struct pp_source_ops mali_ops = {
    .name = "mali",
    .event = mali_event,
    .layout = mali_layout,
    .default_event = mali_default_event,
    .counts = mali_counts,
    .formulas = mali_formulas,
    .read = mali_read,
    .explain = mali_explain,
    .peaks = "mali-g76",
    .clocks = "MaliGPUCyclesGPUActive",
    .variable = mali_variable,
    .reads = PP_READ_IDLE,
    /* A failed sample makes the values of every open bracket wrong, but only the bracket that took the sample
       would know. */
    .exclusive = true,
};

/* Opening. */

static int
use_gpu(struct mali *mali)
{
    const struct pp_mali_gpu *gpu = mali->device.gpu;
    mali->counters = gpu->counters < PP_MALI_MAX_COUNTERS ? gpu->counters : PP_MALI_MAX_COUNTERS;
    mali->metrics = gpu->metrics;
    mali->field = calloc(mali->counters + 1U, sizeof(*mali->field));
    mali->raw = calloc(mali->counters + 1U, sizeof(*mali->raw));
    if (!mali->field || !mali->raw)
        return -ENOMEM;
    for (uint32_t i = 0; i < mali->counters; i++) {
        mali->field[i] = (struct pp_field){.name = gpu->counter[i].symbol,
                                           .part = {{.offset = 8 * i, .bits = 64}},
                                           .mode = PP_FIELD_WRAPS,
                                           .unit = gpu->counter[i].unit_id};
        snprintf(mali->raw[i], sizeof(mali->raw[i]), "Raw%s", gpu->counter[i].symbol);
    }
    mali->layout = (struct pp_layout){"mali-sums", 8 * mali->counters, mali->counters, mali->field};
    return 0;
}

int
pp_mali_source_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret)
{
    struct mali *mali = calloc(1, sizeof(*mali));
    if (!mali)
        return -ENOMEM;
    (void)pthread_mutex_init(&mali->lock, NULL);
    *ret = (struct pp_event_source){&mali_ops, mali};
    snprintf(mali->reason, sizeof(mali->reason), PP_TEXT_MALI_NO_GPU);
    int rc = pp_mali_panfrost_open(paths->sys, paths->dev, &mali->device, mali->reason);
    if (rc == -ENODEV)
        rc = pp_mali_kbase_open(paths->dev, &mali->device, mali->reason);
    if (rc)
        return 0; /* the source's event says why */
    mali->reason[0] = '\0';
    rc = use_gpu(mali);
    if (rc)
        pp_mali_source_close(ret);
    return rc;
}

void
pp_mali_source_close(const struct pp_event_source *source)
{
    struct mali *mali = source->self;
    pp_mali_device_close(&mali->device);
    free(mali->field);
    free(mali->raw);
    (void)pthread_mutex_destroy(&mali->lock);
    free(mali);
}
