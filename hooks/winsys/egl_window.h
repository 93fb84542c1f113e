/** @file
 * Which X window an EGL surface shows. The hooks run for every such call of the application, with or without
 * a session, call the real function exactly once and return its result. Any thread. See also x11.h. */
#ifndef PP_HOOKS_WINSYS_EGL_WINDOW_H
#define PP_HOOKS_WINSYS_EGL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "hooks/reach/lookup.h"

struct xcb_connection_t;

EGLDisplay pp_gl_egl_get_display(pp_fn_eglGetDisplay real, EGLNativeDisplayType native);
EGLDisplay pp_gl_egl_get_platform_display(pp_fn_eglGetPlatformDisplay real, EGLenum platform, void *native,
                                          const EGLAttrib *attribs);
EGLDisplay pp_gl_egl_get_platform_display_ext(pp_fn_eglGetPlatformDisplayEXT real, EGLenum platform,
                                              void *native, const EGLint *attribs);
EGLSurface pp_gl_egl_create_window_surface(pp_fn_eglCreateWindowSurface real, EGLDisplay display,
                                           EGLConfig config, EGLNativeWindowType window,
                                           const EGLint *attribs);
EGLSurface pp_gl_egl_create_platform_window_surface(pp_fn_eglCreatePlatformWindowSurface real,
                                                    EGLDisplay display, EGLConfig config, void *window,
                                                    const EGLAttrib *attribs);
EGLSurface pp_gl_egl_create_platform_window_surface_ext(pp_fn_eglCreatePlatformWindowSurfaceEXT real,
                                                        EGLDisplay display, EGLConfig config, void *window,
                                                        const EGLint *attribs);

/**
 * Find the window that a surface shows.
 *
 * @param ret_connection  To ask the X server for its size; NULL: the libraries for it are not loaded. The
 *     application may end a connection of xcb without a call that passprobe sees; the end of a display of
 * Xlib is watched (pp_gl_x11_watch()).
 * @return The window; 0: not known, or none.
 */
uint32_t pp_gl_egl_window(EGLDisplay display, EGLSurface surface, struct xcb_connection_t **ret_connection);

/** The application destroys a surface; @p surface EGL_NO_SURFACE: all surfaces of the display. */
void pp_gl_egl_window_gone(EGLDisplay display, EGLSurface surface);

#endif
