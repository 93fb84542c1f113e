/** @file
 * See source.h. Sources: GL_ARB_timer_query, GL_ARB_pipeline_statistics_query. */
#include "hooks/measure/source.h"

#include <errno.h>
#include <stdlib.h>

/* Layout for one selection of statistics, in the order of the events. */
struct pp_gl_statistics_layout {
    struct pp_gl_statistics_layout *next;
    uint32_t mask;
    struct pp_layout layout;
    struct pp_field field[PP_PIPELINE_STATISTICS];
};

static int
time_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_gl_sources *sources = self;
    if (i != 0)
        return -ENOENT;
    *ret_event = (struct pp_event){
        .name = "timestamp",
        .description = "The GPU's clock when the commands in front have ended.",
        .reason = sources->no_time,
        .unit = PP_UNIT_NS,
    };
    return 0;
}

static const struct pp_layout *
time_layout_of(void *self, const uint32_t *event, size_t events)
{
    struct pp_gl_sources *sources = self;
    if (sources->no_time || events != 1 || event[0] != 0)
        return NULL;
    sources->time_field = (struct pp_field){
        .name = "timestamp",
        .part = {{.offset = 0, .bits = sources->time_bits}},
        .mode = PP_FIELD_GAUGE,
        .unit = PP_UNIT_NS,
    };
    sources->time_layout =
        (struct pp_layout){.name = "time", .size = 8, .fields = 1, .field = &sources->time_field};
    return &sources->time_layout;
}

const struct pp_source_ops pp_gl_source_time = {
    .name = "time",
    .event = time_event,
    .layout = time_layout_of,
};

static const char *const description[PP_PIPELINE_STATISTICS] = {
    "Vertices submitted.",
    "Primitives submitted.",
    "Vertex shader invocations.",
    "Geometry shader invocations.",
    "Primitives that geometry shaders emitted.",
    "Primitives that reached clipping.",
    "Primitives that clipping passed on.",
    "Fragment shader invocations.",
    "Patches that tessellation control shaders processed.",
    "Tessellation evaluation shader invocations.",
    "Compute shader invocations.",
};

static int
statistics_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_gl_sources *sources = self;
    if (i >= PP_PIPELINE_STATISTICS)
        return -ENOENT;
    *ret_event = (struct pp_event){
        .name = pp_pipeline_statistic_name(i),
        .description = description[i],
        .reason = sources->no_statistic[i],
        .unit = PP_UNIT_COUNT,
    };
    return 0;
}

static struct pp_gl_statistics_layout *
make_layout(uint32_t mask)
{
    struct pp_gl_statistics_layout *made = calloc(1, sizeof(*made));
    uint32_t n = 0;
    if (!made)
        return NULL;
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        if (!(mask & (1U << i)))
            continue;
        made->field[n] = (struct pp_field){
            .name = pp_pipeline_statistic_name(i),
            .part = {{.offset = 8 * n, .bits = 64}},
            .mode = PP_FIELD_DELTA,
            .unit = PP_UNIT_COUNT,
        };
        n++;
    }
    made->mask = mask;
    made->layout = (struct pp_layout){.name = "pipeline", .size = 8 * n, .fields = n, .field = made->field};
    return made;
}

static const struct pp_layout *
statistics_layout_of(void *self, const uint32_t *event, size_t events)
{
    struct pp_gl_sources *sources = self;
    uint32_t mask = 0;
    for (size_t i = 0; i < events; i++) {
        if (event[i] >= PP_PIPELINE_STATISTICS || sources->no_statistic[event[i]])
            return NULL;
        mask |= 1U << event[i];
    }
    struct pp_gl_statistics_layout *known = sources->layouts;
    while (known && known->mask != mask)
        known = known->next;
    if (!known && mask && (known = make_layout(mask))) {
        known->next = sources->layouts;
        sources->layouts = known;
    }
    return known ? &known->layout : NULL;
}

const struct pp_source_ops pp_gl_source_statistics = {
    .name = "pipeline",
    .event = statistics_event,
    .layout = statistics_layout_of,
};

void
pp_gl_sources_finish(struct pp_gl_sources *sources)
{
    while (sources->layouts) {
        struct pp_gl_statistics_layout *next = sources->layouts->next;
        free(sources->layouts);
        sources->layouts = next;
    }
}
