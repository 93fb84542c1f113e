/** @file
 * GL_AMD_performance_monitor; see fake.h. Source: the extension's text, and Mesa 22.3 where it is silent
 * (performance_monitor.c: all queries give one word of 0 before a result is there). */
#include "fake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS 3U
/* Ids are not indices: a caller that takes an id for an index reads wrong values. */
#define COUNTER_ID(g, i) (100U * ((g) + 1U) + 7U * (i))

enum what { CYCLES, BUSY, PERCENT, PER_DRAW, DRAWS, VERTICES, CLEARS, DISPATCHES, WORKGROUPS, COPIES };

struct counter {
    const char *name;
    GLenum type;
    enum what what;
};

static const struct {
    const char *name;
    GLuint id;
    uint32_t max, counters;
    struct counter counter[5];
} group[GROUPS] = {
    {"Front End",
     21,
     2,
     4,
     {{"cycles", GL_UNSIGNED_INT64_AMD, CYCLES},
      {"draw calls", GL_UNSIGNED_INT, DRAWS},
      {"vertices", GL_UNSIGNED_INT64_AMD, VERTICES},
      {"clears", GL_UNSIGNED_INT, CLEARS}}},
    {"Shader Array",
     7,
     3,
     5,
     {{"cycles", GL_UNSIGNED_INT64_AMD, CYCLES},
      {"busy cycles", GL_UNSIGNED_INT64_AMD, BUSY},
      {"busy", GL_PERCENTAGE_AMD, PERCENT},
      {"vertices per draw", GL_FLOAT, PER_DRAW},
      {"workgroups", GL_UNSIGNED_INT64_AMD, WORKGROUPS}}},
    {"Memory", 40, 1, 2, {{"copies", GL_UNSIGNED_INT, COPIES}, {"dispatches", GL_UNSIGNED_INT, DISPATCHES}}},
};

static bool
hostile(const char *what)
{
    return strcmp(fake_config.hostile, what) == 0;
}

static int
group_of(GLuint id)
{
    for (uint32_t g = 0; g < GROUPS; g++)
        if (group[g].id == id)
            return (int)g;
    fake_misuse(GL_INVALID_VALUE, "%u is no group", id);
    return -1;
}

static int
counter_of(int g, GLuint id)
{
    for (uint32_t i = 0; g >= 0 && i < group[g].counters; i++)
        if (COUNTER_ID((uint32_t)g, i) == id)
            return (int)i;
    fake_misuse(GL_INVALID_VALUE, "%u is no counter of group %d", id, g);
    return -1;
}

static uint64_t
whole(const struct fake_work *work, enum what what)
{
    const uint64_t value[] = {
        [CYCLES] = fake_cycles(work), [BUSY] = fake_busy(work), [DRAWS] = work->draws,
        [VERTICES] = work->vertices,  [CLEARS] = work->clears,  [DISPATCHES] = work->dispatches,
        [WORKGROUPS] = work->groups,  [COPIES] = work->copies,
    };
    return value[what];
}

static uint32_t
value_bytes(GLenum type)
{
    return type == GL_UNSIGNED_INT64_AMD ? 8 : 4;
}

/* Write a counter's value. @return Its bytes. */
static uint32_t
value_of(const struct fake_work *work, const struct counter *counter, uint8_t *out)
{
    float real = counter->what == PERCENT ? fake_busy_percent(work) : fake_vertices_per_draw(work);
    bool is_real = counter->type == GL_FLOAT || counter->type == GL_PERCENTAGE_AMD;
    if (hostile("nan") && counter->what == PER_DRAW)
        real = NAN;
    uint64_t value = is_real ? 0 : whole(work, counter->what);
    uint32_t small = (uint32_t)value;
    if (is_real)
        memcpy(out, &real, 4);
    else if (counter->type == GL_UNSIGNED_INT)
        memcpy(out, &small, 4);
    else
        memcpy(out, &value, 8);
    return value_bytes(counter->type);
}

static void
dump(const struct fake_measure *monitor)
{
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint32_t i = 0; i < group[g].counters; i++) {
            const struct counter *counter = &group[g].counter[i];
            char text[40];
            if (!(monitor->selected[g] >> i & 1))
                continue;
            if (counter->what == PERCENT)
                snprintf(text, sizeof(text), "%.17g", (double)fake_busy_percent(&monitor->result));
            else if (counter->what == PER_DRAW)
                snprintf(text, sizeof(text), "%.17g", (double)fake_vertices_per_draw(&monitor->result));
            else
                snprintf(text, sizeof(text), "%llu",
                         (unsigned long long)whole(&monitor->result, counter->what));
            fake_dump("amd", monitor, group[g].name, counter->name, text);
        }
}

/* Asking. */

static void
get_groups(GLint *count, GLsizei size, GLuint *groups)
{
    if (count)
        *count = hostile("many") ? 0x7fffffff : (GLint)GROUPS;
    for (GLsizei g = 0; groups && g < size && g < (GLsizei)GROUPS; g++)
        groups[g] = group[g].id;
}

static void
get_counters(GLuint id, GLint *count, GLint *max, GLsizei size, GLuint *counters)
{
    int g = group_of(id);
    if (g < 0)
        return;
    if (count)
        *count = (GLint)group[g].counters;
    if (max)
        *max = hostile("none") && g == 2 ? 0 : (GLint)group[g].max;
    for (GLsizei i = 0; counters && i < size && i < (GLsizei)group[g].counters; i++)
        counters[i] = COUNTER_ID((uint32_t)g, (uint32_t)i);
}

/* As in Mesa: the text has no end where it does not fit. */
static void
give_text(const char *text, GLsizei size, GLsizei *length, GLchar *out)
{
    GLsizei need = (GLsizei)strlen(text);
    if (length)
        *length = size == 0 || need < size ? need : size;
    if (size > 0 && out)
        strncpy(out, text, (size_t)size);
}

static void
get_group_string(GLuint id, GLsizei size, GLsizei *length, GLchar *out)
{
    int g = group_of(id);
    if (g >= 0)
        give_text(hostile("names") ? "a \"bad\",\nname" : group[g].name, size, length, out);
}

static void
get_counter_string(GLuint group_id, GLuint id, GLsizei size, GLsizei *length, GLchar *out)
{
    static char endless[4096];
    int g = group_of(group_id);
    int i = g < 0 ? -1 : counter_of(g, id);
    if (i < 0)
        return;
    memset(endless, 'x', sizeof(endless) - 1);
    give_text(hostile("names") ? endless : group[g].counter[i].name, size, length, out);
}

static void
get_counter_info(GLuint group_id, GLuint id, GLenum name, void *data)
{
    int g = group_of(group_id);
    int i = g < 0 ? -1 : counter_of(g, id);
    if (i < 0)
        return;
    const struct counter *counter = &group[g].counter[i];
    if (name == GL_COUNTER_TYPE_AMD) {
        memcpy(data, &counter->type, sizeof(counter->type));
    } else if (name == GL_COUNTER_RANGE_AMD) {
        const float percent[2] = {0.0F, 100.0F};
        const uint64_t most[2] = {0, UINT64_MAX};
        const uint32_t small[2] = {0, UINT32_MAX};
        if (counter->type == GL_UNSIGNED_INT64_AMD)
            memcpy(data, most, sizeof(most));
        else if (counter->type == GL_UNSIGNED_INT)
            memcpy(data, small, sizeof(small));
        else
            memcpy(data, percent, sizeof(percent));
    } else {
        fake_misuse(GL_INVALID_ENUM, "counters have no %x", name);
    }
}

/* Monitors. */

static void
gen_monitors(GLsizei n, GLuint *names)
{
    struct fake_context *ctx = fake_current();
    if (n < 0) {
        fake_misuse(GL_INVALID_VALUE, "%d monitors are made", (int)n);
        return;
    }
    for (GLsizei i = 0; ctx && names && i < n; i++) {
        const struct fake_measure *made = ctx->count[0] < fake_config.instances ? fake_measure_new(0) : NULL;
        if (!made) {
            fake_error(GL_OUT_OF_MEMORY);
            return;
        }
        names[i] = made->name;
    }
}

static void
delete_monitors(GLsizei n, GLuint *names)
{
    if (n < 0)
        fake_misuse(GL_INVALID_VALUE, "%d monitors are deleted", (int)n);
    for (GLsizei i = 0; names && i < n; i++) {
        struct fake_measure *monitor = fake_measure_find(0, names[i]);
        if (monitor)
            fake_measure_delete(0, monitor);
    }
}

static void
select_counters(GLuint name, GLboolean enable, GLuint group_id, GLint count, GLuint *list)
{
    struct fake_measure *monitor = fake_measure_find(0, name);
    int g = monitor ? group_of(group_id) : -1;
    if (g < 0)
        return;
    if (count < 0) {
        fake_misuse(GL_INVALID_VALUE, "%d counters are selected", (int)count);
        return;
    }
    monitor->used = false;
    if (monitor->active) {
        fake_violation("counters of monitor %u are selected while it is active", name);
        monitor->active = false;
        fake_current()->active[0]--;
    }
    for (GLint k = 0; k < count; k++) {
        int i = counter_of(g, list[k]);
        if (i < 0)
            return;
        if (enable)
            monitor->selected[g] |= UINT64_C(1) << i;
        else
            monitor->selected[g] &= ~(UINT64_C(1) << i);
    }
}

/* Can the hardware measure what is selected? */
static bool
fits(const struct fake_measure *monitor)
{
    uint32_t all = 0, groups = 0;
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t count = (uint32_t)__builtin_popcountll(monitor->selected[g]);
        if (count > group[g].max)
            fake_misuse(GL_INVALID_OPERATION,
                        "monitor %u begins with %u counters of %s, which has room for %u", monitor->name,
                        count, group[g].name, group[g].max);
        if (count > group[g].max || (fake_config.real && count > fake_config.real))
            return false;
        all += count;
        groups += count > 0;
    }
    if (!all)
        fake_violation("monitor %u begins without a counter: it never has a result", monitor->name);
    return !fake_config.one_group || groups <= 1;
}

static void
begin_monitor(GLuint name)
{
    struct fake_measure *monitor = fake_measure_find(0, name);
    if (!monitor)
        return;
    if (!fits(monitor))
        fake_error(GL_INVALID_OPERATION);
    else
        (void)fake_begin(monitor, 0);
}

static void
end_monitor(GLuint name)
{
    struct fake_measure *monitor = fake_measure_find(0, name);
    if (!monitor)
        return;
    if (fake_end(monitor, 0))
        dump(monitor);
}

/* The triples; the order of groups differs from the requested one. @return Bytes. */
static uint32_t
write_result(const struct fake_measure *monitor, uint8_t *out)
{
    uint32_t bytes = 0;
    for (uint32_t g = GROUPS; g-- > 0;)
        for (uint32_t i = 0; i < group[g].counters; i++) {
            GLuint id[2] = {group[g].id, COUNTER_ID(g, i)};
            if (!(monitor->selected[g] >> i & 1))
                continue;
            id[0] += hostile("group") ? 1000U : 0U;
            id[1] += hostile("counter") ? 1U : 0U;
            if (hostile("twice"))
                id[1] = COUNTER_ID(g, (uint32_t)__builtin_ctzll(monitor->selected[g]));
            memcpy(out + bytes, id, sizeof(id));
            bytes += 8;
            bytes += value_of(&monitor->result, &group[g].counter[i], out + bytes);
        }
    return bytes;
}

static void
get_data(GLuint name, GLenum what, GLsizei size, GLuint *data, GLint *written)
{
    static uint8_t result[GROUPS * 5 * 16];
    struct fake_measure *monitor = fake_measure_find(0, name);
    GLuint word = 0;
    if (!monitor)
        return;
    if (!data) {
        fake_misuse(GL_INVALID_OPERATION, "data of monitor %u go nowhere", name);
        return;
    }
    bool there = fake_available(monitor) && fake_deliver(monitor);
    if (what == GL_PERFMON_RESULT_AMD && !there)
        fake_violation("the result of monitor %u is read before it is available: some drivers wait", name);
    uint32_t bytes = there ? write_result(monitor, result) : 0;
    if (what == GL_PERFMON_RESULT_AMD && there) {
        if ((uint32_t)size < bytes) {
            fake_violation("the result of monitor %u is read into %d of %u bytes: Mesa writes past them",
                           name, (int)size, bytes);
            bytes = (uint32_t)size;
        }
        if (hostile("short"))
            bytes -= 4;
        memcpy(data, result, bytes);
        if (written)
            *written = (GLint)(hostile("bytes") ? 0x7fffffffU : bytes);
        return;
    }
    if (what == GL_PERFMON_RESULT_SIZE_AMD)
        word = hostile("long") ? 0xfffffff0U : bytes;
    else if (what == GL_PERFMON_RESULT_AVAILABLE_AMD)
        word = there;
    else if (what != GL_PERFMON_RESULT_AMD)
        fake_misuse(GL_INVALID_ENUM, "monitors have no %x", what);
    if (size < 4) {
        fake_violation("a word of monitor %u is read into %d bytes", name, (int)size);
        return;
    }
    memcpy(data, &word, 4);
    if (written)
        *written = 4;
}

#define ENTRY(name, function)                                                                                \
    {                                                                                                        \
        name, (fake_proc)(function)                                                                          \
    }

const struct fake_entry fake_amd_entry[] = {
    ENTRY("glGetPerfMonitorGroupsAMD", get_groups),
    ENTRY("glGetPerfMonitorCountersAMD", get_counters),
    ENTRY("glGetPerfMonitorGroupStringAMD", get_group_string),
    ENTRY("glGetPerfMonitorCounterStringAMD", get_counter_string),
    ENTRY("glGetPerfMonitorCounterInfoAMD", get_counter_info),
    ENTRY("glGenPerfMonitorsAMD", gen_monitors),
    ENTRY("glDeletePerfMonitorsAMD", delete_monitors),
    ENTRY("glSelectPerfMonitorCountersAMD", select_counters),
    ENTRY("glBeginPerfMonitorAMD", begin_monitor),
    ENTRY("glEndPerfMonitorAMD", end_monitor),
    ENTRY("glGetPerfMonitorCounterDataAMD", get_data),
    {NULL, NULL},
};
