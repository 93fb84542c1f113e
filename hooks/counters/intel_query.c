/** @file
 * See intel_query.h. Sources: the extension's text; Mesa 22.3 to 25.0,
 * performance_query.c. There, a query whose result is not available can be neither begun again nor deleted
 * without a wait. */
#include "hooks/counters/intel_query.h"

#include <string.h>

#include "core/util/log.h"
#include "counters/util/array_size.h"
#include "hooks/counters/perf_quirks.h"
#include "hooks/counters/perf_source.h"
#include "pp_texts.h"

#define NAME_MAX_BYTES 256
#define DESC_MAX_BYTES 1024
#define RESULT_BYTES   65536U

/* Whole numbers that are not counts. The extension gives no units; source: Mesa's OA metrics, by name. */
static const struct {
    const char *name;
    uint8_t unit;
    bool not_additive;
} known[] = {
    {"GPU Time Elapsed", PP_UNIT_NS, false},
    {"GPU Core Clocks", PP_UNIT_CYCLES, false},
    {"AVG GPU Core Frequency", PP_UNIT_HZ, true},
};

/* Find out the type of a value. @return Why the value cannot be taken; NULL: it can. */
static const char *
set_type(struct pp_gl_perf_event *event, GLuint type, GLuint data, GLuint bytes, GLuint64 most)
{
    bool real =
        data == GL_PERFQUERY_COUNTER_DATA_FLOAT_INTEL || data == GL_PERFQUERY_COUNTER_DATA_DOUBLE_INTEL;
    bool wide =
        data == GL_PERFQUERY_COUNTER_DATA_DOUBLE_INTEL || data == GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL;
    event->want.bytes = wide ? 8 : 4;
    event->number = (uint8_t)(!real ? PP_NUMBER_U64 : wide ? PP_NUMBER_F64 : PP_NUMBER_F32);
    /* Mesa declares averages and percentages as events, durations and raw values. Every value that is not a
     * whole number is taken as an average. */
    event->not_additive = real || data == GL_PERFQUERY_COUNTER_DATA_BOOL32_INTEL ||
                          type == GL_PERFQUERY_COUNTER_DURATION_NORM_INTEL ||
                          type == GL_PERFQUERY_COUNTER_TIMESTAMP_INTEL;
    if (type == GL_PERFQUERY_COUNTER_TIMESTAMP_INTEL)
        event->mode = PP_FIELD_GAUGE;
    if (real && most == 100)
        event->unit = PP_UNIT_PERCENT;
    for (size_t i = 0; i < PP_ARRAY_SIZE(known) && !real; i++) {
        if (strcmp(known[i].name, event->name) != 0)
            continue;
        event->unit = known[i].unit;
        event->not_additive |= known[i].not_additive;
    }
    if (data < GL_PERFQUERY_COUNTER_DATA_UINT32_INTEL || data > GL_PERFQUERY_COUNTER_DATA_BOOL32_INTEL)
        return PP_TEXT_INTEL_TYPE;
    return bytes == event->want.bytes ? NULL : PP_TEXT_INTEL_SIZE;
}

static void
ask_counter(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf, const struct pp_gl_perf_group *group,
            GLuint counter)
{
    char name[NAME_MAX_BYTES] = "";
    char description[DESC_MAX_BYTES + sizeof(PP_TEXT_INTEL_ABOUT_WHOLE)] = "";
    GLuint offset = 0, bytes = 0, type = 0, data = 0;
    GLuint64 most = 0;
    uint32_t of = group->bytes;
    api->get_query_counter_info(group->id, counter, sizeof(name) - 1, name, DESC_MAX_BYTES - 1, description,
                                &offset, &bytes, &type, &data, &most);
    name[sizeof(name) - 1] = '\0';
    description[DESC_MAX_BYTES - 1] = '\0';
    if (group->whole)
        memcpy(description + strlen(description), PP_TEXT_INTEL_ABOUT_WHOLE,
               sizeof(PP_TEXT_INTEL_ABOUT_WHOLE));
    struct pp_gl_perf_event *event = pp_gl_perf_add_event(perf, name, description);
    if (!event)
        return;
    event->want.offset = offset;
    event->reason = set_type(event, type, data, bytes, most);
    if (!event->reason && group->whole && !perf->serialized)
        event->reason = PP_TEXT_INTEL_SERIALIZE;
    if (offset > of || of - offset < event->want.bytes)
        event->reason = PP_TEXT_INTEL_OUTSIDE;
}

static void
ask_query(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf, GLuint id)
{
    char name[NAME_MAX_BYTES] = "";
    GLuint bytes = 0, counters = 0, instances = 0, caps = 0;
    api->get_query_info(id, sizeof(name) - 1, name, &bytes, &counters, &instances, &caps);
    name[sizeof(name) - 1] = '\0';
    if (bytes == 0 || bytes > RESULT_BYTES || counters == 0 || counters > PP_GL_PERF_EVENTS)
        return;
    struct pp_gl_perf_group *group = pp_gl_perf_add_group(perf, name);
    if (!group)
        return;
    group->id = id;
    group->bytes = bytes;
    group->max = PP_GL_PERF_WANTS;
    group->whole = (caps & GL_PERFQUERY_GLOBAL_CONTEXT_INTEL) != 0;
    struct pp_gl_perf_group asked = *group;
    for (GLuint i = 1; i <= counters; i++)
        ask_counter(api, perf, &asked, i);
}

void
pp_gl_perf_ask_intel(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf)
{
    GLuint id = 0;
    if (!api->has_queries) {
        perf->reason = PP_TEXT_INTEL_NO_EXTENSION;
        return;
    }
    perf->reason = pp_gl_perf_fault(api);
    perf->faulty = perf->reason != NULL;
    if (perf->faulty)
        return;
    perf->driver = api->queries;
    perf->one_group = true;
    api->get_first_query(&id);
    for (uint32_t i = 0; id && i < PP_GL_PERF_GROUPS; i++) {
        GLuint next = 0;
        bool again = false;
        for (uint32_t k = 0; k < perf->groups && !again; k++)
            again = perf->group[k].id == id;
        if (again)
            break;
        ask_query(api, perf, id);
        api->get_next_query(id, &next);
        id = next;
        perf->cut |= id && i + 1 == PP_GL_PERF_GROUPS;
    }
    pp_gl_perf_name_events(perf);
    if (perf->events == 0)
        perf->reason = PP_TEXT_INTEL_NONE;
}
