/** @file
 * Names for user metrics; see user_metric_names.h. */
#include "core/config/user_metric_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters/util/array_size.h"

static const char *const fixed_name[PP_USER_METRIC_FIXED] = {
    [PP_USER_METRIC_FRAME_TIME] = "frame_time_ns",
    [PP_USER_METRIC_CPU_BUSY] = "cpu_busy_ns",
    [PP_USER_METRIC_CPU_WAIT] = "cpu_wait_ns",
    [PP_USER_METRIC_GPU_LATENCY] = "gpu_latency_ns",
    [PP_USER_METRIC_GPU_TIME] = "gpu_time_ns",
    [PP_USER_METRIC_GPU_BUSY] = "gpu_busy_ns",
    [PP_USER_METRIC_GPU_WAIT] = "gpu_wait_ns",
    [PP_USER_METRIC_PASSES] = "passes",
    [PP_USER_METRIC_DRAWS] = "draws",
    [PP_USER_METRIC_DISPATCHES] = "dispatches",
    [PP_USER_METRIC_COPIES] = "copies",
    [PP_USER_METRIC_PIPELINES] = "pipelines_created",
    [PP_USER_METRIC_PIPELINE_TIME] = "pipeline_create_ns",
    [PP_USER_METRIC_WIDTH] = "width",
    [PP_USER_METRIC_HEIGHT] = "height",
    [PP_USER_METRIC_LAYERS] = "layers",
    [PP_USER_METRIC_SAMPLES] = "samples",
    [PP_USER_METRIC_VERTICES] = "vertices",
    [PP_USER_METRIC_INSTANCES] = "instances",
    [PP_USER_METRIC_GROUPS] = "groups",
};

static void
add_typed(struct pp_user_metrics_names *names, const char *name, enum pp_metric_type type)
{
    if (names->inputs < PP_USER_METRIC_MAX)
        names->input[names->inputs++] = (struct pp_metric_input){name, (uint8_t)type};
}

static void
add(struct pp_user_metrics_names *names, const char *name)
{
    add_typed(names, name, PP_METRIC_U64);
}

static void
add_mali(struct pp_user_metrics_names *names)
{
    static const char *const constant[] = {"MaliConstantsShaderCoreCount", "MaliConstantsL2SliceCount",
                                           "MaliConstantsBusWidthBits"};
    const struct pp_mali_gpu *gpu;
    for (size_t i = 0; i < PP_ARRAY_SIZE(constant); i++)
        add(names, constant[i]);
    for (size_t g = 0; (gpu = pp_mali_gpu_at(g)); g++) {
        for (uint32_t i = 0; i < gpu->counters; i++)
            add(names, gpu->counter[i].symbol);
        for (uint32_t i = 0; i < gpu->metrics; i++)
            add(names, gpu->metric[i].symbol);
    }
}

void
pp_user_metrics_names_make(struct pp_user_metrics_names *names, const struct pp_user_metrics_counter *column,
                           uint32_t columns)
{
    columns = columns < PP_USER_METRIC_MAX_COUNTERS ? columns : PP_USER_METRIC_MAX_COUNTERS;
    names->inputs = 0;
    for (size_t i = 0; i < PP_USER_METRIC_FIXED; i++)
        add(names, fixed_name[i]);
    for (uint32_t i = 0; i < columns; i++)
        add_typed(names, column[i].name, column[i].type);
    names->measured = names->inputs;
    /* A statistic that is measured already is above: the first of a name counts. */
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        snprintf(names->statistic[i], sizeof(names->statistic[i]), "pipeline:%s",
                 pp_pipeline_statistic_name(i));
        add(names, names->statistic[i]);
    }
    add_mali(names);
}

int
pp_user_metrics_check(const char *text, struct pp_metrics_error *error)
{
    struct pp_metrics_file *file = NULL;
    struct pp_user_metrics_names *names = calloc(1, sizeof(*names));
    *error = (struct pp_metrics_error){.text = "no memory"};
    int r = names ? pp_metrics_file_open(text, &file, error) : -ENOMEM;
    if (!r) {
        pp_user_metrics_names_make(names, NULL, 0);
        const struct pp_metric_scope scope = {.input = names->input, .inputs = names->inputs};
        r = pp_metrics_file_check(file, &scope, PP_METRIC_MISSING_SOURCES, error);
    }
    pp_metrics_file_destroy(file);
    free(names);
    return r;
}
