/** @file
 * Hooks of EGL calls. They run for every such call of the application, with or without a context.
 * Each hook calls the real function exactly once and returns its result. See also surface.h. */
#ifndef PP_HOOKS_WINSYS_EGL_H
#define PP_HOOKS_WINSYS_EGL_H

#include "hooks/reach/lookup.h"

EGLBoolean pp_gl_egl_swap_buffers(pp_fn_eglSwapBuffers real, EGLDisplay display, EGLSurface surface);
EGLBoolean pp_gl_egl_swap_buffers_damage(pp_fn_eglSwapBuffersWithDamageKHR real, EGLDisplay display,
                                         EGLSurface surface, const EGLint *rects, EGLint count);
EGLBoolean pp_gl_egl_swap_buffers_region(pp_fn_eglSwapBuffersRegionNOK real, EGLDisplay display,
                                         EGLSurface surface, EGLint count, const EGLint *rects);
EGLBoolean pp_gl_egl_post_sub_buffer(pp_fn_eglPostSubBufferNV real, EGLDisplay display, EGLSurface surface,
                                     EGLint x, EGLint y, EGLint width, EGLint height);
EGLBoolean pp_gl_egl_copy_buffers(pp_fn_eglCopyBuffers real, EGLDisplay display, EGLSurface surface,
                                  EGLNativePixmapType target);
EGLBoolean pp_gl_egl_make_current(pp_fn_eglMakeCurrent real, EGLDisplay display, EGLSurface draw,
                                  EGLSurface read, EGLContext context);
EGLBoolean pp_gl_egl_release_thread(pp_fn_eglReleaseThread real);
EGLContext pp_gl_egl_create_context(pp_fn_eglCreateContext real, EGLDisplay display, EGLConfig config,
                                    EGLContext share, const EGLint *attribs);
EGLBoolean pp_gl_egl_destroy_context(pp_fn_eglDestroyContext real, EGLDisplay display, EGLContext context);
EGLBoolean pp_gl_egl_destroy_surface(pp_fn_eglDestroySurface real, EGLDisplay display, EGLSurface surface);
EGLBoolean pp_gl_egl_terminate(pp_fn_eglTerminate real, EGLDisplay display);

#endif
