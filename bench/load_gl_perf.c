/** @file
 * See load_gl_perf.h. */
#include "bench/load_gl_perf.h"

#include <epoxy/gl.h>
#include <stdio.h>

#include "bench/load.h"

#define FRAMES_MAX 4

static bool monitors;
static GLuint name[FRAMES_MAX][LOAD_PASSES_MAX];

static void
make_monitor(GLuint *ret)
{
    GLuint group, counter[2];
    glGetPerfMonitorGroupsAMD(NULL, 1, &group);
    glGetPerfMonitorCountersAMD(group, NULL, NULL, 2, counter);
    glGenPerfMonitorsAMD(1, ret);
    glSelectPerfMonitorCountersAMD(*ret, GL_TRUE, group, 2, counter);
}

static void
make_query(GLuint *ret)
{
    GLuint type;
    glGetFirstPerfQueryIdINTEL(&type);
    glCreatePerfQueryINTEL(type, ret);
}

int
load_perf_create(bool amd, unsigned frames)
{
    const char *extension = amd ? "GL_AMD_performance_monitor" : "GL_INTEL_performance_query";
    if (frames > FRAMES_MAX || !epoxy_has_gl_extension(extension)) {
        fprintf(stderr, "the driver lacks %s\n", extension);
        return -1;
    }
    monitors = amd;
    for (unsigned frame = 0; frame < frames; frame++)
        for (unsigned pass = 0; pass < LOAD_PASSES_MAX; pass++)
            (amd ? make_monitor : make_query)(&name[frame][pass]);
    return 0;
}

uint64_t
load_perf_begin(unsigned slot, unsigned pass, bool reused)
{
    GLuint result[512] = {0}, written = 0;
    GLint bytes = 0;
    GLuint it = name[slot][pass];
    if (reused && monitors) {
        glGetPerfMonitorCounterDataAMD(it, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof(*result), result, NULL);
        if (result[0])
            glGetPerfMonitorCounterDataAMD(it, GL_PERFMON_RESULT_AMD, sizeof(result), result, &bytes);
    } else if (reused) {
        glGetPerfQueryDataINTEL(it, GL_PERFQUERY_DONOT_FLUSH_INTEL, sizeof(result), result, &written);
    }
    if (monitors)
        glBeginPerfMonitorAMD(it);
    else
        glBeginPerfQueryINTEL(it);
    return result[2];
}

void
load_perf_end(unsigned slot, unsigned pass)
{
    if (monitors)
        glEndPerfMonitorAMD(name[slot][pass]);
    else
        glEndPerfQueryINTEL(name[slot][pass]);
}
