/** @file
 * See perf_ask.h. Faults of OpenGL drivers; Mesa's are in counters/oa/oa_gpu.c, which serves Vulkan, too.
 *
 * Sources: the extension's text; Mesa 22.3 to 25.0,
 * performance_monitor.c. Mesa cuts names without a terminating zero. Its RESULT writes past the end of a
 * short buffer, so the buffer is as large as RESULT_SIZE says.
 *
 * Sources: the extension's text; Mesa 22.3 to 25.0,
 * performance_query.c. There, a query whose result is not available can be neither begun again nor deleted
 * without a wait. */
#include "hooks/counters/perf_ask.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "counters/oa/oa_gpu.h"
#include "counters/util/array_size.h"
#include "hooks/counters/perf_source.h"
#include "pp_texts.h"

bool
pp_gl_perf_is_intel(const struct pp_gl_perf_api *api)
{
    const char *renderer = (const char *)api->get_string(GL_RENDERER);
    return renderer && strstr(renderer, "Intel");
}

const char *
pp_gl_perf_fault(const struct pp_gl_perf_api *api, enum pp_oa_mesa_way way)
{
    const char *version = (const char *)api->get_string(GL_VERSION);
    const char *renderer = (const char *)api->get_string(GL_RENDERER);
    uint32_t mesa = version ? pp_oa_mesa_version(version) : 0;
    /* Only Mesa's own drivers of Intel's GPUs have the fault, not drivers on top of Vulkan. */
    if (mesa == 0 || !renderer || strncmp(renderer, "Mesa Intel", strlen("Mesa Intel")) != 0)
        return NULL;
    return pp_oa_mesa_fault(way, mesa, pp_oa_mesa_gen(renderer));
}

static void
find_faults(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf)
{
    perf->reason = pp_gl_perf_fault(api, PP_OA_MESA_METRICS);
    perf->faulty = perf->reason != NULL;
    perf->on_request = pp_gl_perf_fault(api, PP_OA_MESA_OPEN);
}

#define NAME_MAX_BYTES 256

/* Faults of drivers. Remove a row when the driver is seen to be right. */
static const struct quirk {
    const char *vendor, *renderer; /**< begin of GL_VENDOR and of GL_RENDERER; NULL: any */
    const char *group;             /**< NULL: any */
    bool one_group;                /**< a monitor with counters of two groups is undefined */
    uint32_t max;                  /**< most counters of the group at a time; 0: as the driver says */
    const char *reason;            /**< why values of the group are not used */
    const char *staged;            /**< groups whose names begin so count one shader stage each */
} quirks[] = {
    /* iris, crocus (Mesa 25.0): a group is a configuration of the one OA unit. Only an assert forbids mixing
     * groups. */
    {"Intel", NULL, NULL, true, 0, NULL, NULL},
    {NULL, "Mesa Intel", NULL, true, 0, NULL, NULL},
    /* nvc0 (Mesa 25.0) promises 8 counters; 4 of each of two domains begin. */
    {"nouveau", NULL, "MP counters", false, 4, NULL, NULL},
    {"Mesa", "NV", "MP counters", false, 4, NULL, NULL},
    /* nvc0 writes a whole number where the result should be a float. */
    {"nouveau", NULL, "Performance metrics", false, 0, PP_TEXT_AMD_NOUVEAU, NULL},
    {"Mesa", "NV", "Performance metrics", false, 0, PP_TEXT_AMD_NOUVEAU, NULL},
    /* radeonsi (Mesa 22.3.6, get_group_state()): a monitor masks the shader stages that the block SQ counts.
     * For groups of two stages the driver refuses, and prints a line. */
    {"AMD", NULL, NULL, false, 0, NULL, "SQ"},
    {"X.Org", NULL, NULL, false, 0, NULL, "SQ"},
};

static bool
begins_with(const struct pp_gl_perf_api *api, GLenum what, const char *begin)
{
    const char *text = (const char *)api->get_string(what);
    return !begin || (text && strncmp(text, begin, strlen(begin)) == 0);
}

/* The stage in a group's name: SQ_VS, with separate shader engines SQ_VS0. @return 1: all stages, as SQ. */
static uint32_t
stage_in(const char *name)
{
    static const char stages[][4] = {"_ES", "_GS", "_VS", "_PS", "_LS", "_HS", "_CS"};
    for (uint32_t i = 0; i < PP_ARRAY_SIZE(stages); i++)
        if (strstr(name, stages[i]))
            return 2 + i;
    return 1;
}

static void
apply_quirks(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf, struct pp_gl_perf_group *group,
             const char **reason)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(quirks); i++) {
        const struct quirk *quirk = &quirks[i];
        if ((quirk->group && strcmp(quirk->group, group->name) != 0) ||
            !begins_with(api, GL_VENDOR, quirk->vendor) || !begins_with(api, GL_RENDERER, quirk->renderer))
            continue;
        perf->one_group |= quirk->one_group;
        if (quirk->max && quirk->max < group->max)
            group->max = quirk->max;
        if (quirk->reason)
            *reason = quirk->reason;
        if (quirk->staged && strncmp(group->name, quirk->staged, strlen(quirk->staged)) == 0)
            group->stage = stage_in(group->name);
    }
}

/* Set the number format for a type. @return false: no specification has this type. */
static bool
set_type(struct pp_gl_perf_event *event, GLenum type)
{
    event->want.bytes = type == GL_UNSIGNED_INT64_AMD ? 8 : 4;
    if (type == GL_UNSIGNED_INT || type == GL_UNSIGNED_INT64_AMD)
        return true;
    event->number = PP_NUMBER_F32;
    event->not_additive = true; /* fractions are not additive */
    event->unit = type == GL_PERCENTAGE_AMD ? PP_UNIT_PERCENT : PP_UNIT_COUNT;
    return type == GL_FLOAT || type == GL_PERCENTAGE_AMD;
}

static void
ask_counter(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf, GLuint group, GLuint counter,
            const char *reason)
{
    char name[NAME_MAX_BYTES] = "";
    GLuint type = 0;
    api->get_counter_name(group, counter, sizeof(name) - 1, NULL, name);
    api->get_counter_info(group, counter, GL_COUNTER_TYPE_AMD, &type);
    name[sizeof(name) - 1] = '\0';
    struct pp_gl_perf_event *event = pp_gl_perf_add_event(perf, name, "");
    if (!event)
        return;
    event->want.group = group;
    event->want.counter = counter;
    event->reason = reason;
    if (!set_type(event, type))
        event->reason = PP_TEXT_AMD_TYPE;
}

static void
ask_group(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf, GLuint id)
{
    char name[NAME_MAX_BYTES] = "";
    GLint counters = 0, max = 0;
    const char *reason = NULL;
    api->get_group_name(id, sizeof(name) - 1, NULL, name);
    api->get_counters(id, &counters, &max, 0, NULL);
    name[sizeof(name) - 1] = '\0';
    if (counters <= 0 || counters > (GLint)PP_GL_PERF_EVENTS)
        return;
    if (max <= 0)
        reason = PP_TEXT_AMD_GROUP_NONE;
    struct pp_gl_perf_group *group = pp_gl_perf_add_group(perf, name);
    GLuint *counter = group ? calloc((size_t)counters, sizeof(*counter)) : NULL;
    if (!counter)
        return;
    group->id = id;
    group->max = max > 0 ? (uint32_t)max : 0;
    apply_quirks(api, perf, group, &reason);
    api->get_counters(id, NULL, NULL, counters, counter);
    for (GLint i = 0; i < counters; i++)
        ask_counter(api, perf, id, counter[i], reason);
    free(counter);
}

void
pp_gl_perf_ask_amd(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf)
{
    GLint groups = 0;
    if (!api->has_monitors) {
        perf->reason = PP_TEXT_AMD_NO_EXTENSION;
        return;
    }
    find_faults(api, perf);
    if (perf->faulty)
        return;
    perf->driver = api->monitors;
    api->get_groups(&groups, 0, NULL);
    GLuint *id =
        groups > 0 && groups <= (GLint)PP_GL_PERF_GROUPS ? calloc((size_t)groups, sizeof(*id)) : NULL;
    if (id)
        api->get_groups(NULL, groups, id);
    for (GLint i = 0; id && i < groups; i++)
        ask_group(api, perf, id[i]);
    free(id);
    pp_gl_perf_name_events(perf);
    if (groups > (GLint)PP_GL_PERF_GROUPS)
        perf->reason = PP_TEXT_AMD_GROUPS;
    else if (perf->events == 0)
        perf->reason = PP_TEXT_AMD_NONE;
}

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
set_query_type(struct pp_gl_perf_event *event, GLuint type, GLuint data, GLuint bytes, GLuint64 most)
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
ask_query_counter(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf,
                  const struct pp_gl_perf_group *group, GLuint counter)
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
    event->reason = set_query_type(event, type, data, bytes, most);
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
        ask_query_counter(api, perf, &asked, i);
}

void
pp_gl_perf_ask_intel(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf)
{
    GLuint id = 0;
    if (!api->has_queries) {
        perf->reason = PP_TEXT_INTEL_NO_EXTENSION;
        return;
    }
    find_faults(api, perf);
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
