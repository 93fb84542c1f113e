/** @file
 * EGL without display; see gl_context.h. */
#include "samples/gl_context.h"

#include <epoxy/gl.h>
#include <stdio.h>

static int
failed(const char *what)
{
    fprintf(stderr, "%s failed: EGL error 0x%04x\n", what, (unsigned)eglGetError());
    return -1;
}

static EGLDisplay
open_display(void)
{
    EGLDisplay display = EGL_NO_DISPLAY;
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY)
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return display;
}

static EGLContext
create_context(EGLDisplay display, EGLConfig config, const struct gl_context_want *want)
{
    const EGLint attribute[] = {
        EGL_CONTEXT_MAJOR_VERSION,
        want->es ? 3 : 4,
        EGL_CONTEXT_MINOR_VERSION,
        want->es ? 1 : 5,
        EGL_CONTEXT_OPENGL_DEBUG,
        want->labels ? EGL_TRUE : EGL_FALSE,
        EGL_NONE,
    };
    return eglCreateContext(display, config, EGL_NO_CONTEXT, attribute);
}

static int
open_context(struct gl_context *it, const struct gl_context_want *want)
{
    const EGLint wanted[] = {
        EGL_SURFACE_TYPE,
        EGL_PBUFFER_BIT,
        EGL_RENDERABLE_TYPE,
        want->es ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT,
        EGL_RED_SIZE,
        8,
        EGL_GREEN_SIZE,
        8,
        EGL_BLUE_SIZE,
        8,
        EGL_ALPHA_SIZE,
        8,
        EGL_NONE,
    };
    const EGLint size[] = {EGL_WIDTH, want->width, EGL_HEIGHT, want->height, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglBindAPI(want->es ? EGL_OPENGL_ES_API : EGL_OPENGL_API))
        return failed("eglBindAPI");
    if (!eglChooseConfig(it->display, wanted, &config, 1, &count) || count < 1)
        return failed("eglChooseConfig");
    it->context = create_context(it->display, config, want);
    if (it->context == EGL_NO_CONTEXT)
        return failed("eglCreateContext");
    if (!want->surfaceless)
        it->surface = eglCreatePbufferSurface(it->display, config, size);
    if (!want->surfaceless && it->surface == EGL_NO_SURFACE)
        return failed("eglCreatePbufferSurface");
    if (!eglMakeCurrent(it->display, it->surface, it->surface, it->context))
        return failed("eglMakeCurrent");
    return 0;
}

int
gl_context_init(struct gl_context *it, const struct gl_context_want *want)
{
    *it = (struct gl_context){.surface = EGL_NO_SURFACE, .context = EGL_NO_CONTEXT};
    it->display = open_display();
    if (it->display == EGL_NO_DISPLAY || !eglInitialize(it->display, NULL, NULL)) {
        it->display = EGL_NO_DISPLAY;
        return failed("eglInitialize");
    }
    if (open_context(it, want) == 0)
        return 0;
    gl_context_finish(it);
    return -1;
}

void
gl_context_end_frame(const struct gl_context *it)
{
    if (it->surface == EGL_NO_SURFACE)
        glFinish();
    else
        eglSwapBuffers(it->display, it->surface);
}

void
gl_context_finish(struct gl_context *it)
{
    if (it->display == EGL_NO_DISPLAY)
        return;
    eglMakeCurrent(it->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (it->surface != EGL_NO_SURFACE)
        eglDestroySurface(it->display, it->surface);
    if (it->context != EGL_NO_CONTEXT)
        eglDestroyContext(it->display, it->context);
    eglTerminate(it->display);
    it->display = EGL_NO_DISPLAY;
}
