/** @file
 * An application with two frames of many draws, then many frames of few; it leaves by _exit(), with all that
 * is held for it. Argument: draws of the long frames. Exit status 77: no EGL. */
#include <EGL/egl.h>
#include <GL/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SHORT_FRAMES 400

static void
draw_frame(EGLDisplay display, EGLSurface surface, int draws)
{
    for (int i = 0; i < draws; i++)
        glDrawArrays(GL_POINTS, 0, 1);
    eglSwapBuffers(display, surface);
}

int
main(int argc, char **argv)
{
    const EGLint attributes[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                 EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE};
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLConfig config;
    EGLint configs = 0;
    int draws = argc > 1 ? atoi(argv[1]) : 1000;
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, attributes, &config, 1, &configs) || configs == 0) {
        puts("EGL has no pbuffers here");
        return 77;
    }
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    eglMakeCurrent(display, surface, surface, context);
    for (int i = 0; i < 2; i++)
        draw_frame(display, surface, draws);
    for (int i = 0; i < SHORT_FRAMES; i++) {
        draw_frame(display, surface, 5);
        usleep(3000); /* for the collector to look, once or more in all of them */
    }
    sleep(2); /* for session.json, which is written once a second */
    _exit(0);
}
