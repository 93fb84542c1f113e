/** @file
 * See counters.h and frontend.h. */
#include "tests/fake/counters.h"

#include <errno.h>
#include <string.h>

#include "counters/metric/metric_eval.h"
#include "tests/fake/frontend.h"

enum { VERTS, CALLS, WEIGHT, RATIO, GONE, KHR_EVENTS };

static const struct pp_event khr_event[KHR_EVENTS] = {
    {.name = "verts", .description = "Vertices.", .unit = PP_UNIT_COUNT},
    {.name = "calls", .description = "Draws.", .unit = PP_UNIT_COUNT},
    {.name = "weight", .description = "Half the vertices.", .unit = PP_UNIT_BYTES, .number = PP_NUMBER_F32},
    {.name = "ratio",
     .description = "Draws a vertex.",
     .unit = PP_UNIT_PERCENT,
     .number = PP_NUMBER_F64,
     .not_additive = true},
    {.name = "gone", .description = "Nothing.", .reason = "it is gone"},
};

static int
khr_event_at(void *self, uint32_t i, struct pp_event *ret_event)
{
    (void)self;
    if (i >= KHR_EVENTS)
        return -ENOENT;
    *ret_event = khr_event[i];
    return 0;
}

static int
khr_fits(void *self, const uint32_t *event, size_t events)
{
    (void)self;
    (void)event;
    return events <= 2;
}

static const struct pp_layout *
khr_layout(void *self, const uint32_t *event, size_t events)
{
    /* One static layout for each choice of two, in any order. */
    static struct pp_field field[KHR_EVENTS + 1][KHR_EVENTS + 1][2];
    static struct pp_layout layout[KHR_EVENTS + 1][KHR_EVENTS + 1];
    (void)self;
    if (events == 0 || events > 2)
        return NULL;
    uint32_t second = events > 1 ? event[1] : KHR_EVENTS;
    for (uint32_t i = 0; i < events; i++) {
        const struct pp_event *e = &khr_event[event[i]];
        field[event[0]][second][i] = (struct pp_field){
            .name = e->name,
            .part = {{.offset = 8 * i, .bits = e->number == PP_NUMBER_F32 ? 32 : 64}},
            .mode = PP_FIELD_DELTA,
            .unit = (uint8_t)e->unit,
            .number = (uint8_t)e->number,
            .not_additive = e->not_additive,
        };
    }
    layout[event[0]][second] = (struct pp_layout){.name = "khr",
                                                  .size = 8 * (uint32_t)events,
                                                  .fields = (uint32_t)events,
                                                  .field = field[event[0]][second]};
    return &layout[event[0]][second];
}

static const struct pp_source_ops khr = {
    .name = "khr", .event = khr_event_at, .fits = khr_fits, .layout = khr_layout, .exclusive = true};

void
fake_counters_result(const uint32_t *event, size_t events, uint8_t *row, uint64_t vertices, uint64_t draws)
{
    for (size_t i = 0; i < events; i++) {
        float weight = (float)vertices / 2;
        double ratio = vertices ? 100.0 * (double)draws / (double)vertices : 0;
        const void *bytes[] = {[VERTS] = &vertices, [CALLS] = &draws, [WEIGHT] = &weight, [RATIO] = &ratio};
        memcpy(row + 8 * i, bytes[event[i]], event[i] == WEIGHT ? 4 : 8);
    }
}

enum { SUM, SHARE, BUSY, CLOCKS, READ, READ_MAX, IDLE, OA_EVENTS };

static const struct pp_event oa_event[OA_EVENTS] = {
    {.name = "Sum", .description = "Vertices and draws.", .group = "Basic"},
    {.name = "Share",
     .description = "Of draws.",
     .group = "Basic",
     .unit = PP_UNIT_PERCENT,
     .number = PP_NUMBER_F64},
    {.name = "EuActive",
     .description = "Draws a vertex.",
     .group = "Bound",
     .unit = PP_UNIT_PERCENT,
     .number = PP_NUMBER_F64},
    {.name = "GpuCoreClocks", .description = "Vertices.", .group = "Bound", .unit = PP_UNIT_CYCLES},
    {.name = "GtiReadThroughput", .description = "Sixty a draw.", .group = "Bound", .unit = PP_UNIT_BYTES},
    {.name = "GtiReadThroughput.max",
     .description = "Two a vertex.",
     .group = "Bound",
     .unit = PP_UNIT_BYTES},
    {.name = "SamplersBusy",
     .description = "Never.",
     .group = "Idle",
     .unit = PP_UNIT_PERCENT,
     .number = PP_NUMBER_F64},
};
static const struct pp_field oa_field[] = {
    {.name = "A0", .part = {{.bits = 32}}, .mode = PP_FIELD_WRAPS},
    {.name = "A1", .part = {{.offset = 4, .bits = 32}}, .mode = PP_FIELD_WRAPS},
};
static const struct pp_layout oa_layout = {.name = "oa", .size = 8, .fields = 2, .field = oa_field};

static int
oa_event_at(void *self, uint32_t i, struct pp_event *ret_event)
{
    (void)self;
    if (i >= OA_EVENTS)
        return -ENOENT;
    *ret_event = oa_event[i];
    return 0;
}

static const struct pp_layout *
oa_layout_of(void *self, const uint32_t *event, size_t events)
{
    (void)self;
    (void)event;
    return events ? &oa_layout : NULL;
}

static int
oa_preset(void *self, uint32_t i, uint32_t *ret_event)
{
    (void)self;
    *ret_event = SUM;
    return i == 0 ? 0 : -ENOENT;
}

static int
oa_formulas(void *self, const uint32_t *event, size_t events, struct pp_metric_program **ret_program)
{
    static const struct pp_metric_input input[] = {{"A0", PP_METRIC_U64}, {"A1", PP_METRIC_U64}};
    static const char *const formula[OA_EVENTS] = {
        [SUM] = "$A0 + $A1",        [SHARE] = "100 * $A1 / ($A0 + $A1)",
        [BUSY] = "100 * $A1 / $A0", [CLOCKS] = "$A0",
        [READ] = "60 * $A1",        [READ_MAX] = "2 * $A0",
        [IDLE] = "0 * $A0"};
    const struct pp_metric_scope scope = {.input = input, .inputs = 2};
    struct pp_metric_def def[OA_EVENTS];
    (void)self;
    for (size_t i = 0; i < events; i++)
        def[i] = (struct pp_metric_def){.name = oa_event[event[i]].name,
                                        .formula = formula[event[i]],
                                        .lang = PP_METRIC_INFIX,
                                        .type = oa_event[event[i]].number == PP_NUMBER_F64 ? PP_METRIC_F64
                                                                                           : PP_METRIC_U64};
    return pp_metric_compile(&scope, def, events, 0, ret_program, NULL);
}

static const struct pp_source_ops oa = {.name = "oa",
                                        .event = oa_event_at,
                                        .layout = oa_layout_of,
                                        .default_event = oa_preset,
                                        .formulas = oa_formulas,
                                        .peaks = "intel-oa",
                                        .clocks = "GpuCoreClocks"};

void
fake_counters_raw(uint8_t *row, uint64_t vertices, uint64_t draws)
{
    uint32_t word[2] = {FAKE_A0_START + (uint32_t)vertices, (uint32_t)draws};
    memcpy(row, word, sizeof(word));
}

/* The stream. */
static const struct pp_event stream_event[] = {
    {.name = "Ns", .description = "Nanoseconds."},
    {.name = "Twice", .description = "Half of them."},
};
static uint32_t selected = UINT32_MAX;

static int
stream_event_at(void *self, uint32_t i, struct pp_event *ret_event)
{
    (void)self;
    if (i >= 2)
        return -ENOENT;
    *ret_event = stream_event[i];
    return 0;
}

static int
stream_fits(void *self, const uint32_t *event, size_t events)
{
    (void)self;
    (void)event;
    return events == 1;
}

static const struct pp_layout *
stream_layout(void *self, const uint32_t *event, size_t events)
{
    static const struct pp_field field[] = {
        {.name = "Ns", .part = {{.bits = 64}}, .mode = PP_FIELD_DELTA},
        {.name = "Twice", .part = {{.bits = 64}}, .mode = PP_FIELD_DELTA}};
    static const struct pp_layout layout[] = {{.name = "ns", .size = 8, .fields = 1, .field = &field[0]},
                                              {.name = "twice", .size = 8, .fields = 1, .field = &field[1]}};
    (void)self;
    return events == 1 ? &layout[event[0]] : NULL;
}

static int
stream_between(void *self, const uint32_t *event, size_t events, uint64_t begin_ticks, uint64_t end_ticks,
               double tick_ns, bool serialized, uint8_t *ret_snapshot, uint8_t *ret_status)
{
    static unsigned vain;
    uint64_t length = (uint64_t)((double)(end_ticks - begin_ticks) * tick_ns) * (1 + event[0]);
    (void)self;
    (void)serialized;
    if (events != 1 || selected == UINT32_MAX)
        return -EINVAL;
    if (vain++ < 3)
        return -EAGAIN;
    memcpy(ret_snapshot, &length, sizeof(length));
    *ret_status = PP_OK;
    return 0;
}

static int
stream_select(void *self, const uint32_t *event, size_t events)
{
    (void)self;
    selected = events ? event[0] : UINT32_MAX;
    return 0;
}

static const struct pp_source_ops stream = {.name = "intel",
                                            .event = stream_event_at,
                                            .fits = stream_fits,
                                            .layout = stream_layout,
                                            .between = stream_between,
                                            .select = stream_select,
                                            .reads = PP_READ_STREAM};

const struct pp_event_source fake_counters[3] = {{&khr, NULL}, {&oa, NULL}, {&stream, NULL}};
