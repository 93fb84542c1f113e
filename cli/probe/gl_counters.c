/** @file
 * Hardware counters of an OpenGL context, by the same two sources as in a recording (hooks/base/perf.h),
 * so that names, limits and reasons are the same, too. Runs in a child process (probe.c). */
#include "cli/probe/gl_counters.h"
#include "cli/probe/counters.h"
#include "hooks/counters/perf_ask.h"
#include "hooks/counters/perf_source.h"

/* Functions that libepoxy finds. Nothing is measured, so no set is tried. */
static struct pp_gl_perf_api
epoxy_api(void)
{
    return (struct pp_gl_perf_api){
        .get_string = glGetString,
        .has_monitors = epoxy_has_gl_extension("GL_AMD_performance_monitor"),
        .get_groups = glGetPerfMonitorGroupsAMD,
        .get_counters = glGetPerfMonitorCountersAMD,
        .get_group_name = glGetPerfMonitorGroupStringAMD,
        .get_counter_name = glGetPerfMonitorCounterStringAMD,
        .get_counter_info = glGetPerfMonitorCounterInfoAMD,
        .has_queries = epoxy_has_gl_extension("GL_INTEL_performance_query"),
        .get_first_query = glGetFirstPerfQueryIdINTEL,
        .get_next_query = glGetNextPerfQueryIdINTEL,
        .get_query_info = glGetPerfQueryInfoINTEL,
        .get_query_counter_info = glGetPerfCounterInfoINTEL,
    };
}

static uint32_t
limit_of(void *self, uint32_t event)
{
    const struct pp_gl_perf *perf = self;
    const struct pp_gl_perf_group *group = &perf->group[perf->event[event].group];
    return group->max >= PP_GL_PERF_WANTS ? 0 : group->max;
}

static void
add(struct pp_gl_perf *perf)
{
    char text[PP_PROBE_TEXT];
    if (perf->reason)
        pp_probe_absent_add(0, perf->ops->name, perf->reason);
    else
        pp_probe_source_add(0, perf->ops, perf, pp_probe_source_text(perf->ops->name, text, sizeof(text)),
                            limit_of);
    pp_gl_perf_finish(perf);
}

void
pp_probe_gl_counters(void)
{
    struct pp_gl_perf amd = {.ops = &pp_gl_source_amd};
    struct pp_gl_perf intel = {.ops = &pp_gl_source_intel,
                               .serialized = true}; /* as if --serialize was given */
    const struct pp_gl_perf_api api = epoxy_api();
    pp_gl_perf_ask_intel(&api, &intel);
    pp_gl_perf_ask_amd(&api, &amd);
    add(&intel);
    add(&amd);
}
