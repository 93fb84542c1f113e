/** @file
 * Opens EGL without a window system: a display, a configuration, a context and a pbuffer. samples/ and the
 * applications of the tests use this file. EGL comes by linking, or by epoxy where EGL_OPEN_EPOXY is defined.
 * Must not know passprobe. */
#ifndef SAMPLES_EGL_OPEN_H
#define SAMPLES_EGL_OPEN_H

#ifdef EGL_OPEN_EPOXY
#include <epoxy/egl.h>
#else
#include <EGL/egl.h>
#include <EGL/eglext.h>
#endif
#include <stdbool.h>

/** What egl_open() opened; all 0 before. */
struct egl_open {
    EGLDisplay display;
    EGLConfig config; /**< 8 bits for each colour and for alpha */
    EGLContext context;
    EGLSurface surface; /**< EGL_NO_SURFACE where want.width is 0 */
};

/** What to open. All may be 0: a compatibility context of OpenGL without a surface. */
struct egl_open_want {
    bool es;          /**< OpenGL ES; else OpenGL */
    int major, minor; /**< version; 0.0 is 1.0, for which drivers give the newest compatible one */
    int profile;      /**< EGL_CONTEXT_OPENGL_*_PROFILE_BIT; 0: EGL's default */
    bool debug;       /**< a debug context */
    bool no_error;    /**< a context that checks nothing: EGL_KHR_create_context_no_error */
    int depth_bits, stencil_bits;
    int width, height; /**< of the pbuffer; 0: no surface */
};

/** Open the display, choose the configuration and bind the API on this thread. @return NULL, or the name of
 * the call that failed. egl_close() is due in all cases. */
const char *egl_open_display(struct egl_open *opened, const struct egl_open_want *want);

/** Create a context as wanted, after egl_open_display(). @return EGL_NO_CONTEXT on failure. The caller
 * destroys it. */
EGLContext egl_open_context(const struct egl_open *opened, const struct egl_open_want *want,
                            EGLContext share);

/** Create a pbuffer of the wanted size, after egl_open_display(). @return EGL_NO_SURFACE on failure. The
 * caller destroys it. */
EGLSurface egl_open_surface(const struct egl_open *opened, const struct egl_open_want *want);

/** Open everything, and make the context current on this thread. @return NULL, or the name of the call that
 * failed. egl_close() is due in all cases. */
const char *egl_open(struct egl_open *opened, const struct egl_open_want *want);

/** Close what was opened. Does nothing if there is no display. */
void egl_close(struct egl_open *opened);

#endif
