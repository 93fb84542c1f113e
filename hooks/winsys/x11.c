/** @file
 * See x11.h. The requests bypass Xlib, because its error handler belongs to the application and would get
 * errors for windows that the application destroyed meanwhile. */
#include "hooks/winsys/x11.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <xcb/xproto.h>

#include "counters/util/array_size.h"
#include "hooks/base/context.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/winsys/current.h"

/* Functions of libX11, which is in every process that uses GLX, and of libxcb. */
static struct {
    Status (*geometry)(Display *, Drawable, Window *, int *, int *, unsigned *, unsigned *, unsigned *,
                       unsigned *);
    xcb_connection_t *(*connection)(Display *);
    xcb_get_geometry_cookie_t (*ask)(xcb_connection_t *, xcb_drawable_t);
    xcb_get_geometry_reply_t *(*reply)(xcb_connection_t *, xcb_get_geometry_cookie_t, xcb_generic_error_t **);
    int (*poll)(xcb_connection_t *, unsigned, void **, xcb_generic_error_t **);
    void (*discard)(xcb_connection_t *, unsigned);
    int (*free)(void *);
    XExtCodes *(*add_extension)(Display *);
    int (*(*on_close)(Display *, int, int (*)(Display *, XExtCodes *)))(Display *, XExtCodes *);
    bool ready;
} x11;

static struct {
    pthread_mutex_t lock;
    Display *display[16];
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool
pp_gl_x11_load(void)
{
    if (x11.ready)
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
    /* Mesa's GLX loads these libraries; NULL: they are not loaded. */
    x11.connection =
        (xcb_connection_t * (*)(Display *)) pp_loaded_symbol("libX11-xcb.so.1", "XGetXCBConnection");
    x11.ask = (xcb_get_geometry_cookie_t(*)(xcb_connection_t *, xcb_drawable_t))pp_loaded_symbol(
        "libxcb.so.1", "xcb_get_geometry");
    x11.reply = (xcb_get_geometry_reply_t *
                 (*)(xcb_connection_t *, xcb_get_geometry_cookie_t, xcb_generic_error_t **))
        pp_loaded_symbol("libxcb.so.1", "xcb_get_geometry_reply");
    x11.poll = (int (*)(xcb_connection_t *, unsigned, void **, xcb_generic_error_t **))pp_loaded_symbol(
        "libxcb.so.1", "xcb_poll_for_reply");
    x11.discard =
        (void (*)(xcb_connection_t *, unsigned))pp_loaded_symbol("libxcb.so.1", "xcb_discard_reply");
    x11.ready = true;
    return true;
}

static bool
can_ask(void)
{
    return pp_gl_x11_load() && x11.connection && x11.ask && x11.reply;
}

/* Take the size out of an answer, and free it. */
static int
take_size(xcb_get_geometry_reply_t *reply, xcb_generic_error_t *error, uint32_t *width, uint32_t *height)
{
    bool gone = error && error->error_code == BadDrawable;
    /* not by free(): core/util/heap_wrap.c counts what this library allocates, and libxcb has these blocks */
    pp_gl_x11_free(error);
    if (!reply)
        return gone ? -ENODATA : -EIO;
    *width = reply->width;
    *height = reply->height;
    pp_gl_x11_free(reply);
    return 0;
}

int
pp_gl_x11_size(Display *display, Drawable drawable, uint32_t *width, uint32_t *height)
{
    xcb_generic_error_t *error = NULL;
    if (!can_ask())
        return -ENOSYS;
    xcb_connection_t *connection = x11.connection(display);
    xcb_get_geometry_reply_t *reply =
        x11.reply(connection, x11.ask(connection, (xcb_drawable_t)drawable), &error);
    return take_size(reply, error, width, height);
}

uint32_t
pp_gl_x11_ask_size(Display *display, Drawable drawable)
{
    if (!can_ask() || !x11.poll || !x11.discard)
        return 0;
    return x11.ask(x11.connection(display), (xcb_drawable_t)drawable).sequence;
}

int
pp_gl_x11_take_size(Display *display, uint32_t question, uint32_t *width, uint32_t *height)
{
    void *reply = NULL;
    xcb_generic_error_t *error = NULL;
    if (!x11.poll(x11.connection(display), question, &reply, &error))
        return -EAGAIN;
    return take_size(reply, error, width, height);
}

void
pp_gl_x11_drop_size(Display *display, uint32_t question)
{
    x11.discard(x11.connection(display), question);
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
    if (x11.ready)
        (void)x11.geometry(display, drawable, &root, &x, &y, width, height, &border, &depth);
}

static int
display_closed(Display *display, XExtCodes *codes)
{
    const struct pp_gl_context *ctx = pp_gl_tls.current;
    (void)codes;
    /* Xlib calls close hooks in reverse order of registration, and passprobe's was registered last. So the
     * driver is still complete here, and must not be torn down while it draws what passprobe submitted. */
    if (ctx && ctx->winsys == PP_WINSYS_GLX && ctx->display == display && !pp_gl_tls.inside)
        pp_gl_context_detach(true);
    pp_gl_display_closed(display, true);
    pthread_mutex_lock(&watched.lock);
    for (size_t i = 0; i < PP_ARRAY_SIZE(watched.display); i++)
        if (watched.display[i] == display)
            watched.display[i] = NULL;
    pthread_mutex_unlock(&watched.lock);
    return 0;
}

void
pp_gl_x11_watch(Display *display)
{
    Display **slot = NULL;
    if (!pp_gl_x11_load())
        return;
    pthread_mutex_lock(&watched.lock);
    for (size_t i = 0; i < PP_ARRAY_SIZE(watched.display); i++) {
        if (watched.display[i] == display) {
            slot = NULL;
            break;
        }
        if (!watched.display[i] && !slot)
            slot = &watched.display[i];
    }
    if (slot)
        *slot = display;
    pthread_mutex_unlock(&watched.lock);
    XExtCodes *codes = slot ? x11.add_extension(display) : NULL;
    if (codes)
        (void)x11.on_close(display, codes->extension, display_closed);
}
