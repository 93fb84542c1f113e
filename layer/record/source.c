/** @file
 * See source.h. */
#include "layer/record/source.h"

#include <errno.h>
#include <stdlib.h>

/** Layout of one choice of statistics; list of a device's. */
struct pp_vk_statistics_layout {
    struct pp_vk_statistics_layout *next;
    VkQueryPipelineStatisticFlags mask;
    struct pp_layout layout;
    struct pp_field field[PP_PIPELINE_STATISTICS];
};

static const struct pp_field time_field[] = {
    {.name = "timestamp", .part = {{.offset = 0, .bits = 64}}, .mode = PP_FIELD_GAUGE, .unit = PP_UNIT_TICKS},
};

static const struct pp_layout time_layout = {.name = "time", .size = 8, .fields = 1, .field = time_field};

static int
time_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_vk_sources *sources = self;
    if (i != 0)
        return -ENOENT;
    *ret_event = (struct pp_event){
        .name = "timestamp",
        .description =
            "The GPU's clock when the commands in front have begun, and when those behind have ended.",
        .reason = sources->no_time,
        .unit = PP_UNIT_TICKS,
    };
    return 0;
}

static const struct pp_layout *
time_layout_of(void *self, const uint32_t *event, size_t events)
{
    const struct pp_vk_sources *sources = self;
    return !sources->no_time && events == 1 && event[0] == 0 ? &time_layout : NULL;
}

const struct pp_source_ops pp_vk_source_time = {
    .name = "time",
    .event = time_event,
    .layout = time_layout_of,
};

/** What each bit counts. Source: Vulkan 1.3, VkQueryPipelineStatisticFlagBits. */
static const char *const description[PP_PIPELINE_STATISTICS] = {
    "Vertices that the input assembler fetched.",
    "Primitives that the input assembler made.",
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
    const struct pp_vk_sources *sources = self;
    if (i >= PP_PIPELINE_STATISTICS)
        return -ENOENT;
    *ret_event = (struct pp_event){
        .name = pp_pipeline_statistic_name(i),
        .description = description[i],
        .reason = sources->no_statistics,
        .unit = PP_UNIT_COUNT,
    };
    return 0;
}

static struct pp_vk_statistics_layout *
make_layout(VkQueryPipelineStatisticFlags mask)
{
    struct pp_vk_statistics_layout *made = calloc(1, sizeof(*made));
    uint32_t n = 0;
    if (!made)
        return NULL;
    for (uint32_t bit = 0; bit < PP_PIPELINE_STATISTICS; bit++)
        if (mask & (1U << bit)) {
            made->field[n] = (struct pp_field){
                .name = pp_pipeline_statistic_name(bit),
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

const struct pp_layout *
pp_vk_statistics_layout(struct pp_vk_sources *sources, VkQueryPipelineStatisticFlags mask)
{
    struct pp_vk_statistics_layout *known = sources->layouts;
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
    struct pp_vk_sources *sources = self;
    VkQueryPipelineStatisticFlags mask = 0;
    for (size_t i = 0; i < events; i++) {
        if (event[i] >= PP_PIPELINE_STATISTICS)
            return NULL;
        mask |= 1U << event[i];
    }
    return !sources->no_statistics ? pp_vk_statistics_layout(sources, mask) : NULL;
}

const struct pp_source_ops pp_vk_source_statistics = {
    .name = "pipeline",
    .event = statistics_event,
    .layout = statistics_layout_of,
};

void
pp_vk_sources_finish(struct pp_vk_sources *sources)
{
    while (sources->layouts) {
        struct pp_vk_statistics_layout *next = sources->layouts->next;
        free(sources->layouts);
        sources->layouts = next;
    }
}
