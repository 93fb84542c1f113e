/** @file
 * See x11.h. The requests bypass Xlib, because its error handler belongs to the application and would get
 * errors for windows that the application destroyed meanwhile. */
#include "hooks/winsys/x11.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <xcb/xproto.h>

#include "counters/util/array_size.h"
#include "hooks/base/context.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/process.h"
#include "hooks/state/surface.h"
#include "hooks/winsys/current.h"

/* Functions of libX11, which is in every process that uses GLX. */
static struct {
    Status (*geometry)(Display *, Drawable, Window *, int *, int *, unsigned *, unsigned *, unsigned *,
                       unsigned *);
    int (*free)(void *);
    XExtCodes *(*add_extension)(Display *);
    int (*(*on_close)(Display *, int, int (*)(Display *, XExtCodes *)))(Display *, XExtCodes *);
    atomic_bool ready; /* the others are constant then */
} x11;

/* Functions of libxcb, all or none, and the one that frees its blocks. */
struct xcb_functions {
    xcb_get_geometry_cookie_t (*ask)(xcb_connection_t *, xcb_drawable_t);
    xcb_get_geometry_reply_t *(*reply)(xcb_connection_t *, xcb_get_geometry_cookie_t, xcb_generic_error_t **);
    int (*poll)(xcb_connection_t *, unsigned, void **, xcb_generic_error_t **);
    void (*free)(void *);
};

static struct xcb_functions xcb; /* constant once found.ready is true */

static struct {
    pthread_mutex_t lock;
    bool ready; /* guarded by lock */
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    Display *display[16];
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool
pp_gl_x11_load(void)
{
    if (atomic_load_explicit(&x11.ready, memory_order_acquire))
        return true;
    pp_gl_proc geometry = pp_loaded_symbol("libX11.so.6", "XGetGeometry");
    pp_gl_proc release = pp_loaded_symbol("libX11.so.6", "XFree");
    pp_gl_proc extension = pp_loaded_symbol("libX11.so.6", "XAddExtension");
    pp_gl_proc on_close = pp_loaded_symbol("libX11.so.6", "XESetCloseDisplay");
    if (!geometry || !release || !extension || !on_close)
        return false;
    x11.geometry = (Status(*)(Display *, Drawable, Window *, int *, int *, unsigned *, unsigned *, unsigned *,
                              unsigned *))geometry;
    x11.free = (int (*)(void *))release;
    x11.add_extension = (XExtCodes * (*)(Display *)) extension;
    x11.on_close =
        (int (*(*)(Display *, int, int (*)(Display *, XExtCodes *)))(Display *, XExtCodes *))on_close;
    atomic_store_explicit(&x11.ready, true, memory_order_release);
    return true;
}

static bool
find_xcb(struct xcb_functions *ret)
{
    pp_gl_proc ask = pp_loaded_symbol("libxcb.so.1", "xcb_get_geometry");
    pp_gl_proc reply = pp_loaded_symbol("libxcb.so.1", "xcb_get_geometry_reply");
    pp_gl_proc poll = pp_loaded_symbol("libxcb.so.1", "xcb_poll_for_reply");
    /* core/util/heap_wrap.c counts what this library allocates, and free() would subtract blocks of libxcb */
    void *release = pp_loader()->dlsym(RTLD_DEFAULT, "free");
    if (!ask || !reply || !poll || !release)
        return false;
    ret->ask = (xcb_get_geometry_cookie_t(*)(xcb_connection_t *, xcb_drawable_t))ask;
    ret->reply = (xcb_get_geometry_reply_t *
                  (*)(xcb_connection_t *, xcb_get_geometry_cookie_t, xcb_generic_error_t **)) reply;
    ret->poll = (int (*)(xcb_connection_t *, unsigned, void **, xcb_generic_error_t **))poll;
    memcpy(&ret->free, &release, sizeof(ret->free));
    return true;
}

xcb_connection_t *
pp_gl_x11_connection_of_xcb(void *connection)
{
    struct xcb_functions functions;
    pthread_mutex_lock(&found.lock);
    bool ready = found.ready;
    pthread_mutex_unlock(&found.lock);
    if (ready || !find_xcb(&functions)) /* without the lock: the loader has one, too */
        return ready ? connection : NULL;
    pthread_mutex_lock(&found.lock);
    if (!found.ready)
        xcb = functions;
    found.ready = true;
    pthread_mutex_unlock(&found.lock);
    return connection;
}

xcb_connection_t *
pp_gl_x11_connection(Display *display)
{
    /* Mesa loads this library. */
    xcb_connection_t *(*connection)(Display *) =
        (xcb_connection_t * (*)(Display *)) pp_loaded_symbol("libX11-xcb.so.1", "XGetXCBConnection");
    return connection ? pp_gl_x11_connection_of_xcb(connection(display)) : NULL;
}

/* Take the size out of an answer, and free it. */
static int
take_size(xcb_get_geometry_reply_t *reply, xcb_generic_error_t *error, uint32_t *width, uint32_t *height)
{
    bool gone = error && error->error_code == BadDrawable;
    xcb.free(error);
    if (!reply)
        return gone ? -ENODATA : -EIO;
    *width = reply->width;
    *height = reply->height;
    xcb.free(reply);
    return 0;
}

int
pp_gl_x11_size(Display *display, Drawable drawable, uint32_t *width, uint32_t *height)
{
    xcb_generic_error_t *error = NULL;
    xcb_connection_t *connection = pp_gl_x11_connection(display);
    if (!connection)
        return -ENOSYS;
    xcb_get_geometry_reply_t *reply =
        xcb.reply(connection, xcb.ask(connection, (xcb_drawable_t)drawable), &error);
    return take_size(reply, error, width, height);
}

bool
pp_gl_x11_follow_size(struct pp_gl_surface *surface)
{
    uint32_t width = 0, height = 0;
    void *reply = NULL;
    xcb_generic_error_t *error = NULL;
    if (!surface->connection)
        return false;
    if (surface->size_asked) {
        if (!xcb.poll(surface->connection, surface->size_asked, &reply, &error))
            return true;
        surface->size_asked = 0;
        (void)take_size(reply, error, &width, &height);
        pp_gl_surface_size_answered(surface, width, height);
    }
    if (pp_gl_surface_size_hinted(surface)) {
        surface->size_asked = xcb.ask(surface->connection, surface->x_drawable).sequence;
        if (!surface->size_asked) /* the connection has ended */
            pp_gl_surface_resized(surface, 0, 0);
    }
    return true;
}

void
pp_gl_x11_free(void *data)
{
    (void)x11.free(data);
}

void
pp_gl_x11_size_by_xlib(Display *display, Drawable drawable, uint32_t *width, uint32_t *height)
{
    unsigned border, depth;
    int x, y;
    Window root;
    if (pp_gl_x11_load())
        (void)x11.geometry(display, drawable, &root, &x, &y, width, height, &border, &depth);
}

static int
display_closed(Display *display, XExtCodes *codes)
{
    const struct pp_gl_context *ctx = pp_gl_tls.current;
    (void)codes;
    if (pp_gl_process_is_child()) /* another thread may have held a lock in the fork */
        return 0;
    /* Xlib calls close hooks in reverse order of registration, and passprobe's was registered last. So the
     * driver is still complete here, and must not be torn down while it draws what passprobe submitted. */
    if (ctx && ctx->winsys == PP_WINSYS_GLX && ctx->display == display && !pp_gl_tls.inside)
        pp_gl_context_detach(true);
    pp_gl_display_closed(display, true);
    pp_gl_surfaces_forget_connection(pp_gl_x11_connection(display));
    pthread_mutex_lock(&watched.lock);
    for (size_t i = 0; i < PP_ARRAY_SIZE(watched.display); i++)
        if (watched.display[i] == display)
            watched.display[i] = NULL;
    pthread_mutex_unlock(&watched.lock);
    return 0;
}

bool
pp_gl_x11_watch(Display *display)
{
    Display **slot = NULL;
    bool known = false;
    if (!pp_gl_x11_load())
        return false;
    pthread_mutex_lock(&watched.lock);
    for (size_t i = 0; i < PP_ARRAY_SIZE(watched.display) && !known; i++) {
        known = watched.display[i] == display;
        if (!watched.display[i] && !slot)
            slot = &watched.display[i];
    }
    if (slot && !known)
        *slot = display;
    pthread_mutex_unlock(&watched.lock);
    XExtCodes *codes = slot && !known ? x11.add_extension(display) : NULL;
    if (codes)
        (void)x11.on_close(display, codes->extension, display_closed);
    if (slot && !known && !codes) {
        pthread_mutex_lock(&watched.lock);
        *slot = NULL;
        pthread_mutex_unlock(&watched.lock);
    }
    return known || codes;
}
