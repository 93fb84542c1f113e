/** @file
 * EGL and GLX of the fake; see fake.h. Every call succeeds, except a swap with a negative target or without a
 * surface. The size of a surface that shows an X window is the window's: like Mesa, eglQuerySurface asks the
 * X server and waits for the answer. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "fake.h"

#define EGL_EGLEXT_PROTOTYPES 1
#define GLX_GLXEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glx.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xproto.h>

/* The address of this variable is the display and the configuration. */
static int fake_display;

/* The platform and the native display that the display was last got for. */
static EGLenum fake_platform;
static void *fake_native;

/* An attribute as eglQuerySurface() returns it. */
static EGLint
fake_surface_attribute(EGLint what)
{
    return what == EGL_WIDTH ? 32 : what == EGL_HEIGHT ? 16 : what == EGL_RENDER_BUFFER ? EGL_BACK_BUFFER : 0;
}

EGLDisplay
eglGetPlatformDisplay(EGLenum platform, void *native, const EGLAttrib *attribs)
{
    (void)attribs;
    fake_platform = platform;
    fake_native = native;
    return &fake_display;
}

EGLBoolean
eglInitialize(EGLDisplay display, EGLint *major, EGLint *minor)
{
    (void)major;
    (void)minor;
    return display == &fake_display;
}

EGLBoolean
eglChooseConfig(EGLDisplay display, const EGLint *want, EGLConfig *config, EGLint size, EGLint *count)
{
    (void)display;
    (void)want;
    *count = size;
    *config = &fake_display;
    return EGL_TRUE;
}

EGLBoolean
eglGetConfigAttrib(EGLDisplay display, EGLConfig config, EGLint what, EGLint *value)
{
    (void)display;
    (void)config;
    *value = what == EGL_RED_SIZE || what == EGL_GREEN_SIZE || what == EGL_BLUE_SIZE ? 8 : 0;
    return EGL_TRUE;
}

__eglMustCastToProperFunctionPointerType
eglGetProcAddress(const char *name)
{
    (void)name;
    return NULL;
}

static void *current;
static void *doomed; /* destroyed while current */

static void
switch_to(void *context)
{
    if (doomed && doomed != context)
        fake_gl_context_free(doomed);
    doomed = doomed == context ? doomed : NULL;
    current = context;
    fake_gl_current(context);
}

static void
destroy(void *context)
{
    if (context == current)
        doomed = context;
    else
        fake_gl_context_free(context);
}

EGLBoolean
eglBindAPI(EGLenum api)
{
    return api == EGL_OPENGL_API || api == EGL_OPENGL_ES_API;
}

/* Surfaces. The first surface after a display's end has the handle of the last one before it. */
struct fake_surface {
    char kind;       /* 'w', 'p' */
    uint32_t window; /* of X; 0: none */
    EGLint width, height;
};

static struct fake_surface *last_surface, *free_surface;

static EGLSurface
surface(char kind, uintptr_t window)
{
    struct fake_surface *made = free_surface ? free_surface : malloc(sizeof(*made));
    free_surface = NULL;
    last_surface = made;
    *made = (struct fake_surface){kind, (uint32_t)window, fake_surface_attribute(EGL_WIDTH),
                                  fake_surface_attribute(EGL_HEIGHT)};
    return made;
}

EGLDisplay
eglGetDisplay(EGLNativeDisplayType native)
{
    fake_platform = EGL_PLATFORM_X11_KHR;
    fake_native = native;
    return &fake_display;
}

EGLSurface
eglCreatePbufferSurface(EGLDisplay display, EGLConfig config, const EGLint *attribs)
{
    (void)display;
    (void)config;
    (void)attribs;
    return surface('p', 0);
}

EGLSurface
eglCreateWindowSurface(EGLDisplay display, EGLConfig config, EGLNativeWindowType window,
                       const EGLint *attribs)
{
    (void)display;
    (void)config;
    (void)attribs;
    return surface('w', (uintptr_t)window);
}

EGLSurface
eglCreatePlatformWindowSurface(EGLDisplay display, EGLConfig config, void *window, const EGLAttrib *attribs)
{
    (void)display;
    (void)config;
    (void)attribs;
    return surface('w', !window                                 ? 0
                        : fake_platform == EGL_PLATFORM_XCB_EXT ? *(uint32_t *)window
                                                                : *(unsigned long *)window);
}

EGLBoolean
eglDestroySurface(EGLDisplay display, EGLSurface which)
{
    (void)display;
    last_surface = last_surface == which ? NULL : last_surface;
    free(which);
    return EGL_TRUE;
}

static void
ask_server(struct fake_surface *which)
{
    xcb_connection_t *(*connection)(Display *) =
        (xcb_connection_t * (*)(Display *)) dlsym(RTLD_DEFAULT, "XGetXCBConnection");
    xcb_get_geometry_cookie_t (*ask)(xcb_connection_t *, xcb_drawable_t) =
        (xcb_get_geometry_cookie_t(*)(xcb_connection_t *, xcb_drawable_t))dlsym(RTLD_DEFAULT,
                                                                                "xcb_get_geometry");
    xcb_get_geometry_reply_t *(*reply)(xcb_connection_t *, xcb_get_geometry_cookie_t,
                                       xcb_generic_error_t **) =
        (xcb_get_geometry_reply_t *
         (*)(xcb_connection_t *, xcb_get_geometry_cookie_t, xcb_generic_error_t **))
            dlsym(RTLD_DEFAULT, "xcb_get_geometry_reply");
    xcb_connection_t *server = fake_platform == EGL_PLATFORM_XCB_EXT ? fake_native : connection(fake_native);
    xcb_get_geometry_reply_t *answer = reply(server, ask(server, which->window), NULL);
    if (!answer)
        return;
    which->width = answer->width;
    which->height = answer->height;
    free(answer);
}

const char *
eglQueryString(EGLDisplay display, EGLint name)
{
    (void)display;
    return name == EGL_VENDOR ? "Mesa Project" : "";
}

EGLBoolean
eglQuerySurface(EGLDisplay display, EGLSurface handle, EGLint what, EGLint *value)
{
    struct fake_surface *which = handle;
    (void)display;
    if (which->window && (what == EGL_WIDTH || what == EGL_HEIGHT))
        ask_server(which);
    if (what == EGL_WIDTH || what == EGL_HEIGHT)
        *value = what == EGL_WIDTH ? which->width : which->height;
    else if (what == EGL_LARGEST_PBUFFER && which->kind == 'p')
        *value = EGL_FALSE;
    else if (what != EGL_LARGEST_PBUFFER)
        *value = fake_surface_attribute(what);
    return EGL_TRUE;
}

EGLContext
eglCreateContext(EGLDisplay display, EGLConfig config, EGLContext share, const EGLint *attribs)
{
    (void)display;
    (void)config;
    (void)share;
    (void)attribs;
    return fake_gl_context();
}

EGLBoolean
eglDestroyContext(EGLDisplay display, EGLContext context)
{
    (void)display;
    destroy(context);
    return EGL_TRUE;
}

EGLBoolean
eglMakeCurrent(EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context)
{
    (void)display;
    (void)draw;
    (void)read;
    fake_gl_flush();
    switch_to(context);
    return EGL_TRUE;
}

EGLContext
eglGetCurrentContext(void)
{
    return current;
}

static EGLBoolean
swapped(EGLSurface which)
{
    if (which)
        fake_gl_swapped();
    return which != EGL_NO_SURFACE;
}

EGLBoolean
eglSwapBuffers(EGLDisplay display, EGLSurface which)
{
    (void)display;
    return swapped(which);
}

EGLBoolean
eglSwapBuffersWithDamageKHR(EGLDisplay display, EGLSurface which, const EGLint *rects, EGLint count)
{
    (void)display;
    (void)rects;
    return count >= 0 && swapped(which);
}

EGLBoolean
eglSwapBuffersWithDamageEXT(EGLDisplay display, EGLSurface which, const EGLint *rects, EGLint count)
{
    return eglSwapBuffersWithDamageKHR(display, which, rects, count);
}

EGLBoolean
eglSwapBuffersRegionNOK(EGLDisplay display, EGLSurface which, EGLint count, const EGLint *rects)
{
    return eglSwapBuffersWithDamageKHR(display, which, rects, count);
}

EGLBoolean
eglSwapBuffersRegion2NOK(EGLDisplay display, EGLSurface which, EGLint count, const EGLint *rects)
{
    return eglSwapBuffersWithDamageKHR(display, which, rects, count);
}

EGLBoolean
eglPostSubBufferNV(EGLDisplay display, EGLSurface which, EGLint x, EGLint y, EGLint width, EGLint height)
{
    (void)x;
    (void)y;
    (void)width;
    (void)height;
    return eglSwapBuffers(display, which);
}

EGLBoolean
eglCopyBuffers(EGLDisplay display, EGLSurface which, EGLNativePixmapType target)
{
    (void)target;
    return eglSwapBuffers(display, which);
}

EGLSync
eglCreateSync(EGLDisplay display, EGLenum type, const EGLAttrib *attribs)
{
    (void)display;
    (void)attribs;
    if (type == EGL_SYNC_FENCE)
        fake_gl_flush();
    return &fake_display;
}

EGLint
eglClientWaitSync(EGLDisplay display, EGLSync sync, EGLint flags, EGLTime timeout)
{
    (void)display;
    (void)sync;
    if (flags & EGL_SYNC_FLUSH_COMMANDS_BIT || timeout > 0)
        fake_gl_flush();
    return EGL_CONDITION_SATISFIED;
}

EGLBoolean
eglDestroySync(EGLDisplay display, EGLSync sync)
{
    (void)display;
    return sync != EGL_NO_SYNC;
}

EGLBoolean
eglWaitClient(void)
{
    fake_gl_flush();
    return EGL_TRUE;
}

EGLBoolean
eglReleaseThread(void)
{
    switch_to(NULL);
    return EGL_TRUE;
}

EGLBoolean
eglTerminate(EGLDisplay display)
{
    free_surface = last_surface;
    last_surface = NULL;
    return display == &fake_display;
}

/* GLX: displays are not read. */

GLXContext
glXCreateNewContext(Display *display, GLXFBConfig config, int type, GLXContext share, Bool direct)
{
    (void)display;
    (void)config;
    (void)type;
    (void)share;
    (void)direct;
    return fake_gl_context();
}

void
glXDestroyContext(Display *display, GLXContext context)
{
    (void)display;
    destroy(context);
}

Bool
glXMakeCurrent(Display *display, GLXDrawable drawable, GLXContext context)
{
    (void)display;
    (void)drawable;
    switch_to(context);
    return True;
}

GLXContext
glXGetCurrentContext(void)
{
    return current;
}

int
glXQueryContext(Display *display, GLXContext context, int what, int *value)
{
    (void)display;
    (void)context;
    (void)what;
    *value = 0;
    return GLX_BAD_CONTEXT;
}

void
glXSwapBuffers(Display *display, GLXDrawable drawable)
{
    (void)display;
    (void)drawable;
    fake_gl_swapped();
}

int64_t
glXSwapBuffersMscOML(Display *display, GLXDrawable drawable, int64_t target, int64_t divisor,
                     int64_t remainder)
{
    (void)divisor;
    (void)remainder;
    if (target < 0)
        return -1;
    glXSwapBuffers(display, drawable);
    return 1;
}

void
glXCopySubBufferMESA(Display *display, GLXDrawable drawable, int x, int y, int width, int height)
{
    (void)x;
    (void)y;
    (void)width;
    (void)height;
    glXSwapBuffers(display, drawable);
}
