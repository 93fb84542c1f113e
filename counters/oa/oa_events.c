/** @file
 * Intel's metric sets as events; see oa_events.h. */
#include "counters/oa/oa_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_gpu.h"

static void
add_event(struct pp_oa_events *events, uint32_t set, uint32_t metric, bool maximum,
          const struct pp_catalogue_metric *about)
{
    uint32_t e = events->events++;
    bool available = pp_oa_is_available(events->variable, events->variables, about->availability);
    events->event[e] = (struct pp_oa_event){set, metric, maximum, available};
    if (maximum)
        snprintf(events->maximum_name[e], sizeof(events->maximum_name[0]), "%.59s.max", about->symbol);
}

static void
add_set(struct pp_oa_events *events, uint32_t set)
{
    struct pp_catalogue_set about;
    struct pp_catalogue_metric metric;
    pp_catalogue_intel.set(set, &about);
    for (uint32_t m = 0; m < about.metrics; m++) {
        pp_catalogue_intel.metric(set, m, &metric);
        add_event(events, set, m, false, &metric);
        if (strchr(metric.max_formula, '$')) /* a constant needs no column */
            add_event(events, set, m, true, &metric);
    }
}

int
pp_oa_events_init(struct pp_oa_events *events, const struct pp_oa_gpu *gpu,
                  const struct pp_metric_variable *variable, size_t variables, const char *missing_reason)
{
    struct pp_catalogue_set about;
    size_t capacity = 0;
    *events = (struct pp_oa_events){
        .gpu = *gpu, .variable = variable, .variables = variables, .missing_reason = missing_reason};
    for (uint32_t s = 0; s < gpu->sets; s++) {
        pp_catalogue_intel.set(gpu->first_set + s, &about);
        capacity += (size_t)2 * about.metrics;
    }
    if (capacity == 0)
        return -ENOENT;
    events->event = calloc(capacity, sizeof(*events->event));
    events->maximum_name = calloc(capacity, sizeof(*events->maximum_name));
    if (!events->event || !events->maximum_name)
        return -ENOMEM;
    for (uint32_t s = 0; s < gpu->sets; s++)
        add_set(events, gpu->first_set + s);
    return 0;
}

void
pp_oa_events_finish(struct pp_oa_events *events)
{
    free(events->event);
    free(events->maximum_name);
    *events = (struct pp_oa_events){.events = 0};
}

int
pp_oa_events_describe(const struct pp_oa_events *events, uint32_t i, struct pp_event *ret_event)
{
    struct pp_catalogue_set about;
    struct pp_catalogue_metric metric;
    if (i >= events->events)
        return -ENOENT;
    const struct pp_oa_event *event = &events->event[i];
    pp_catalogue_intel.set(event->set, &about);
    pp_catalogue_intel.metric(event->set, event->metric, &metric);
    *ret_event = (struct pp_event){
        .name = event->maximum ? events->maximum_name[i] : metric.symbol,
        .description = event->maximum        ? "The most that this metric could have been in the same time."
                       : *metric.description ? metric.description
                                             : metric.name,
        .reason = event->available ? NULL : events->missing_reason,
        .unit = metric.unit_id,
        .group = about.symbol,
        .number = metric.type == PP_METRIC_F64 ? PP_NUMBER_F64 : PP_NUMBER_U64,
    };
    return 0;
}

bool
pp_oa_events_fit(const struct pp_oa_events *events, const uint32_t *event, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (event[i] >= events->events || !events->event[event[i]].available ||
            events->event[event[i]].set != events->event[event[0]].set)
            return false;
    return count > 0;
}

int
pp_oa_events_default(const struct pp_oa_events *events, uint32_t i, uint32_t *ret_event)
{
    struct pp_catalogue_set about;
    for (uint32_t e = 0; e < events->events; e++) {
        pp_catalogue_intel.set(events->event[e].set, &about);
        if (!events->event[e].available || strcmp(about.symbol, PP_OA_DEFAULT_SET) != 0 || i-- > 0)
            continue;
        *ret_event = e;
        return 0;
    }
    return -ENOENT;
}

int
pp_oa_events_variable(const struct pp_oa_events *events, uint32_t i, const char **ret_name, double *ret_value)
{
    if (i >= events->variables)
        return -ENOENT;
    *ret_name = events->variable[i].name;
    *ret_value = (double)events->variable[i].value.u;
    return 0;
}

/* Definitions of the events in their order, then of the set's other metrics, hidden. @return How many. */
static size_t
define(const struct pp_oa_events *events, const uint32_t *event, size_t count, uint32_t metrics,
       struct pp_metric_def *def, bool *named)
{
    uint32_t set = events->event[event[0]].set;
    size_t defs = 0;
    for (uint32_t i = 0; i < count + metrics; i++) {
        const struct pp_oa_event *chosen = i < count ? &events->event[event[i]] : NULL;
        uint32_t m = chosen ? chosen->metric : i - (uint32_t)count;
        bool maximum = chosen && chosen->maximum;
        struct pp_catalogue_metric metric;
        if (!chosen && named[m])
            continue;
        named[m] |= !maximum;
        pp_catalogue_intel.metric(set, m, &metric);
        def[defs++] = (struct pp_metric_def){
            .name = maximum ? NULL : metric.symbol,
            .formula = maximum ? metric.max_formula : metric.formula,
            .availability = *metric.availability ? metric.availability : NULL,
            .self = maximum ? metric.symbol : NULL,
            .lang = PP_METRIC_RPN,
            .type = (uint8_t)metric.type,
            .hidden = !chosen,
        };
    }
    return defs;
}

int
pp_oa_events_compile(const struct pp_oa_events *events, const uint32_t *event, size_t count,
                     const struct pp_field *field, uint32_t fields, struct pp_metric_program **ret_program)
{
    struct pp_catalogue_set about;
    pp_catalogue_intel.set(events->event[event[0]].set, &about);
    struct pp_metric_input *input = calloc((size_t)fields + 1, sizeof(*input));
    struct pp_metric_def *def = calloc(about.metrics + count + 1, sizeof(*def));
    bool *named = calloc((size_t)about.metrics + 1, sizeof(*named));
    int rc = -ENOMEM;
    if (!input || !def || !named)
        goto out;
    for (uint32_t i = 0; i < fields; i++)
        input[i] = (struct pp_metric_input){
            .name = strcmp(field[i].name, "TotalTime") == 0 ? "GPU_TIME" : field[i].name,
            .type = PP_METRIC_U64,
        };
    const struct pp_metric_scope scope = {
        .input = input, .inputs = fields, .variable = events->variable, .variables = events->variables};
    size_t defs = define(events, event, count, about.metrics, def, named);
    rc = pp_metric_compile(&scope, def, defs, PP_METRIC_MISSING_OK, ret_program, NULL);
out:
    free(input);
    free(def);
    free(named);
    return rc;
}

int
pp_oa_events_read_fields(const struct pp_oa_events *events, const uint32_t *event, size_t count,
                         const struct pp_layout *layout, bool *is_read)
{
    struct pp_metric_program *program = NULL;
    int rc = pp_oa_events_compile(events, event, count, layout->field, layout->fields, &program);
    if (rc)
        return rc;
    for (uint32_t f = 0; f < layout->fields; f++) {
        is_read[f] = false;
        for (size_t o = 0; o < count && !is_read[f]; o++)
            is_read[f] = pp_metric_output_reads(program, o, f);
    }
    pp_metric_destroy(program);
    return 0;
}
