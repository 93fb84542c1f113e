/** @file
 * See amd_monitor.h. Sources: the extension's text; Mesa 22.3 to 25.0,
 * performance_monitor.c. Mesa cuts names without a terminating zero. Its RESULT writes past the end of a
 * short buffer, so the buffer is as large as RESULT_SIZE says. */
#include "hooks/counters/amd_monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "counters/util/array_size.h"
#include "hooks/counters/perf_quirks.h"
#include "hooks/counters/perf_source.h"
#include "hooks/state/context.h"

#define NAME_MAX_BYTES 256

/* Faults of drivers. Remove a row when the driver is seen to be right. */
static const struct quirk {
    const char *vendor, *renderer; /**< begin of GL_VENDOR and of GL_RENDERER; NULL: any */
    const char *group;             /**< NULL: any */
    bool one_group;                /**< a monitor with counters of two groups is undefined */
    uint32_t max;                  /**< most counters of the group at a time; 0: as the driver says */
    const char *reason;            /**< why values of the group are not used */
} quirks[] = {
    /* iris, crocus (Mesa 25.0): a group is a configuration of the one OA unit. Only an assert forbids mixing
     * groups. */
    {"Intel", NULL, NULL, true, 0, NULL},
    {NULL, "Mesa Intel", NULL, true, 0, NULL},
    /* nvc0 (Mesa 25.0) promises 8 counters; 4 of each of two domains begin. */
    {"nouveau", NULL, "MP counters", false, 4, NULL},
    {"Mesa", "NV", "MP counters", false, 4, NULL},
    /* nvc0 writes a whole number where the result should be a float. */
    {"nouveau", NULL, "Performance metrics", false, 0, PP_TEXT_AMD_NOUVEAU},
    {"Mesa", "NV", "Performance metrics", false, 0, PP_TEXT_AMD_NOUVEAU},
};

static bool
begins_with(GLenum what, const char *begin)
{
    const char *text = (const char *)pp_glGetString(what);
    return !begin || (text && strncmp(text, begin, strlen(begin)) == 0);
}

static void
apply_quirks(struct pp_gl_perf *perf, struct pp_gl_perf_group *group, const char **reason)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(quirks); i++) {
        const struct quirk *quirk = &quirks[i];
        if ((quirk->group && strcmp(quirk->group, group->name) != 0) ||
            !begins_with(GL_VENDOR, quirk->vendor) || !begins_with(GL_RENDERER, quirk->renderer))
            continue;
        perf->one_group |= quirk->one_group;
        if (quirk->max && quirk->max < group->max)
            group->max = quirk->max;
        if (quirk->reason)
            *reason = quirk->reason;
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
ask_counter(struct pp_gl_perf *perf, GLuint group, GLuint counter, const char *reason)
{
    char name[NAME_MAX_BYTES] = "";
    GLuint type = 0;
    pp_glGetPerfMonitorCounterStringAMD(group, counter, sizeof(name) - 1, NULL, name);
    pp_glGetPerfMonitorCounterInfoAMD(group, counter, GL_COUNTER_TYPE_AMD, &type);
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
ask_group(struct pp_gl_perf *perf, GLuint id)
{
    char name[NAME_MAX_BYTES] = "";
    GLint counters = 0, max = 0;
    const char *reason = NULL;
    pp_glGetPerfMonitorGroupStringAMD(id, sizeof(name) - 1, NULL, name);
    pp_glGetPerfMonitorCountersAMD(id, &counters, &max, 0, NULL);
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
    apply_quirks(perf, group, &reason);
    pp_glGetPerfMonitorCountersAMD(id, NULL, NULL, counters, counter);
    for (GLint i = 0; i < counters; i++)
        ask_counter(perf, id, counter[i], reason);
    free(counter);
}

static GLuint
make(const struct pp_gl_perf_set *set)
{
    GLuint name = 0;
    pp_glGenPerfMonitorsAMD(1, &name);
    for (uint32_t i = 0; name && i < set->wants; i++) {
        GLuint counter = set->want[i].counter;
        pp_glSelectPerfMonitorCountersAMD(name, GL_TRUE, set->want[i].group, 1, &counter);
    }
    return name;
}

static void
begin(GLuint name)
{
    pp_glBeginPerfMonitorAMD(name);
}

static void
end(GLuint name)
{
    pp_glEndPerfMonitorAMD(name);
}

static bool
available(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch)
{
    GLuint there = 0;
    (void)set;
    (void)scratch;
    pp_glGetPerfMonitorCounterDataAMD(name, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof(there), &there, NULL);
    return there != 0;
}

static int
read_result(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch, uint8_t *row)
{
    GLuint size = 0;
    GLint written = 0;
    if (!available(set, name, scratch))
        return -EAGAIN;
    pp_glGetPerfMonitorCounterDataAMD(name, GL_PERFMON_RESULT_SIZE_AMD, sizeof(size), &size, NULL);
    /* The size of a result follows from the selection. A driver that reports another size would write past
     * our buffer. */
    if (size != set->bytes)
        return -EBADMSG;
    pp_glGetPerfMonitorCounterDataAMD(name, GL_PERFMON_RESULT_AMD, (GLsizei)size, (GLuint *)(void *)scratch,
                                      &written);
    if (written < 0 || (GLuint)written > size)
        return -EBADMSG;
    return pp_gl_perf_monitor_parse(set->want, set->wants, scratch, (size_t)written, row);
}

static const struct pp_gl_perf_driver driver = {
    .make = make,
    .begin = begin,
    .end = end,
    .available = available,
    .read = read_result,
};

void
pp_gl_perf_ask_amd(const struct pp_gl_context *ctx, struct pp_gl_perf *perf)
{
    GLint groups = 0;
    if (!pp_gl_has_extension(ctx, "GL_AMD_performance_monitor") || !pp_glGetPerfMonitorCounterDataAMD ||
        !pp_glGetPerfMonitorGroupsAMD || !pp_glBeginPerfMonitorAMD) {
        perf->reason = PP_TEXT_AMD_NO_EXTENSION;
        return;
    }
    perf->reason = pp_gl_perf_fault();
    perf->faulty = perf->reason != NULL;
    if (perf->faulty)
        return;
    perf->driver = &driver;
    pp_glGetPerfMonitorGroupsAMD(&groups, 0, NULL);
    GLuint *id =
        groups > 0 && groups <= (GLint)PP_GL_PERF_GROUPS ? calloc((size_t)groups, sizeof(*id)) : NULL;
    if (id)
        pp_glGetPerfMonitorGroupsAMD(NULL, groups, id);
    for (GLint i = 0; id && i < groups; i++)
        ask_group(perf, id[i]);
    free(id);
    pp_gl_perf_name_events(perf);
    if (groups > (GLint)PP_GL_PERF_GROUPS)
        perf->reason = PP_TEXT_AMD_GROUPS;
    else if (perf->events == 0)
        perf->reason = PP_TEXT_AMD_NONE;
}
