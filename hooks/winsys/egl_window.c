/** @file
 * See egl_window.h. The window of a surface is known where the display was made from a display of Xlib or a
 * connection of xcb. With EGL_DEFAULT_DISPLAY the driver has a connection of its own, which no function of
 * EGL returns. */
#include "hooks/winsys/egl_window.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters/util/array_size.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/process.h"
#include "hooks/winsys/x11.h"

#define PLATFORM_XCB 0x31DC /* EGL_EXT_platform_xcb, which is newer than epoxy's header */

enum native { NATIVE_OTHER, NATIVE_XLIB, NATIVE_XCB };

struct window {
    struct window *next;
    EGLDisplay display;
    EGLSurface surface;
    uint32_t number;
};

static struct {
    pthread_mutex_t lock;
    struct display {
        EGLDisplay display; /* EGL_NO_DISPLAY: the place is free */
        enum native native;
        void *connection; /* Display of Xlib, connection of xcb */
    } display[16];
    struct window *first;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Displays. */

/* Is it a display of Xlib? The displays of Wayland and GBM, which eglGetDisplay() takes as well, are larger
 * than the part of Xlib's display that is read here. Only Xlib's has its function at this place. */
static bool
is_xlib(EGLNativeDisplayType native)
{
    const uintptr_t address = (uintptr_t)native, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char in_memory;
    if (address < page || address % sizeof(void *) != 0)
        return false;
    /* other handles than pointers may be given */
    const uintptr_t member = (uintptr_t) & ((_XPrivDisplay)native)->resource_alloc;
    pp_gl_proc alloc = pp_loaded_symbol("libX11.so.6", "_XAllocID");
    return alloc && mincore((void *)(member - member % page), 1, &in_memory) == 0 &&
           (pp_gl_proc)((_XPrivDisplay)native)->resource_alloc == alloc;
}

static EGLDisplay
note_display(EGLDisplay display, enum native native, void *connection)
{
    struct display *place = NULL;
    if (display == EGL_NO_DISPLAY || pp_gl_process_is_child())
        return display;
    pthread_mutex_lock(&known.lock);
    for (size_t i = 0; i < PP_ARRAY_SIZE(known.display); i++)
        if (known.display[i].display == display || (!place && known.display[i].display == EGL_NO_DISPLAY))
            place = &known.display[i];
    if (place && (place->display == display || native != NATIVE_OTHER))
        *place = (struct display){display, native, connection};
    pthread_mutex_unlock(&known.lock);
    return display;
}

static EGLDisplay
note_platform_display(EGLDisplay display, EGLenum platform, void *native)
{
    enum native kind = !native                            ? NATIVE_OTHER
                       : platform == EGL_PLATFORM_X11_KHR ? NATIVE_XLIB
                       : platform == PLATFORM_XCB         ? NATIVE_XCB
                                                          : NATIVE_OTHER;
    return note_display(display, kind, native);
}

EGLDisplay
pp_gl_egl_get_display(pp_fn_eglGetDisplay real, EGLNativeDisplayType native)
{
    EGLDisplay display = real ? real(native) : EGL_NO_DISPLAY;
    int saved = errno;
    if (display != EGL_NO_DISPLAY)
        (void)note_display(display, is_xlib(native) ? NATIVE_XLIB : NATIVE_OTHER, native);
    errno = saved;
    return display;
}

EGLDisplay
pp_gl_egl_get_platform_display(pp_fn_eglGetPlatformDisplay real, EGLenum platform, void *native,
                               const EGLAttrib *attribs)
{
    return real ? note_platform_display(real(platform, native, attribs), platform, native) : EGL_NO_DISPLAY;
}

EGLDisplay
pp_gl_egl_get_platform_display_ext(pp_fn_eglGetPlatformDisplayEXT real, EGLenum platform, void *native,
                                   const EGLint *attribs)
{
    return real ? note_platform_display(real(platform, native, attribs), platform, native) : EGL_NO_DISPLAY;
}

/* Windows. */

static struct display *
display_locked(EGLDisplay display)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(known.display); i++)
        if (display != EGL_NO_DISPLAY && known.display[i].display == display)
            return &known.display[i];
    return NULL;
}

static struct window *
window_locked(EGLDisplay display, EGLSurface surface)
{
    struct window *at = known.first;
    while (at && (at->display != display || at->surface != surface))
        at = at->next;
    return at;
}

/* Only Mesa is known to use the application's connection in each swap, on the thread that swaps, and to read
 * the number of the window where it is pointed to. Only after a call about the display that succeeded. */
static bool
is_mesa(EGLDisplay display)
{
    const char *vendor = pp_eglQueryString ? pp_eglQueryString(display, EGL_VENDOR) : NULL;
    return vendor && strstr(vendor, "Mesa");
}

/* A surface was made. @param pointed Points to the number of the window; NULL: `number` is it. */
static EGLSurface
note_window(EGLDisplay display, EGLSurface surface, const void *pointed, uintptr_t number)
{
    if (surface == EGL_NO_SURFACE || pp_gl_process_is_child())
        return surface;
    int saved = errno;
    if (!is_mesa(display)) {
        errno = saved;
        return surface;
    }
    pthread_mutex_lock(&known.lock);
    const struct display *of = display_locked(display);
    enum native native = of ? of->native : NATIVE_OTHER;
    struct window *window = window_locked(display, surface);
    if (pointed && native != NATIVE_OTHER)
        number = native == NATIVE_XCB ? *(const uint32_t *)pointed : *(const Window *)pointed;
    if (!window && native != NATIVE_OTHER && (window = calloc(1, sizeof(*window)))) {
        *window = (struct window){known.first, display, surface, 0};
        known.first = window;
    }
    if (window)
        window->number = native != NATIVE_OTHER ? (uint32_t)number : 0;
    pthread_mutex_unlock(&known.lock);
    errno = saved;
    return surface;
}

EGLSurface
pp_gl_egl_create_window_surface(pp_fn_eglCreateWindowSurface real, EGLDisplay display, EGLConfig config,
                                EGLNativeWindowType window, const EGLint *attribs)
{
    return real ? note_window(display, real(display, config, window, attribs), NULL, (uintptr_t)window)
                : EGL_NO_SURFACE;
}

EGLSurface
pp_gl_egl_create_platform_window_surface(pp_fn_eglCreatePlatformWindowSurface real, EGLDisplay display,
                                         EGLConfig config, void *window, const EGLAttrib *attribs)
{
    return real ? note_window(display, real(display, config, window, attribs), window, 0) : EGL_NO_SURFACE;
}

EGLSurface
pp_gl_egl_create_platform_window_surface_ext(pp_fn_eglCreatePlatformWindowSurfaceEXT real, EGLDisplay display,
                                             EGLConfig config, void *window, const EGLint *attribs)
{
    return real ? note_window(display, real(display, config, window, attribs), window, 0) : EGL_NO_SURFACE;
}

uint32_t
pp_gl_egl_window(EGLDisplay display, EGLSurface surface, struct xcb_connection_t **ret_connection)
{
    struct display of = {.native = NATIVE_OTHER};
    *ret_connection = NULL;
    pthread_mutex_lock(&known.lock);
    const struct window *window = window_locked(display, surface);
    uint32_t number = window ? window->number : 0;
    if (number && display_locked(display))
        of = *display_locked(display);
    pthread_mutex_unlock(&known.lock);
    if (of.native == NATIVE_XLIB && pp_gl_x11_watch(of.connection))
        *ret_connection = pp_gl_x11_connection(of.connection);
    else if (of.native == NATIVE_XCB)
        *ret_connection = pp_gl_x11_connection_of_xcb(of.connection);
    return number;
}

void
pp_gl_egl_window_gone(EGLDisplay display, EGLSurface surface)
{
    int saved = errno;
    if (pp_gl_process_is_child())
        return;
    pthread_mutex_lock(&known.lock);
    for (struct window **at = &known.first; *at;) {
        struct window *window = *at;
        if (window->display != display || (surface != EGL_NO_SURFACE && window->surface != surface)) {
            at = &window->next;
            continue;
        }
        *at = window->next;
        free(window);
    }
    pthread_mutex_unlock(&known.lock);
    errno = saved;
}
