/** @file
 * Applications on the fake GL of tests/fake/gl, which simulates faults of drivers, by case. Knows nothing of
 * passprobe. */
#define EGL_EGLEXT_PROTOTYPES 1
#define GL_GLEXT_PROTOTYPES   1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <string.h>

#include "tests/fake/gl/fake.h"

static EGLDisplay display;
static EGLSurface surface;

/* Dispatches at the begin, in the middle and at the end of a frame. */
static void
case_dispatches(void)
{
    for (int frame = 0; frame < 6; frame++) {
        glDispatchCompute(2, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glDispatchCompute(1, 1, 1);
        glDispatchCompute(1, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        if (frame % 2)
            glDispatchCompute(1, 1, 1);
        eglSwapBuffers(display, surface);
    }
    fprintf(stderr, "compute queries %u\n", fake_gl_begun(GL_COMPUTE_SHADER_INVOCATIONS));
    fprintf(stderr, "vertex queries %u\n", fake_gl_begun(GL_VERTICES_SUBMITTED));
}

/* A context that is released and made current again. */
static void
case_released(void)
{
    EGLContext context = eglGetCurrentContext();
    for (int frame = 0; frame < 3; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        eglSwapBuffers(display, surface);
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglMakeCurrent(display, surface, surface, context);
    }
    fprintf(stderr, "asked early %u\n", fake_gl_asked_early());
}

/* The process ends right after its last frame. */
static void
case_ends(void)
{
    for (int frame = 0; frame < 3; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        eglSwapBuffers(display, surface);
    }
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"dispatches", case_dispatches},
        {"released", case_released},
        {"ends", case_ends},
    };
    EGLConfig config;
    EGLint count;
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    eglInitialize(display, NULL, NULL);
    eglBindAPI(EGL_OPENGL_API);
    eglChooseConfig(display, NULL, &config, 1, &count);
    surface = eglCreatePlatformWindowSurface(display, config, NULL, NULL);
    eglMakeCurrent(display, surface, surface, eglCreateContext(display, config, EGL_NO_CONTEXT, NULL));
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
