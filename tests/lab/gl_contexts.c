/** @file
 * An application with several contexts, each of which clears its surface and presents in turn. Prints the
 * errors of OpenGL, and whether the standard input is still open. usage: lab_gl_contexts COUNT FRAMES
 * [COMMAND]: COMMAND runs in the middle; "leave": each context is released after each frame, and left to
 * eglTerminate() at the end; "destroy": one is destroyed while it is current */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "samples/egl_open.h"

enum { MOST = 8 };

static void
draw_triangle(void)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    glVertex2f(-1, -1);
    glVertex2f(1, -1);
    glVertex2f(0, 1);
    glEnd();
    glFlush();
}

int
main(int argc, char **argv)
{
    static const struct egl_open_want want = {.width = 64, .height = 64};
    struct egl_open open = {.display = EGL_NO_DISPLAY};
    EGLContext context[MOST];
    EGLSurface surface[MOST];
    int count = argc > 2 ? atoi(argv[1]) : 0, frames = argc > 2 ? atoi(argv[2]) : 0, errors = 0;
    bool leaves = argc > 3 && strcmp(argv[3], "leave") == 0;
    bool destroys = argc > 3 && strcmp(argv[3], "destroy") == 0;
    if (count < 1 || count > MOST || egl_open_display(&open, &want))
        return 2;
    for (int i = 0; i < count; i++) {
        context[i] = egl_open_context(&open, &want, EGL_NO_CONTEXT);
        surface[i] = egl_open_surface(&open, &want);
        if (context[i] == EGL_NO_CONTEXT || surface[i] == EGL_NO_SURFACE)
            return 3;
    }
    for (int i = 0; i < count * frames; i++) {
        if (argc > 3 && !leaves && !destroys && i == count * frames / 2 && system(argv[3]) != 0)
            return 4;
        if (!eglMakeCurrent(open.display, surface[i % count], surface[i % count], context[i % count]))
            return 5;
        draw_triangle();
        eglSwapBuffers(open.display, surface[i % count]);
        errors += glGetError() != GL_NO_ERROR;
        if (destroys && i + 1 == count * frames)
            eglDestroyContext(open.display, context[i % count]);
        if (leaves || destroys)
            eglMakeCurrent(open.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }
    eglMakeCurrent(open.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    for (int i = 0; i < count && !leaves && !destroys; i++) {
        eglDestroyContext(open.display, context[i]);
        eglDestroySurface(open.display, surface[i]);
    }
    egl_close(&open);
    printf("%d errors, %s\n", errors, fcntl(STDIN_FILENO, F_GETFD) < 0 ? "closed" : "open");
    return 0;
}
