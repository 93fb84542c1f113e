/** @file
 * Calls every entry point that makes the GPU work, each once a frame, on the fake GL of tests/fake/gl, and
 * prints their names and the kind of pass that they belong to. The table is generated from gl.xml by
 * tests/fake/gl/gen_all_entry_points.py. Knows nothing of passprobe. */
#define EGL_EGLEXT_PROTOTYPES 1
#define GL_GLEXT_PROTOTYPES   1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>

/* The memory to which every pointer points. */
static unsigned long long zeroes[4096];

#include "every_calls.h"

#define FRAMES 2

int
main(void)
{
    EGLConfig config = NULL;
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    EGLSurface surface = eglCreatePlatformWindowSurface(display, config, NULL, NULL);
    eglMakeCurrent(display, surface, surface, eglCreateContext(display, config, EGL_NO_CONTEXT, NULL));
    for (size_t i = 0; i < sizeof(every) / sizeof(every[0]); i++)
        printf("%s %s\n", every[i].name, every[i].pass);
    for (int frame = 0; frame < FRAMES; frame++) {
        for (size_t i = 0; i < sizeof(every) / sizeof(every[0]); i++)
            every[i].call();
        eglSwapBuffers(display, surface);
    }
    printf("error %x\n", glGetError());
    return 0;
}
