/** @file
 * Opening EGL without a window system; see egl_open.h. */
#include "samples/egl_open.h"

#include <stddef.h>

static EGLDisplay
find_display(void)
{
#ifdef EGL_OPEN_EPOXY
    /* epoxy knows EGL's version, and so the function without EXT, only once there is a display */
    EGLDisplay display = EGL_NO_DISPLAY;
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    return display == EGL_NO_DISPLAY ? eglGetDisplay(EGL_DEFAULT_DISPLAY) : display;
#else
    return eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
#endif
}

static EGLint
renderable(const struct egl_open_want *want)
{
    if (!want->es)
        return EGL_OPENGL_BIT;
    return want->major >= 3 ? EGL_OPENGL_ES3_BIT : want->major == 2 ? EGL_OPENGL_ES2_BIT : EGL_OPENGL_ES_BIT;
}

const char *
egl_open_display(struct egl_open *opened, const struct egl_open_want *want)
{
    const EGLint wanted[] = {
        EGL_SURFACE_TYPE,
        EGL_PBUFFER_BIT,
        EGL_RENDERABLE_TYPE,
        renderable(want),
        EGL_RED_SIZE,
        8,
        EGL_GREEN_SIZE,
        8,
        EGL_BLUE_SIZE,
        8,
        EGL_ALPHA_SIZE,
        8,
        EGL_DEPTH_SIZE,
        want->depth_bits,
        EGL_STENCIL_SIZE,
        want->stencil_bits,
        EGL_NONE,
    };
    EGLint count = 0;
    *opened = (struct egl_open){.surface = EGL_NO_SURFACE, .context = EGL_NO_CONTEXT};
    opened->display = find_display();
    if (opened->display == EGL_NO_DISPLAY || !eglInitialize(opened->display, NULL, NULL)) {
        opened->display = EGL_NO_DISPLAY;
        return "eglInitialize";
    }
    if (!eglBindAPI(want->es ? EGL_OPENGL_ES_API : EGL_OPENGL_API))
        return "eglBindAPI";
    if (!eglChooseConfig(opened->display, wanted, &opened->config, 1, &count) || count < 1)
        return "eglChooseConfig";
    return NULL;
}

EGLContext
egl_open_context(const struct egl_open *opened, const struct egl_open_want *want, EGLContext share)
{
    EGLint attribute[11] = {EGL_CONTEXT_MAJOR_VERSION, want->major ? want->major : 1,
                            EGL_CONTEXT_MINOR_VERSION, want->minor};
    int n = 4;
    if (want->profile) {
        attribute[n++] = EGL_CONTEXT_OPENGL_PROFILE_MASK;
        attribute[n++] = want->profile;
    }
    if (want->debug) {
        attribute[n++] = EGL_CONTEXT_OPENGL_DEBUG;
        attribute[n++] = EGL_TRUE;
    }
    if (want->no_error) {
        attribute[n++] = EGL_CONTEXT_OPENGL_NO_ERROR_KHR;
        attribute[n++] = EGL_TRUE;
    }
    attribute[n] = EGL_NONE;
    return eglCreateContext(opened->display, opened->config, share, attribute);
}

EGLSurface
egl_open_surface(const struct egl_open *opened, const struct egl_open_want *want)
{
    const EGLint size[] = {EGL_WIDTH, want->width, EGL_HEIGHT, want->height, EGL_NONE};
    return eglCreatePbufferSurface(opened->display, opened->config, size);
}

const char *
egl_open(struct egl_open *opened, const struct egl_open_want *want)
{
    const char *failed = egl_open_display(opened, want);
    if (failed)
        return failed;
    opened->context = egl_open_context(opened, want, EGL_NO_CONTEXT);
    if (opened->context == EGL_NO_CONTEXT)
        return "eglCreateContext";
    if (want->width)
        opened->surface = egl_open_surface(opened, want);
    if (want->width && opened->surface == EGL_NO_SURFACE)
        return "eglCreatePbufferSurface";
    return eglMakeCurrent(opened->display, opened->surface, opened->surface, opened->context)
               ? NULL
               : "eglMakeCurrent";
}

void
egl_close(struct egl_open *opened)
{
    if (opened->display == EGL_NO_DISPLAY)
        return;
    eglMakeCurrent(opened->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (opened->surface != EGL_NO_SURFACE)
        eglDestroySurface(opened->display, opened->surface);
    if (opened->context != EGL_NO_CONTEXT)
        eglDestroyContext(opened->display, opened->context);
    eglTerminate(opened->display);
    opened->display = EGL_NO_DISPLAY;
}
