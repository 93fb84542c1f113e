/** @file
 * See amd_monitor.h. Sources: the extension's text; Mesa 22.3 to 25.0,
 * performance_monitor.c. Mesa cuts names without a terminating zero. Its RESULT writes past the end of a
 * short buffer, so the buffer is as large as RESULT_SIZE says. */
#include "hooks/counters/amd_monitor.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "counters/util/array_size.h"
#include "hooks/counters/perf_quirks.h"
#include "hooks/counters/perf_source.h"

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
    perf->reason = pp_gl_perf_fault(api);
    perf->faulty = perf->reason != NULL;
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
