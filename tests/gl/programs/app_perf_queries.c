/** @file
 * An application that measures with GL_AMD_performance_monitor and GL_INTEL_performance_query itself, makes
 * mistakes with them, and prints all results: these must be the same with and without passprobe. Knows
 * nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/egl_open.h"

#define SIZE 64

#define FUNCTIONS(X)                                                                                         \
    X(PFNGLGETPERFMONITORGROUPSAMDPROC, GetPerfMonitorGroupsAMD)                                             \
    X(PFNGLGETPERFMONITORCOUNTERSAMDPROC, GetPerfMonitorCountersAMD)                                         \
    X(PFNGLGENPERFMONITORSAMDPROC, GenPerfMonitorsAMD)                                                       \
    X(PFNGLDELETEPERFMONITORSAMDPROC, DeletePerfMonitorsAMD)                                                 \
    X(PFNGLSELECTPERFMONITORCOUNTERSAMDPROC, SelectPerfMonitorCountersAMD)                                   \
    X(PFNGLBEGINPERFMONITORAMDPROC, BeginPerfMonitorAMD)                                                     \
    X(PFNGLENDPERFMONITORAMDPROC, EndPerfMonitorAMD)                                                         \
    X(PFNGLGETPERFMONITORCOUNTERDATAAMDPROC, GetPerfMonitorCounterDataAMD)                                   \
    X(PFNGLGETFIRSTPERFQUERYIDINTELPROC, GetFirstPerfQueryIdINTEL)                                           \
    X(PFNGLCREATEPERFQUERYINTELPROC, CreatePerfQueryINTEL)                                                   \
    X(PFNGLDELETEPERFQUERYINTELPROC, DeletePerfQueryINTEL)                                                   \
    X(PFNGLBEGINPERFQUERYINTELPROC, BeginPerfQueryINTEL)                                                     \
    X(PFNGLENDPERFQUERYINTELPROC, EndPerfQueryINTEL)                                                         \
    X(PFNGLGETPERFQUERYDATAINTELPROC, GetPerfQueryDataINTEL)

#define DECLARE(type, name) static type name;
FUNCTIONS(DECLARE)

static struct egl_open egl;
static GLuint target[2], monitor, query;
static int frame;

static void
show(const char *what)
{
    GLenum error = glGetError();
    printf("%d %s: error %x\n", frame, what, error);
    for (int i = 0; i < 8 && error != GL_NO_ERROR; i++) {
        error = glGetError();
        printf("%d %s: and then %x\n", frame, what, error);
    }
}

static void
make_target(GLuint *name)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
    glGenFramebuffers(1, name);
    glBindFramebuffer(GL_FRAMEBUFFER, *name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

static void
draw(int which, int count)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target[which]);
    for (int i = 0; i < count; i++)
        glRectf(-0.5F, -0.5F, 0.5F, 0.5F);
}

static void
show_monitor(void)
{
    GLuint word = 0, result[64];
    GLint written = 0;
    GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof(word), &word, NULL);
    printf("%d monitor: available %u\n", frame, word);
    if (!word)
        return;
    GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_SIZE_AMD, sizeof(word), &word, NULL);
    GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(result), result, &written);
    printf("%d monitor: size %u, written %d:", frame, word, written);
    for (int i = 0; i < written / 4; i++)
        printf(" %u", result[i]);
    printf("\n");
}

static void
show_query(void)
{
    uint64_t result[32];
    GLuint written = 0;
    GetPerfQueryDataINTEL(query, GL_PERFQUERY_DONOT_FLUSH_INTEL, sizeof(result), result, &written);
    printf("%d query: written %u", frame, written);
    if (written)
        printf(", %llu %llu", (unsigned long long)result[0], (unsigned long long)result[1]);
    printf("\n");
}

/* A monitor that begins and ends inside passes that passprobe measures. */
static void
own_monitor(void)
{
    draw(0, 1);
    BeginPerfMonitorAMD(monitor);
    draw(0, 1);
    draw(1, 2);
    EndPerfMonitorAMD(monitor);
    draw(1, 1);
    show("own monitor");
}

static void
own_query(void)
{
    draw(0, 1);
    BeginPerfQueryINTEL(query);
    draw(0, 1);
    draw(1, 2);
    EndPerfQueryINTEL(query);
    draw(1, 1);
    show("own query");
}

/* A monitor that spans two frames. */
static void
long_monitor(void)
{
    if (frame % 2 == 0)
        BeginPerfMonitorAMD(monitor);
    draw(0, 2);
    draw(1, 2);
    if (frame % 2 == 1)
        EndPerfMonitorAMD(monitor);
    show("long monitor");
}

static void
mistakes(void)
{
    GLuint bad = 0x7fffffff, word = 0;
    draw(0, 1);
    BeginPerfMonitorAMD(bad);
    show("begin of none");
    draw(0, 1);
    EndPerfMonitorAMD(monitor);
    show("end of what is not active");
    BeginPerfQueryINTEL(bad);
    show("begin of no query");
    BeginPerfMonitorAMD(monitor);
    BeginPerfMonitorAMD(monitor);
    show("begin twice");
    draw(1, 1);
    EndPerfMonitorAMD(monitor);
    show("end");
    DeletePerfMonitorsAMD(1, &bad);
    DeletePerfQueryINTEL(bad);
    show("delete of none");
    GetPerfMonitorCounterDataAMD(bad, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof(word), &word, NULL);
    show("data of none");
    /* An error is pending while actions follow, and is still there afterwards, once. */
    glEnable(0xdead);
    draw(0, 1);
    draw(1, 1);
    glBindTexture(0xbeef, 1);
    draw(0, 1);
    show("an error of long ago");
    glBegin(GL_TRIANGLES);
    BeginPerfMonitorAMD(monitor);
    glEnd();
    show("begin between glBegin and glEnd");
}

/* Names that another user of the context may have made are unknown to the application: every use of them is
 * an error. */
static void
use_unknown_names(void)
{
    int accepted = 0;
    while (glGetError() != GL_NO_ERROR)
        continue;
    for (GLuint name = 1; name < 400; name++) {
        GLuint word = 0;
        if (name == monitor || name == query)
            continue;
        GetPerfMonitorCounterDataAMD(name, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof(word), &word, NULL);
        accepted += glGetError() == GL_NO_ERROR;
        DeletePerfMonitorsAMD(1, &name);
        accepted += glGetError() == GL_NO_ERROR;
        EndPerfQueryINTEL(name);
        accepted += glGetError() != GL_INVALID_VALUE;
        DeletePerfQueryINTEL(name);
        accepted += glGetError() == GL_NO_ERROR;
    }
    printf("%d unknown names: %d accepted\n", frame, accepted);
    draw(0, 1);
    draw(1, 1);
}

static int
set_up(void)
{
    const struct egl_open_want want = {.width = SIZE, .height = SIZE};
    if (egl_open(&egl, &want))
        return -1;
#define FIND(type, name) name = (type)eglGetProcAddress("gl" #name);
    FUNCTIONS(FIND)
    return strstr((const char *)glGetString(GL_EXTENSIONS), "GL_AMD_performance_monitor") ? 0 : -1;
}

static void
make_own(void)
{
    GLuint group = 0, counter[2], type = 0;
    GetPerfMonitorGroupsAMD(NULL, 1, &group);
    GetPerfMonitorCountersAMD(group, NULL, NULL, 2, counter);
    GenPerfMonitorsAMD(1, &monitor);
    SelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 2, counter);
    GetFirstPerfQueryIdINTEL(&type);
    CreatePerfQueryINTEL(type, &query);
    show("set-up");
}

/* Frames of different length, without a monitor of its own. */
static void
vary(void)
{
    for (frame = 0; frame < 60; frame++) {
        draw(0, 1 + frame * 7 % 5);
        draw(1, 1 + frame % 3);
        eglSwapBuffers(egl.display, egl.surface);
    }
}

int
main(int argc, char **argv)
{
    if (set_up()) {
        printf("no OpenGL with performance monitors\n");
        return 77;
    }
    make_target(&target[0]);
    make_target(&target[1]);
    if (argc > 1 && strcmp(argv[1], "vary") == 0) {
        vary();
        eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        return 0;
    }
    for (frame = 0; frame < 28; frame++) {
        if (frame < 4 || frame >= 24) {
            draw(0, 1);
            draw(1, 2);
        } else if (frame < 8) {
            if (frame == 4)
                make_own();
            else
                show_monitor();
            own_monitor();
        } else if (frame < 12) {
            if (frame > 8)
                show_query();
            own_query();
        } else if (frame < 16) {
            if (frame == 14)
                show_monitor();
            long_monitor();
        } else if (frame < 20) {
            mistakes();
        } else {
            use_unknown_names();
        }
        eglSwapBuffers(egl.display, egl.surface);
    }
    show("end");
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    return 0;
}
