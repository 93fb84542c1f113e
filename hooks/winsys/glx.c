/** @file
 * See glx.h. x11.c asks the X server for the sizes of windows, on the thread and display that the application
 * just used for GLX: at some swaps and make-currents. Only for a new drawable the answer is waited for. */
#include "hooks/winsys/glx.h"

#include <errno.h>
#include <stdlib.h>

#include "hooks/base/context.h"
#include "hooks/base/map.h"
#include "hooks/measure/frame.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/process.h"
#include "hooks/state/surface.h"
#include "hooks/winsys/current.h"
#include "hooks/winsys/x11.h"

/* Drawables of GLX that are not X drawables. */
struct glx_drawable {
    Drawable x;       /* window or pixmap that it shows; 0: a pbuffer */
    const char *kind; /* as in pp_gl_surface_info */
};

static struct {
    pthread_mutex_t lock;
    struct pp_gl_map drawables; /* by XID */
} glx = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
special(GLXDrawable drawable, struct glx_drawable *ret)
{
    pthread_mutex_lock(&glx.lock);
    const struct glx_drawable *known = pp_gl_map_get(&glx.drawables, (uint32_t)drawable);
    if (known)
        *ret = *known;
    pthread_mutex_unlock(&glx.lock);
    return known != NULL;
}

/* Get the size of a drawable; 0: not known. @p alive The drawable was just made current, so it exists and the
 * question cannot fail. */
static void
measure(Display *display, GLXDrawable drawable, bool alive, uint32_t *width, uint32_t *height)
{
    struct glx_drawable known = {.x = drawable, .kind = "window"};
    *width = 0;
    *height = 0;
    if (special(drawable, &known) && known.x == 0) {
        /* A pbuffer keeps its size. */
        if (alive) {
            pp_glXQueryDrawable(display, drawable, GLX_WIDTH, width);
            pp_glXQueryDrawable(display, drawable, GLX_HEIGHT, height);
        }
    } else if (pp_gl_x11_size(display, known.x, width, height) == -ENOSYS && alive) {
        pp_gl_x11_size_by_xlib(display, known.x, width, height);
    }
}

/* Follow the size of a drawable. @param alive It exists, so that Xlib may be asked for it. */
static void
follow_size(Display *display, GLXDrawable drawable, struct pp_gl_surface *surface, bool alive)
{
    uint32_t width, height;
    if (surface->keeps_size || pp_gl_x11_follow_size(surface) || !pp_gl_surface_size_due(surface))
        return;
    measure(display, drawable, alive, &width, &height);
    pp_gl_surface_resized(surface, width, height);
}

/* Check whether some old windows still exist. Each new window does this, because an application may destroy
 * windows by X without a call of GLX. */
static void
forget_gone(Display *display)
{
    uint32_t width, height;
    for (unsigned i = 0; i < 2; i++) {
        struct pp_gl_surface *idle = pp_gl_surface_idle(PP_WINSYS_GLX, display);
        struct glx_drawable known;
        bool window = idle && !special(idle->drawable, &known);
        if (window && pp_gl_x11_size(display, idle->drawable, &width, &height) == -ENODATA)
            pp_gl_surface_retire(idle);
        else
            pp_gl_surface_unref(idle);
    }
}

static uint8_t
config_value(Display *display, GLXFBConfig config, int what)
{
    int value = 0;
    (void)pp_glXGetFBConfigAttrib(display, config, what, &value);
    return (uint8_t)value;
}

/* Read colors, depth and samples from the context's configuration, which its drawables share. For a context
 * that was made from a visual, Mesa's glXQueryContext() returns -1; then the visual has them. */
static void
describe(Display *display, GLXContext context, const struct pp_gl_context *ctx,
         struct pp_gl_surface_info *info)
{
    int id = 0, screen = 0, count = 0;
    if (pp_glXQueryContext(display, context, GLX_FBCONFIG_ID, &id) ||
        pp_glXQueryContext(display, context, GLX_SCREEN, &screen) || !pp_gl_x11_load())
        return;
    int what = id > 0 ? GLX_FBCONFIG_ID : GLX_VISUAL_ID;
    id = id > 0 ? id : (int)ctx->visual;
    GLXFBConfig *config = pp_glXGetFBConfigs(display, screen, &count);
    for (int i = 0; config && i < count; i++) {
        int this_id = 0;
        (void)pp_glXGetFBConfigAttrib(display, config[i], what, &this_id);
        if (this_id != id || id <= 0)
            continue;
        info->red = config_value(display, config[i], GLX_RED_SIZE);
        info->green = config_value(display, config[i], GLX_GREEN_SIZE);
        info->blue = config_value(display, config[i], GLX_BLUE_SIZE);
        info->alpha = config_value(display, config[i], GLX_ALPHA_SIZE);
        info->depth = config_value(display, config[i], GLX_DEPTH_SIZE);
        info->stencil = config_value(display, config[i], GLX_STENCIL_SIZE);
        info->samples = config_value(display, config[i], GLX_SAMPLES);
        info->presents = config_value(display, config[i], GLX_DOUBLEBUFFER) != 0;
        break;
    }
    if (config)
        pp_gl_x11_free(config);
}

static struct pp_gl_surface *
surface_of(Display *display, GLXDrawable drawable, GLXContext context, const struct pp_gl_context *ctx)
{
    bool closes = pp_gl_x11_watch(display);
    struct glx_drawable known = {.x = drawable, .kind = "window"};
    if (!drawable)
        return NULL;
    struct pp_gl_surface *surface = pp_gl_surface_find(PP_WINSYS_GLX, display, drawable);
    uint32_t width, height;
    if (surface) {
        follow_size(display, drawable, surface, true);
        return surface;
    }
    measure(display, drawable, true, &width, &height);
    bool is_special = special(drawable, &known);
    struct pp_gl_surface_info info = {
        .kind = "window",
        .presents = true,
        .connection = known.x && closes ? pp_gl_x11_connection(display) : NULL,
        .x_drawable = (uint32_t)known.x,
        .width = width,
        .height = height,
    };
    describe(display, context, ctx, &info);
    forget_gone(display);
    if (is_special && known.kind[0] == 'p') {
        info.kind = known.kind;
        info.presents = false;
        info.keeps_size = true;
    }
    return pp_gl_surface_add(PP_WINSYS_GLX, display, drawable, &info);
}

static void
made_current(Display *display, GLXDrawable draw, GLXContext context)
{
    struct pp_gl_context *ctx = pp_gl_context_find(PP_WINSYS_GLX, display, context, NULL);
    if (!ctx)
        return;
    pp_gl_context_attach(ctx, surface_of(display, draw, context, ctx));
}

static bool
already_current(Display *display, GLXDrawable draw, GLXContext context)
{
    const struct pp_gl_context *ctx = pp_gl_tls.current;
    return ctx && ctx->winsys == PP_WINSYS_GLX && ctx->handle == context && ctx->display == display &&
           ctx->surface && ctx->surface->drawable == draw && !ctx->surface->gone;
}

/* What happens before both make-current functions. */
static bool
begin_switch(Display *display, GLXDrawable draw, GLXContext context)
{
    if (already_current(display, draw, context))
        return false;
    pp_gl_context_detach(!context);
    return true;
}

/* What happens after both make-current functions. A failed switch leaves the old context current. */
static void
end_switch(Display *display, GLXDrawable draw, GLXContext context, Bool ok)
{
    if (!ok)
        return;
    if (context)
        made_current(display, draw, context);
    else
        pp_gl_context_clear_current();
}

Bool
pp_gl_glx_make_current(pp_fn_glXMakeCurrent real, Display *display, GLXDrawable drawable, GLXContext context)
{
    if (!real)
        return False;
    if (!pp_gl_enter()) {
        pp_gl_process_report_child(context);
        return real(display, drawable, context);
    }
    int saved = errno;
    bool changes = begin_switch(display, drawable, context);
    errno = saved;
    Bool ok = real(display, drawable, context);
    saved = errno;
    if (changes)
        end_switch(display, drawable, context, ok);
    pp_gl_leave();
    errno = saved;
    return ok;
}

Bool
pp_gl_glx_make_context_current(pp_fn_glXMakeContextCurrent real, Display *display, GLXDrawable draw,
                               GLXDrawable read, GLXContext context)
{
    if (!real)
        return False;
    if (!pp_gl_enter()) {
        pp_gl_process_report_child(context);
        return real(display, draw, read, context);
    }
    int saved = errno;
    bool changes = begin_switch(display, draw, context);
    errno = saved;
    Bool ok = real(display, draw, read, context);
    saved = errno;
    if (changes)
        end_switch(display, draw, context, ok);
    pp_gl_leave();
    errno = saved;
    return ok;
}

/* Contexts. */

static GLXContext
note_context(Display *display, GLXContext context, GLXContext share, VisualID visual)
{
    int saved = errno;
    struct pp_gl_context *ctx =
        context ? pp_gl_context_created(PP_WINSYS_GLX, display, context, share) : NULL;
    if (ctx)
        ctx->visual = (uint32_t)visual;
    pp_gl_leave();
    errno = saved;
    return context;
}

GLXContext
pp_gl_glx_create_context(pp_fn_glXCreateContext real, Display *display, XVisualInfo *visual, GLXContext share,
                         Bool direct)
{
    if (!real)
        return NULL;
    if (!pp_gl_enter())
        return real(display, visual, share, direct);
    return note_context(display, real(display, visual, share, direct), share, visual ? visual->visualid : 0);
}

GLXContext
pp_gl_glx_create_new_context(pp_fn_glXCreateNewContext real, Display *display, GLXFBConfig config, int type,
                             GLXContext share, Bool direct)
{
    if (!real)
        return NULL;
    if (!pp_gl_enter())
        return real(display, config, type, share, direct);
    return note_context(display, real(display, config, type, share, direct), share, 0);
}

GLXContext
pp_gl_glx_create_context_attribs(pp_fn_glXCreateContextAttribsARB real, Display *display, GLXFBConfig config,
                                 GLXContext share, Bool direct, const int *attribs)
{
    if (!real)
        return NULL;
    if (!pp_gl_enter())
        return real(display, config, share, direct, attribs);
    return note_context(display, real(display, config, share, direct, attribs), share, 0);
}

void
pp_gl_glx_destroy_context(pp_fn_glXDestroyContext real, Display *display, GLXContext context)
{
    if (!real)
        return;
    bool entered = pp_gl_enter() != NULL;
    int saved = errno;
    if (entered && context)
        pp_gl_context_destroy(PP_WINSYS_GLX, display, context);
    errno = saved;
    real(display, context);
    if (entered)
        pp_gl_leave();
}

/* Drawables. */

static void
note_drawable(GLXDrawable drawable, Drawable x, const char *kind)
{
    int saved = errno;
    pthread_mutex_lock(&glx.lock);
    struct glx_drawable *known =
        drawable ? pp_gl_map_add(&glx.drawables, (uint32_t)drawable, sizeof(*known)) : NULL;
    if (known)
        *known = (struct glx_drawable){x, kind};
    pthread_mutex_unlock(&glx.lock);
    pp_gl_leave();
    errno = saved;
}

GLXWindow
pp_gl_glx_create_window(pp_fn_glXCreateWindow real, Display *display, GLXFBConfig config, Window window,
                        const int *attribs)
{
    if (!real)
        return 0;
    if (!pp_gl_enter())
        return real(display, config, window, attribs);
    GLXWindow made = real(display, config, window, attribs);
    note_drawable(made, window, "window");
    return made;
}

GLXPbuffer
pp_gl_glx_create_pbuffer(pp_fn_glXCreatePbuffer real, Display *display, GLXFBConfig config,
                         const int *attribs)
{
    if (!real)
        return 0;
    if (!pp_gl_enter())
        return real(display, config, attribs);
    GLXPbuffer made = real(display, config, attribs);
    note_drawable(made, 0, "pbuffer");
    return made;
}

GLXPixmap
pp_gl_glx_create_pixmap(pp_fn_glXCreatePixmap real, Display *display, GLXFBConfig config, Pixmap pixmap,
                        const int *attribs)
{
    if (!real)
        return 0;
    if (!pp_gl_enter())
        return real(display, config, pixmap, attribs);
    GLXPixmap made = real(display, config, pixmap, attribs);
    note_drawable(made, pixmap, "pixmap");
    return made;
}

GLXPixmap
pp_gl_glx_create_glx_pixmap(pp_fn_glXCreateGLXPixmap real, Display *display, XVisualInfo *visual,
                            Pixmap pixmap)
{
    if (!real)
        return 0;
    if (!pp_gl_enter())
        return real(display, visual, pixmap);
    GLXPixmap made = real(display, visual, pixmap);
    note_drawable(made, pixmap, "pixmap");
    return made;
}

void
pp_gl_glx_destroy_drawable(void (*real)(Display *, GLXDrawable), Display *display, GLXDrawable drawable)
{
    if (!real)
        return;
    bool entered = pp_gl_enter() != NULL;
    int saved = errno;
    if (entered)
        pp_gl_surface_gone(PP_WINSYS_GLX, display, drawable);
    errno = saved;
    real(display, drawable);
    if (entered)
        pp_gl_leave();
}

/* Swaps. */

static void
finish_swap(struct pp_gl_swap *swap, Display *display, GLXDrawable drawable, bool ok)
{
    pp_gl_swap_end(swap, ok);
    int saved = errno;
    if (swap->surface)
        follow_size(display, drawable, swap->surface, false);
    pp_gl_swap_done(swap);
    pp_gl_leave();
    errno = saved;
}

void
pp_gl_glx_swap_buffers(pp_fn_glXSwapBuffers real, Display *display, GLXDrawable drawable)
{
    struct pp_gl_swap swap;
    if (!real)
        return;
    if (!pp_gl_enter()) {
        real(display, drawable);
        return;
    }
    pp_gl_swap_begin(&swap, PP_WINSYS_GLX, display, drawable);
    real(display, drawable);
    finish_swap(&swap, display, drawable, true);
}

int64_t
pp_gl_glx_swap_buffers_msc(pp_fn_glXSwapBuffersMscOML real, Display *display, GLXDrawable drawable,
                           int64_t target, int64_t divisor, int64_t remainder)
{
    struct pp_gl_swap swap;
    if (!real)
        return -1;
    if (!pp_gl_enter())
        return real(display, drawable, target, divisor, remainder);
    pp_gl_swap_begin(&swap, PP_WINSYS_GLX, display, drawable);
    int64_t count = real(display, drawable, target, divisor, remainder);
    finish_swap(&swap, display, drawable, count != -1);
    return count;
}

void
pp_gl_glx_copy_sub_buffer(pp_fn_glXCopySubBufferMESA real, Display *display, GLXDrawable drawable, int x,
                          int y, int width, int height)
{
    struct pp_gl_swap swap;
    if (!real)
        return;
    if (!pp_gl_enter()) {
        real(display, drawable, x, y, width, height);
        return;
    }
    pp_gl_swap_begin(&swap, PP_WINSYS_GLX, display, drawable);
    real(display, drawable, x, y, width, height);
    finish_swap(&swap, display, drawable, true);
}
