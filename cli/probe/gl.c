/** @file
 * What OpenGL and GLES offer here: a small context by EGL without a window system, or by GLX. Runs in a child
 * process (probe.c). Calls the API through libepoxy, as applications do. */
#include "cli/probe/probe_apis.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <epoxy/glx.h>
#include <stdio.h>
#include <string.h>

#include "cli/probe/probe.h"
#include "hooks/counters/perf_ask.h"
#include "hooks/counters/perf_source.h"
#include "pp_texts.h"

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

/* Note the counters of the current OpenGL context, for probe 0 (pp_probe_counter_add()). */
static void
probe_gl_counters(void)
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

/* Pipeline statistics in core/config/config.h's order. Source: GL_ARB_pipeline_statistics_query. */
static const GLenum statistic_target[PP_PIPELINE_STATISTICS] = {
    GL_VERTICES_SUBMITTED,
    GL_PRIMITIVES_SUBMITTED,
    GL_VERTEX_SHADER_INVOCATIONS,
    GL_GEOMETRY_SHADER_INVOCATIONS,
    GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED,
    GL_CLIPPING_INPUT_PRIMITIVES,
    GL_CLIPPING_OUTPUT_PRIMITIVES,
    GL_FRAGMENT_SHADER_INVOCATIONS,
    GL_TESS_CONTROL_SHADER_PATCHES,
    GL_TESS_EVALUATION_SHADER_INVOCATIONS,
    GL_COMPUTE_SHADER_INVOCATIONS,
};

/* Copy a text of the driver, which may be NULL. */
static void
copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

#define COPY(field, text) copy(field, sizeof(field), text)

static bool
library_is_there(struct pp_probe *probe, const char *soname)
{
    if (dlopen(soname, RTLD_LAZY | RTLD_LOCAL))
        return true;
    snprintf(probe->why_not, sizeof(probe->why_not), PP_FORMAT_PROBE_NOT_INSTALLED, soname);
    return false;
}

/* Find out what the current context can measure. */
static void
ask_context(struct pp_probe *probe)
{
    bool desktop = epoxy_is_desktop_gl();
    int version = epoxy_gl_version();
    GLint bits = 0;
    COPY(probe->device, (const char *)glGetString(GL_RENDERER));
    COPY(probe->version, (const char *)glGetString(GL_VERSION));
    COPY(probe->driver, (const char *)glGetString(GL_VENDOR));
    bool timer = desktop ? version >= 33 || epoxy_has_gl_extension("GL_ARB_timer_query")
                         : epoxy_has_gl_extension("GL_EXT_disjoint_timer_query");
    if (timer && desktop)
        glGetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    else if (timer)
        glGetQueryivEXT(GL_TIMESTAMP_EXT, GL_QUERY_COUNTER_BITS_EXT, &bits);
    probe->timestamp_bits = bits > 0 ? (uint32_t)bits : 0;
    probe_gl_counters();
    if (!timer)
        COPY(probe->why_no_time, desktop ? PP_TEXT_PROBE_NO_TIMER : PP_TEXT_PROBE_NO_TIMER_ES);
    else if (bits <= 0)
        COPY(probe->why_no_time, PP_TEXT_PROBE_NO_BITS);
    if (!desktop) {
        COPY(probe->why_no_statistics, PP_TEXT_PROBE_ES_STATISTICS);
        return;
    }
    if (version < 46 && !epoxy_has_gl_extension("GL_ARB_pipeline_statistics_query")) {
        COPY(probe->why_no_statistics, PP_TEXT_PROBE_NO_STATISTICS);
        return;
    }
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        bits = 0;
        glGetQueryiv(statistic_target[i], GL_QUERY_COUNTER_BITS, &bits);
        if (bits > 0)
            probe->statistics |= 1U << i;
    }
    if (probe->statistics != (1U << PP_PIPELINE_STATISTICS) - 1)
        COPY(probe->why_no_statistics, PP_TEXT_PROBE_GL_STAGE);
}

static EGLDisplay
open_display(void)
{
    EGLDisplay display = EGL_NO_DISPLAY;
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL))
        return display;
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL) ? display : EGL_NO_DISPLAY;
}

/* Create the newest context that the driver offers. Try a core profile first: many drivers offer
 * compatibility profiles only of older versions. */
static EGLContext
open_context(EGLDisplay display, EGLConfig config, bool gles)
{
    static const EGLint es3[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
    static const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    static const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION_KHR,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION_KHR,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                                  EGL_NONE};
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, gles ? es3 : core);
    return context != EGL_NO_CONTEXT ? context
                                     : eglCreateContext(display, config, EGL_NO_CONTEXT, gles ? es2 : NULL);
}

static void
probe_egl(struct pp_probe *probe, bool gles)
{
    const EGLint attributes[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE,
                                 gles ? EGL_OPENGL_ES2_BIT : EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = NULL;
    EGLint configs = 0;
    EGLDisplay display = open_display();
    if (display == EGL_NO_DISPLAY) {
        COPY(probe->why_not, PP_TEXT_PROBE_NO_DISPLAY);
        return;
    }
    eglBindAPI(gles ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    if (!eglChooseConfig(display, attributes, &config, 1, &configs) || configs < 1) {
        COPY(probe->why_not, PP_TEXT_PROBE_NO_CONFIG);
        return;
    }
    EGLContext context = open_context(display, config, gles);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        COPY(probe->why_not, PP_TEXT_PROBE_NO_SURFACELESS);
        return;
    }
    ask_context(probe);
}

static void
probe_glx(struct pp_probe *probe)
{
    int attributes[] = {GLX_RGBA, GLX_DOUBLEBUFFER, None};
    Display *display = XOpenDisplay(NULL);
    if (!display) {
        COPY(probe->why_not, PP_TEXT_PROBE_NO_X);
        return;
    }
    if (!glXQueryExtension(display, NULL, NULL)) {
        COPY(probe->why_not, PP_TEXT_PROBE_NO_GLX);
        return;
    }
    XVisualInfo *visual = glXChooseVisual(display, DefaultScreen(display), attributes);
    GLXContext context = visual ? glXCreateContext(display, visual, NULL, True) : NULL;
    if (!context) {
        COPY(probe->why_not, PP_TEXT_PROBE_NO_VISUAL);
        return;
    }
    XSetWindowAttributes set;
    memset(&set, 0, sizeof(set));
    set.colormap = XCreateColormap(display, DefaultRootWindow(display), visual->visual, AllocNone);
    Window window = XCreateWindow(display, DefaultRootWindow(display), 0, 0, 16, 16, 0, visual->depth,
                                  InputOutput, visual->visual, CWColormap, &set);
    if (glXMakeCurrent(display, window, context))
        ask_context(probe);
    else
        COPY(probe->why_not, PP_TEXT_PROBE_NO_CURRENT);
}

void
pp_probe_gl(struct pp_probe *probe, const char *how)
{
    if (strcmp(how, "glx") == 0) {
        if (library_is_there(probe, "libGL.so.1"))
            probe_glx(probe);
        return;
    }
    bool gles = strcmp(how, "gles") == 0;
    if (library_is_there(probe, "libEGL.so.1") && (!gles || library_is_there(probe, "libGLESv2.so.2")))
        probe_egl(probe, gles);
}
