/** @file
 * Application of test_privileged.py: EGL frames on a pbuffer, some GL calls by link and by look-up. Prints
 * what it got, and first whether the kernel calls it privileged. The GL shim is linked, as if it were
 * preloaded. */
#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <passprobe/annotate.h>
#include <stdio.h>
#include <sys/auxv.h>

int
main(void)
{
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                    EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    unsigned char pixel[4] = {0};
    printf("privileged %d\n", getauxval(AT_SECURE) != 0);
    EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglChooseConfig(display, wanted, &config, 1, &count) ||
        !count) {
        puts("no EGL without a window system");
        return 77;
    }
    eglBindAPI(EGL_OPENGL_API);
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    if (!eglMakeCurrent(display, surface, surface, context))
        return 1;
    for (int i = 0; i < 6; i++) {
        pp_region_push("frame");
        glClearColor(0.0F, (float)i / 5, 1.0F, 1.0F);
        glClear(GL_COLOR_BUFFER_BIT);
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        pp_region_pop();
        pp_frame_end();
        printf("frame %d: %u %u %u, swapped %u, profiled %d\n", i, pixel[0], pixel[1], pixel[2],
               eglSwapBuffers(display, surface), pp_profiled());
    }
    printf("error %#x, renderer %s\n", glGetError(), (const char *)glGetString(GL_RENDERER));
    eglDestroyContext(display, context);
    return eglTerminate(display) ? 0 : 1;
}
