/** @file
 * Measuring with both extensions, by the driver's functions; see perf_query.h. Sources: the extensions'
 * texts; Mesa 22.3 to 25.0, performance_monitor.c and performance_query.c. Mesa writes a monitor's RESULT
 * past the end of a short buffer, so the buffer is as large as RESULT_SIZE says. A query whose result is not
 * available can be neither begun again nor deleted without a wait. */
#include "hooks/counters/perf_query.h"

#include <errno.h>

#include "hooks/base/context.h"
#include "hooks/counters/perf_result.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/caps.h"

/* GL_AMD_performance_monitor. */

static GLuint
make_monitor(const struct pp_gl_perf_set *set)
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
begin_monitor(GLuint name)
{
    pp_glBeginPerfMonitorAMD(name);
}

static void
end_monitor(GLuint name)
{
    pp_glEndPerfMonitorAMD(name);
}

static bool
is_monitor_available(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch)
{
    GLuint there = 0;
    (void)set;
    (void)scratch;
    pp_glGetPerfMonitorCounterDataAMD(name, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof(there), &there, NULL);
    return there != 0;
}

static int
read_monitor(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch, uint8_t *row)
{
    GLuint size = 0;
    GLint written = 0;
    if (!is_monitor_available(set, name, scratch))
        return -EAGAIN;
    pp_glGetPerfMonitorCounterDataAMD(name, GL_PERFMON_RESULT_SIZE_AMD, sizeof(size), &size, NULL);
    /* The size of a result follows from the selection. A driver that reports another size would write past
     * the buffer. */
    if (size != set->bytes)
        return -EBADMSG;
    pp_glGetPerfMonitorCounterDataAMD(name, GL_PERFMON_RESULT_AMD, (GLsizei)size, (GLuint *)(void *)scratch,
                                      &written);
    if (written < 0 || (GLuint)written > size)
        return -EBADMSG;
    return pp_gl_perf_monitor_parse(set->want, set->wants, scratch, (size_t)written, row);
}

static const struct pp_gl_perf_driver monitors = {
    .make = make_monitor,
    .begin = begin_monitor,
    .end = end_monitor,
    .available = is_monitor_available,
    .read = read_monitor,
    .try_set = pp_gl_perf_try,
};

/* GL_INTEL_performance_query. */

static GLuint
make_query(const struct pp_gl_perf_set *set)
{
    GLuint name = 0;
    pp_glCreatePerfQueryINTEL(set->query, &name);
    return name;
}

static void
begin_query(GLuint name)
{
    pp_glBeginPerfQueryINTEL(name);
}

static void
end_query(GLuint name)
{
    pp_glEndPerfQueryINTEL(name);
}

static GLuint
fetch_query(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch)
{
    GLuint written = 0;
    pp_glGetPerfQueryDataINTEL(name, GL_PERFQUERY_DONOT_FLUSH_INTEL, (GLsizei)set->bytes, scratch, &written);
    return written;
}

static bool
is_query_available(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch)
{
    return fetch_query(set, name, scratch) > 0;
}

static int
read_query(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch, uint8_t *row)
{
    GLuint written = fetch_query(set, name, scratch);
    if (written == 0)
        return -EAGAIN;
    if (written > set->bytes)
        return -EBADMSG;
    return pp_gl_perf_query_parse(set->want, set->wants, scratch, written, row);
}

static const struct pp_gl_perf_driver queries = {
    .make = make_query,
    .begin = begin_query,
    .end = end_query,
    .available = is_query_available,
    .read = read_query,
    .try_set = pp_gl_perf_try,
};

void
pp_gl_perf_driver_api(const struct pp_gl_context *ctx, struct pp_gl_perf_api *ret)
{
    *ret = (struct pp_gl_perf_api){
        .get_string = pp_glGetString,
        .has_monitors = pp_gl_has_extension(ctx, "GL_AMD_performance_monitor") &&
                        pp_glGetPerfMonitorCounterDataAMD && pp_glGetPerfMonitorGroupsAMD &&
                        pp_glBeginPerfMonitorAMD,
        .monitors = &monitors,
        .has_queries = pp_gl_has_extension(ctx, "GL_INTEL_performance_query") &&
                       pp_glGetFirstPerfQueryIdINTEL && pp_glGetPerfQueryDataINTEL &&
                       pp_glBeginPerfQueryINTEL,
        .queries = &queries,
    };
    if (ret->has_monitors) {
        ret->get_groups = pp_glGetPerfMonitorGroupsAMD;
        ret->get_counters = pp_glGetPerfMonitorCountersAMD;
        ret->get_group_name = pp_glGetPerfMonitorGroupStringAMD;
        ret->get_counter_name = pp_glGetPerfMonitorCounterStringAMD;
        ret->get_counter_info = pp_glGetPerfMonitorCounterInfoAMD;
    }
    if (ret->has_queries) {
        ret->get_first_query = pp_glGetFirstPerfQueryIdINTEL;
        ret->get_next_query = pp_glGetNextPerfQueryIdINTEL;
        ret->get_query_info = pp_glGetPerfQueryInfoINTEL;
        ret->get_query_counter_info = pp_glGetPerfCounterInfoINTEL;
    }
}
