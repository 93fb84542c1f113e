/** @file
 * GL_INTEL_performance_query; see fake.h. Source: the extension's text, and Mesa 22.3 where it is silent
 * (performance_query.c). */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUERIES 2U

enum what {
    TIME,
    CYCLES,
    DRAWS,
    VERTICES,
    PERCENT,
    RATE,
    CHANGED,
    FREQUENCY,
    REPORT,
    DISPATCHES,
    WORKGROUPS,
    COPIES
};

static const struct {
    const char *name;
    GLuint id;
    uint32_t size, counters;
    struct {
        const char *name, *description;
        uint32_t offset, size;
        GLenum type, data;
        uint64_t most;
        enum what what;
    } counter[9];
} query[QUERIES] = {
    {"Render Basic",
     3,
     72,
     9,
     {{"GPU Time Elapsed", "Time that the work took.", 0, 8, GL_PERFQUERY_COUNTER_RAW_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL, 0, TIME},
      {"GPU Core Clocks", "Clocks of the core.", 8, 8, GL_PERFQUERY_COUNTER_EVENT_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL, 0, CYCLES},
      {"Draw Calls", "Draws.", 16, 4, GL_PERFQUERY_COUNTER_EVENT_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT32_INTEL, 0, DRAWS},
      {"EU Active", "How much of the time the units worked.", 20, 4, GL_PERFQUERY_COUNTER_DURATION_NORM_INTEL,
       GL_PERFQUERY_COUNTER_DATA_FLOAT_INTEL, 100, PERCENT},
      {"Vertices", "Vertices drawn.", 28, 8, GL_PERFQUERY_COUNTER_EVENT_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL, 0, VERTICES},
      {"Vertex Rate", "Vertices a clock.", 40, 8, GL_PERFQUERY_COUNTER_THROUGHPUT_INTEL,
       GL_PERFQUERY_COUNTER_DATA_DOUBLE_INTEL, 0, RATE},
      {"Frequency Changed", "The clock's rate changed meanwhile.", 36, 4, GL_PERFQUERY_COUNTER_RAW_INTEL,
       GL_PERFQUERY_COUNTER_DATA_BOOL32_INTEL, 0, CHANGED},
      {"AVG GPU Core Frequency", "Average frequency of the core.", 48, 8, GL_PERFQUERY_COUNTER_EVENT_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL, 0, FREQUENCY},
      {"Report Time", "When it ended.", 56, 8, GL_PERFQUERY_COUNTER_TIMESTAMP_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL, 0, REPORT}}},
    {"Compute Basic",
     8,
     24,
     4,
     {{"GPU Time Elapsed", "Time that the work took.", 0, 8, GL_PERFQUERY_COUNTER_RAW_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL, 0, TIME},
      {"Dispatches", "Dispatches.", 8, 4, GL_PERFQUERY_COUNTER_EVENT_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT32_INTEL, 0, DISPATCHES},
      {"Copies", "Copies.", 12, 4, GL_PERFQUERY_COUNTER_EVENT_INTEL, GL_PERFQUERY_COUNTER_DATA_UINT32_INTEL,
       0, COPIES},
      {"Workgroups", "Workgroups.", 16, 8, GL_PERFQUERY_COUNTER_EVENT_INTEL,
       GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL, 0, WORKGROUPS}}},
};

static bool
hostile(const char *what)
{
    return strcmp(fake_config.hostile, what) == 0;
}

static int
type_of(GLuint id)
{
    for (uint32_t q = 0; q < QUERIES; q++)
        if (query[q].id == id)
            return (int)q;
    fake_misuse(GL_INVALID_VALUE, "%u is no type of query", id);
    return -1;
}

static uint64_t
whole(const struct fake_work *work, enum what what)
{
    const uint64_t value[] = {
        [TIME] = 10 * fake_cycles(work),
        [CYCLES] = hostile("clock") ? 0 : fake_cycles(work),
        [DRAWS] = work->draws,
        [VERTICES] = work->vertices,
        [CHANGED] = 0,
        [FREQUENCY] = 1000000000,
        [REPORT] = 123456789,
        [DISPATCHES] = work->dispatches,
        [WORKGROUPS] = work->groups,
        [COPIES] = work->copies,
    };
    return value[what];
}

static double
rate(const struct fake_work *work)
{
    uint64_t cycles = fake_cycles(work);
    return cycles ? (double)work->vertices / (double)cycles : 0.0;
}

static void
write_result(const struct fake_measure *measure, uint8_t *out)
{
    uint32_t q = measure->kind;
    memset(out, 0xcd, query[q].size);
    for (uint32_t i = 0; i < query[q].counters; i++) {
        uint64_t value = whole(&measure->result, query[q].counter[i].what);
        double real = rate(&measure->result);
        float percent = fake_busy_percent(&measure->result);
        if (query[q].counter[i].what == PERCENT)
            memcpy(out + query[q].counter[i].offset, &percent, sizeof(percent));
        else if (query[q].counter[i].what == RATE)
            memcpy(out + query[q].counter[i].offset, &real, sizeof(real));
        else
            memcpy(out + query[q].counter[i].offset, &value, query[q].counter[i].size);
    }
}

static void
dump(const struct fake_measure *measure)
{
    uint32_t q = measure->kind;
    for (uint32_t i = 0; i < query[q].counters; i++) {
        char text[40];
        if (query[q].counter[i].what == PERCENT)
            snprintf(text, sizeof(text), "%.17g", (double)fake_busy_percent(&measure->result));
        else if (query[q].counter[i].what == RATE)
            snprintf(text, sizeof(text), "%.17g", rate(&measure->result));
        else
            snprintf(text, sizeof(text), "%llu",
                     (unsigned long long)whole(&measure->result, query[q].counter[i].what));
        fake_dump("intel", measure, query[q].name, query[q].counter[i].name, text);
    }
}

/* Asking. */

static void
get_first(GLuint *id)
{
    if (id)
        *id = query[0].id;
    else
        fake_misuse(GL_INVALID_VALUE, "the first type of query goes nowhere");
}

static void
get_next(GLuint id, GLuint *next)
{
    if (!next) {
        fake_misuse(GL_INVALID_VALUE, "the next type of query goes nowhere");
        return;
    }
    *next = 0;
    int q = type_of(id);
    if (q >= 0 && hostile("many"))
        *next = query[0].id; /* the list is a circle */
    else if (q >= 0 && q + 1 < (int)QUERIES)
        *next = query[q + 1].id;
}

static void
get_by_name(GLchar *name, GLuint *id)
{
    for (uint32_t q = 0; name && id && q < QUERIES; q++)
        if (strcmp(query[q].name, name) == 0) {
            *id = query[q].id;
            return;
        }
    fake_misuse(GL_INVALID_VALUE, "no query has this name");
}

static void
give_text(const char *text, GLuint size, GLchar *out)
{
    if (out && size > 0) {
        strncpy(out, hostile("names") ? "\"a\",\nb" : text, size);
        out[size - 1] = '\0';
    }
}

static void
get_info(GLuint id, GLuint name_size, GLchar *name, GLuint *size, GLuint *counters, GLuint *instances,
         GLuint *caps)
{
    int q = type_of(id);
    if (q < 0)
        return;
    give_text(query[q].name, name_size, name);
    if (size)
        *size = hostile("long") ? 0xfffffff0U : query[q].size;
    if (counters)
        *counters = query[q].counters;
    if (instances)
        *instances = fake_current()->count[1];
    if (caps)
        *caps = fake_config.global && query[q].id == 8 ? GL_PERFQUERY_GLOBAL_CONTEXT_INTEL
                                                       : GL_PERFQUERY_SINGLE_CONTEXT_INTEL;
}

static void
get_counter_info(GLuint id, GLuint counter, GLuint name_size, GLchar *name, GLuint description_size,
                 GLchar *description, GLuint *offset, GLuint *size, GLuint *type, GLuint *data,
                 GLuint64 *most)
{
    int q = type_of(id);
    if (q < 0)
        return;
    if (counter < 1 || counter > query[q].counters) {
        fake_misuse(GL_INVALID_VALUE, "%s has no counter %u", query[q].name, counter);
        return;
    }
    uint32_t i = counter - 1;
    give_text(query[q].counter[i].name, name_size, name);
    give_text(query[q].counter[i].description, description_size, description);
    if (offset)
        *offset = query[q].counter[i].offset + (hostile("outside") && i == 1 ? 0xffffff00U : 0U);
    if (size)
        *size = query[q].counter[i].size;
    if (type)
        *type = query[q].counter[i].type;
    if (data)
        *data = query[q].counter[i].data;
    if (most)
        *most = query[q].counter[i].most;
}

/* Queries. */

static void
create(GLuint id, GLuint *handle)
{
    struct fake_context *ctx = fake_current();
    int q = type_of(id);
    if (q < 0 || !ctx)
        return;
    struct fake_measure *made = ctx->count[1] < fake_config.instances ? fake_measure_new(1) : NULL;
    *handle = made ? made->name : 0;
    if (made)
        made->kind = (uint32_t)q;
    else
        fake_error(GL_OUT_OF_MEMORY);
}

static void
begin_query(GLuint name)
{
    struct fake_context *ctx = fake_current();
    struct fake_measure *measure = fake_measure_find(1, name);
    if (!measure)
        return;
    for (GLuint i = 0; i < ctx->names[1] && ctx->active[1]; i++) {
        const struct fake_measure *at = ctx->by_name[1][i];
        if (at && at->active && at->kind != measure->kind) {
            fake_misuse(GL_INVALID_OPERATION, "query %u begins although one of another type is active", name);
            return;
        }
    }
    (void)fake_begin(measure, 1);
}

static void
end_query(GLuint name)
{
    struct fake_measure *measure = fake_measure_find(1, name);
    if (!measure)
        return;
    if (fake_end(measure, 1))
        dump(measure);
}

static void
delete_query(GLuint name)
{
    struct fake_measure *measure = fake_measure_find(1, name);
    if (!measure)
        return;
    if (measure->active)
        end_query(name);
    if (measure->used && !fake_available(measure))
        fake_violation("query %u is deleted before its result is available: Mesa waits", name);
    fake_measure_delete(1, measure);
}

static void
get_data(GLuint name, GLuint flags, GLsizei size, void *data, GLuint *written)
{
    static uint32_t reads;
    static uint8_t result[128];
    struct fake_measure *measure = fake_measure_find(1, name);
    if (!measure)
        return;
    if (!data || !written) {
        fake_misuse(GL_INVALID_VALUE, "data of query %u go nowhere", name);
        return;
    }
    *written = 0;
    if (!measure->used || measure->active) {
        fake_misuse(GL_INVALID_OPERATION, "data of query %u, which has not %s, are read", name,
                    measure->active ? "ended" : "begun");
        return;
    }
    bool available = fake_available(measure);
    if (flags == GL_PERFQUERY_WAIT_INTEL && !available)
        fake_violation("query %u is waited for", name);
    if ((!available && flags != GL_PERFQUERY_WAIT_INTEL) || !fake_deliver(measure))
        return;
    uint32_t bytes = query[measure->kind].size;
    if ((uint32_t)size < bytes) {
        fake_violation("query %u is read into %d of %u bytes", name, (int)size, bytes);
        return;
    }
    if (fake_nth(&reads, fake_config.deferred)) {
        memset(data, 0, (size_t)size);
        fake_error(GL_INVALID_OPERATION);
        return;
    }
    write_result(measure, result);
    if (hostile("short"))
        bytes -= 4;
    memcpy(data, result, bytes);
    *written = hostile("bytes") ? 0xffffffffU : bytes;
}

#define ENTRY(name, function)                                                                                \
    {                                                                                                        \
        name, (fake_proc)(function)                                                                          \
    }

const struct fake_entry fake_intel_entry[] = {
    ENTRY("glGetFirstPerfQueryIdINTEL", get_first),
    ENTRY("glGetNextPerfQueryIdINTEL", get_next),
    ENTRY("glGetPerfQueryIdByNameINTEL", get_by_name),
    ENTRY("glGetPerfQueryInfoINTEL", get_info),
    ENTRY("glGetPerfCounterInfoINTEL", get_counter_info),
    ENTRY("glCreatePerfQueryINTEL", create),
    ENTRY("glDeletePerfQueryINTEL", delete_query),
    ENTRY("glBeginPerfQueryINTEL", begin_query),
    ENTRY("glEndPerfQueryINTEL", end_query),
    ENTRY("glGetPerfQueryDataINTEL", get_data),
    {NULL, NULL},
};
