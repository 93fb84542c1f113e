/** @file
 * Hardware counters of an OpenGL context, by the shim's own two sources (hooks/counters/perf.h), so that
 * names, limits and reasons are those that a recording has. Runs in a child process (probe.c). */
#include "cli/probe/gl_counters.h"
#include "cli/probe/counters.h"
#include "hooks/counters/amd_monitor.h"
#include "hooks/counters/intel_query.h"
#include "hooks/counters/perf_query.h"
#include "hooks/counters/perf_source.h"
#include "hooks/state/context.h"

/* What hooks/reach/driver_procs.c and hooks/counters/perf_query.c are to the shim: here libepoxy finds the
 * functions, and nothing is tried. */

_Atomic(pp_gl_proc) pp_gl_real[PP_HOOK_COUNT];

pp_gl_proc
pp_gl_resolve(int id)
{
    (void)id;
    return NULL;
}

bool
pp_gl_has_extension(const struct pp_gl_context *ctx, const char *name)
{
    (void)ctx;
    return epoxy_has_gl_extension(name);
}

bool
pp_gl_perf_try(const struct pp_gl_perf *perf, const struct pp_gl_perf_set *set)
{
    (void)perf;
    (void)set;
    return true;
}

static void
fill(void)
{
#define FILL(name) pp_gl_real[PP_HOOK_##name] = (pp_gl_proc)(name);
    FILL(glGetString)
    FILL(glGetPerfMonitorGroupsAMD)
    FILL(glGetPerfMonitorCountersAMD)
    FILL(glGetPerfMonitorGroupStringAMD)
    FILL(glGetPerfMonitorCounterStringAMD)
    FILL(glGetPerfMonitorCounterInfoAMD)
    FILL(glBeginPerfMonitorAMD)
    FILL(glGetPerfMonitorCounterDataAMD)
    FILL(glGetFirstPerfQueryIdINTEL)
    FILL(glGetNextPerfQueryIdINTEL)
    FILL(glGetPerfQueryInfoINTEL)
    FILL(glGetPerfCounterInfoINTEL)
    FILL(glBeginPerfQueryINTEL)
    FILL(glGetPerfQueryDataINTEL)
#undef FILL
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
    fill();
    pp_gl_perf_ask_intel(NULL, &intel);
    pp_gl_perf_ask_amd(NULL, &amd);
    add(&intel);
    add(&amd);
}
