/** @file
 * Hooks of GLX calls. They run for every such call of the application, with or without a context.
 * Each hook calls the real function exactly once and returns its result. See also surface.h. */
#ifndef PP_HOOKS_WINSYS_GLX_H
#define PP_HOOKS_WINSYS_GLX_H

#include "hooks/reach/lookup.h"

void pp_gl_glx_swap_buffers(pp_fn_glXSwapBuffers real, Display *display, GLXDrawable drawable);
int64_t pp_gl_glx_swap_buffers_msc(pp_fn_glXSwapBuffersMscOML real, Display *display, GLXDrawable drawable,
                                   int64_t target, int64_t divisor, int64_t remainder);
void pp_gl_glx_copy_sub_buffer(pp_fn_glXCopySubBufferMESA real, Display *display, GLXDrawable drawable, int x,
                               int y, int width, int height);
Bool pp_gl_glx_make_current(pp_fn_glXMakeCurrent real, Display *display, GLXDrawable drawable,
                            GLXContext context);
Bool pp_gl_glx_make_context_current(pp_fn_glXMakeContextCurrent real, Display *display, GLXDrawable draw,
                                    GLXDrawable read, GLXContext context);
GLXContext pp_gl_glx_create_context(pp_fn_glXCreateContext real, Display *display, XVisualInfo *visual,
                                    GLXContext share, Bool direct);
GLXContext pp_gl_glx_create_new_context(pp_fn_glXCreateNewContext real, Display *display, GLXFBConfig config,
                                        int type, GLXContext share, Bool direct);
GLXContext pp_gl_glx_create_context_attribs(pp_fn_glXCreateContextAttribsARB real, Display *display,
                                            GLXFBConfig config, GLXContext share, Bool direct,
                                            const int *attribs);
void pp_gl_glx_destroy_context(pp_fn_glXDestroyContext real, Display *display, GLXContext context);
GLXWindow pp_gl_glx_create_window(pp_fn_glXCreateWindow real, Display *display, GLXFBConfig config,
                                  Window window, const int *attribs);
GLXPbuffer pp_gl_glx_create_pbuffer(pp_fn_glXCreatePbuffer real, Display *display, GLXFBConfig config,
                                    const int *attribs);
GLXPixmap pp_gl_glx_create_pixmap(pp_fn_glXCreatePixmap real, Display *display, GLXFBConfig config,
                                  Pixmap pixmap, const int *attribs);
GLXPixmap pp_gl_glx_create_glx_pixmap(pp_fn_glXCreateGLXPixmap real, Display *display, XVisualInfo *visual,
                                      Pixmap pixmap);
void pp_gl_glx_destroy_drawable(void (*real)(Display *, GLXDrawable), Display *display, GLXDrawable drawable);

#endif
