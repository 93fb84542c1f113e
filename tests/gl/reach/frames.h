/** @file
 * FRAMES swaps of DRAWS draws each on a pbuffer. The file that includes it defines CALL(name): the way to
 * reach a function. */
#ifndef REACH_FRAMES_H
#define REACH_FRAMES_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stdio.h>

#define FRAMES           7
#define DRAWS            3

#define REACH_FAIL(what) return fprintf(stderr, "%s failed\n", what), 1

static int
reach_frames(void)
{
    static const EGLint want[] = {
        EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8,
        EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, 32, EGL_HEIGHT, 16, EGL_NONE};
    static const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    unsigned char pixel[4] = {0};
    EGLDisplay display =
        CALL(eglGetPlatformDisplay)(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!CALL(eglInitialize)(display, NULL, NULL) || !CALL(eglBindAPI)(EGL_OPENGL_ES_API) ||
        !CALL(eglChooseConfig)(display, want, &config, 1, &count) || count < 1)
        REACH_FAIL("eglInitialize");
    EGLSurface surface = CALL(eglCreatePbufferSurface)(display, config, size);
    EGLContext context = CALL(eglCreateContext)(display, config, EGL_NO_CONTEXT, es2);
    if (!CALL(eglMakeCurrent)(display, surface, surface, context))
        REACH_FAIL("eglMakeCurrent");
    for (int frame = 0; frame < FRAMES; frame++) {
        CALL(glViewport)(0, 0, 32, 16);
        CALL(glClearColor)(0.0f, 1.0f, (float)frame / 255.0f, 1.0f);
        CALL(glClear)(GL_COLOR_BUFFER_BIT);
        for (int draw = 0; draw < DRAWS; draw++)
            CALL(glDrawArrays)(GL_TRIANGLES, 0, 3);
        if (frame == FRAMES - 1)
            CALL(glReadPixels)(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        CALL(eglSwapBuffers)(display, surface);
    }
    printf("pixel %d %d %d %d error %x\n", pixel[0], pixel[1], pixel[2], pixel[3], CALL(glGetError)());
    CALL(eglMakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    CALL(eglTerminate)(display);
    return 0;
}

#endif
