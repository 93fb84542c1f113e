/** @file
 * See builtin.h. Sources: Vulkan 1.3, "Timestamp Queries" and VkQueryPipelineStatisticFlagBits;
 * GL_ARB_timer_query, GL_ARB_pipeline_statistics_query. */
#include "counters/sources/builtin.h"

#include <errno.h>
#include <stdlib.h>

/* Layout for one selection of statistics, in the order of the bits. */
struct pp_statistics_layout {
    struct pp_statistics_layout *next;
    uint32_t mask;
    struct pp_layout layout;
    struct pp_field field[PP_PIPELINE_STATISTICS];
};

static const struct {
    const char *name;
    const char *description;
} statistic[PP_PIPELINE_STATISTICS] = {
    {"input_assembly_vertices", "Vertices submitted."},
    {"input_assembly_primitives", "Primitives submitted."},
    {"vertex_shader_invocations", "Vertex shader invocations."},
    {"geometry_shader_invocations", "Geometry shader invocations."},
    {"geometry_shader_primitives", "Primitives that geometry shaders emitted."},
    {"clipping_invocations", "Primitives that reached clipping."},
    {"clipping_primitives", "Primitives that clipping passed on."},
    {"fragment_shader_invocations", "Fragment shader invocations."},
    {"tessellation_control_shader_patches", "Patches that tessellation control shaders processed."},
    {"tessellation_evaluation_shader_invocations", "Tessellation evaluation shader invocations."},
    {"compute_shader_invocations", "Compute shader invocations."},
};

const char *
pp_pipeline_statistic_name(uint32_t i)
{
    return i < PP_PIPELINE_STATISTICS ? statistic[i].name : "";
}

static int
time_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_builtin_sources *sources = self;
    if (i != 0)
        return -ENOENT;
    *ret_event = (struct pp_event){
        .name = "timestamp",
        .description = "The GPU's clock at a bracket's begin and end.",
        .reason = sources->no_time,
        .unit = sources->time_unit,
    };
    return 0;
}

static const struct pp_layout *
time_layout_of(void *self, const uint32_t *event, size_t events)
{
    struct pp_builtin_sources *sources = self;
    if (sources->no_time || events != 1 || event[0] != 0)
        return NULL;
    sources->time_field = (struct pp_field){
        .name = "timestamp",
        .part = {{.offset = 0, .bits = sources->time_bits ? sources->time_bits : 64}},
        .mode = PP_FIELD_GAUGE,
        .unit = (uint8_t)sources->time_unit,
    };
    sources->time_layout = (struct pp_layout){
        .name = pp_source_time.name, .size = 8, .fields = 1, .field = &sources->time_field};
    return &sources->time_layout;
}

const struct pp_source_ops pp_source_time = {
    .name = "time",
    .event = time_event,
    .layout = time_layout_of,
};

static int
statistics_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_builtin_sources *sources = self;
    if (i >= PP_PIPELINE_STATISTICS)
        return -ENOENT;
    *ret_event = (struct pp_event){
        .name = statistic[i].name,
        .description = statistic[i].description,
        .reason = sources->no_statistic[i],
        .unit = PP_UNIT_COUNT,
    };
    return 0;
}

static struct pp_statistics_layout *
make_layout(uint32_t mask)
{
    struct pp_statistics_layout *made = calloc(1, sizeof(*made));
    uint32_t n = 0;
    if (!made)
        return NULL;
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        if (!(mask & (1U << i)))
            continue;
        made->field[n] = (struct pp_field){
            .name = statistic[i].name,
            .part = {{.offset = 8 * n, .bits = 64}},
            .mode = PP_FIELD_DELTA,
            .unit = PP_UNIT_COUNT,
        };
        n++;
    }
    made->mask = mask;
    made->layout =
        (struct pp_layout){.name = pp_source_pipeline.name, .size = 8 * n, .fields = n, .field = made->field};
    return made;
}

const struct pp_layout *
pp_builtin_statistics_layout(struct pp_builtin_sources *sources, uint32_t mask)
{
    struct pp_statistics_layout *known = sources->layouts;
    if (mask == 0)
        return NULL;
    while (known && known->mask != mask)
        known = known->next;
    if (!known) {
        known = make_layout(mask);
        if (!known)
            return NULL;
        known->next = sources->layouts;
        sources->layouts = known;
    }
    return &known->layout;
}

static const struct pp_layout *
statistics_layout_of(void *self, const uint32_t *event, size_t events)
{
    struct pp_builtin_sources *sources = self;
    uint32_t mask = 0;
    for (size_t i = 0; i < events; i++) {
        if (event[i] >= PP_PIPELINE_STATISTICS || sources->no_statistic[event[i]])
            return NULL;
        mask |= 1U << event[i];
    }
    return pp_builtin_statistics_layout(sources, mask);
}

const struct pp_source_ops pp_source_pipeline = {
    .name = "pipeline",
    .event = statistics_event,
    .layout = statistics_layout_of,
};

void
pp_builtin_no_statistics(struct pp_builtin_sources *sources, const char *reason)
{
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++)
        sources->no_statistic[i] = reason;
}

void
pp_builtin_finish(struct pp_builtin_sources *sources)
{
    while (sources->layouts) {
        struct pp_statistics_layout *next = sources->layouts->next;
        free(sources->layouts);
        sources->layouts = next;
    }
}
