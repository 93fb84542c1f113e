/** @file
 * See egl.h. EGL remembers the error of the last call for the application. So passprobe calls EGL
 * only after a call of the application that succeeded, and only with calls that succeed. */
#include "hooks/winsys/egl.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hooks/base/context.h"
#include "hooks/measure/frame.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/process.h"
#include "hooks/state/surface.h"
#include "hooks/winsys/current.h"
#include "hooks/winsys/egl_window.h"
#include "hooks/winsys/x11.h"

static EGLint
config_value(EGLDisplay display, EGLConfig config, EGLint what)
{
    EGLint value = 0;
    (void)pp_eglGetConfigAttrib(display, config, what, &value);
    return value;
}

static void
describe(EGLDisplay display, EGLSurface surface, struct pp_gl_surface_info *info)
{
    EGLint id = 0, count = 0;
    EGLConfig config;
    if (!pp_eglQuerySurface(display, surface, EGL_CONFIG_ID, &id))
        return;
    const EGLint wanted[] = {EGL_CONFIG_ID, id, EGL_NONE};
    if (!pp_eglChooseConfig(display, wanted, &config, 1, &count) || count < 1)
        return;
    info->red = (uint8_t)config_value(display, config, EGL_RED_SIZE);
    info->green = (uint8_t)config_value(display, config, EGL_GREEN_SIZE);
    info->blue = (uint8_t)config_value(display, config, EGL_BLUE_SIZE);
    info->alpha = (uint8_t)config_value(display, config, EGL_ALPHA_SIZE);
    info->depth = (uint8_t)config_value(display, config, EGL_DEPTH_SIZE);
    info->stencil = (uint8_t)config_value(display, config, EGL_STENCIL_SIZE);
    info->samples = (uint8_t)config_value(display, config, EGL_SAMPLES);
}

static void
measure(EGLDisplay display, EGLSurface surface, uint32_t *width, uint32_t *height)
{
    EGLint w = 0, h = 0;
    (void)pp_eglQuerySurface(display, surface, EGL_WIDTH, &w);
    (void)pp_eglQuerySurface(display, surface, EGL_HEIGHT, &h);
    *width = w > 0 ? (uint32_t)w : 0;
    *height = h > 0 ? (uint32_t)h : 0;
}

/* Follow the size of a surface at a swap or make-current. For an X window, Mesa's eglQuerySurface() asks the
 * X server and waits, so x11.c does it. On other platforms Mesa knows the size.
 * @param swapped A swap succeeded, so the application's connection is still there. */
static void
follow_size(EGLDisplay display, EGLSurface handle, struct pp_gl_surface *surface, bool swapped)
{
    uint32_t width, height;
    if (surface->keeps_size || (surface->connection && !swapped) || pp_gl_x11_follow_size(surface) ||
        !pp_gl_surface_size_due(surface))
        return;
    measure(display, handle, &width, &height);
    pp_gl_surface_resized(surface, width, height);
}

static struct pp_gl_surface *
surface_of(EGLDisplay display, EGLSurface handle)
{
    if (handle == EGL_NO_SURFACE)
        return NULL;
    struct pp_gl_surface *surface = pp_gl_surface_find(PP_WINSYS_EGL, display, (uintptr_t)handle);
    if (surface) {
        follow_size(display, handle, surface, false);
        return surface;
    }
    struct pp_gl_surface_info info = {.kind = "window"};
    measure(display, handle, &info.width, &info.height);
    info.x_drawable = pp_gl_egl_window(display, handle, &info.connection);
    EGLint largest = -1, buffer = EGL_BACK_BUFFER;
    /* EGL sets this value only for a pbuffer. */
    (void)pp_eglQuerySurface(display, handle, EGL_LARGEST_PBUFFER, &largest);
    (void)pp_eglQuerySurface(display, handle, EGL_RENDER_BUFFER, &buffer);
    info.presents = largest == -1 && buffer == EGL_BACK_BUFFER;
    if (largest != -1) {
        info.kind = "pbuffer";
        info.keeps_size = true;
    }
    describe(display, handle, &info);
    return pp_gl_surface_add(PP_WINSYS_EGL, display, (uintptr_t)handle, &info);
}

static bool
already_current(EGLDisplay display, EGLSurface draw, EGLContext context)
{
    const struct pp_gl_context *ctx = pp_gl_tls.current;
    return ctx && ctx->winsys == PP_WINSYS_EGL && ctx->handle == context && ctx->display == display &&
           ctx->surface && ctx->surface->drawable == (uintptr_t)draw && !ctx->surface->gone;
}

EGLBoolean
pp_gl_egl_make_current(pp_fn_eglMakeCurrent real, EGLDisplay display, EGLSurface draw, EGLSurface read,
                       EGLContext context)
{
    if (!real)
        return EGL_FALSE;
    if (!pp_gl_enter()) {
        pp_gl_process_report_child(context);
        return real(display, draw, read, context);
    }
    int saved = errno;
    bool changes = !already_current(display, draw, context);
    if (changes)
        pp_gl_context_detach(context == EGL_NO_CONTEXT);
    errno = saved;
    EGLBoolean ok = real(display, draw, read, context);
    saved = errno;
    if (changes && ok && context != EGL_NO_CONTEXT) {
        struct pp_gl_context *ctx = pp_gl_context_find(PP_WINSYS_EGL, display, context, NULL);
        if (ctx)
            pp_gl_context_attach(ctx, surface_of(display, draw));
    } else if (changes && ok) {
        pp_gl_context_clear_current();
    }
    pp_gl_leave();
    errno = saved;
    return ok;
}

EGLBoolean
pp_gl_egl_release_thread(pp_fn_eglReleaseThread real)
{
    if (!real)
        return EGL_FALSE;
    if (!pp_gl_enter())
        return real();
    int saved = errno;
    bool egl = pp_gl_tls.current && pp_gl_tls.current->winsys == PP_WINSYS_EGL;
    if (egl)
        pp_gl_context_detach(true);
    errno = saved;
    EGLBoolean ok = real();
    saved = errno;
    if (egl && ok)
        pp_gl_context_clear_current();
    pp_gl_leave();
    errno = saved;
    return ok;
}

EGLContext
pp_gl_egl_create_context(pp_fn_eglCreateContext real, EGLDisplay display, EGLConfig config, EGLContext share,
                         const EGLint *attribs)
{
    if (!real)
        return EGL_NO_CONTEXT;
    if (!pp_gl_enter())
        return real(display, config, share, attribs);
    EGLContext context = real(display, config, share, attribs);
    int saved = errno;
    if (context != EGL_NO_CONTEXT)
        (void)pp_gl_context_created(PP_WINSYS_EGL, display, context, share);
    pp_gl_leave();
    errno = saved;
    return context;
}

/* What the thread needs that reads the last results of a context. The application destroys the context, which
 * is current on no thread. */
struct last_results {
    struct pp_gl_context *ctx;
    EGLDisplay display;
    EGLContext context;
    pp_fn_eglMakeCurrent make_current;
    pp_fn_eglReleaseThread release_thread;
    _Atomic(int) state; /* enum LAST_*: which thread frees the rest */
};

enum { LAST_WAITED, LAST_READING, LAST_GIVEN_UP };

static void *
read_last(void *data)
{
    struct last_results *last = data;
    int state = LAST_WAITED;
    bool current = last->make_current(last->display, EGL_NO_SURFACE, EGL_NO_SURFACE, last->context);
    bool reads = atomic_compare_exchange_strong(&last->state, &state, LAST_READING);
    if (current && reads)
        pp_gl_context_read_last(last->ctx);
    if (current)
        (void)last->make_current(last->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    (void)last->release_thread();
    if (!reads)
        free(last);
    return NULL;
}

/* Wait for the thread, two seconds at most: a driver's call in it may not return, because the application may
 * hold a lock that the driver needs, such as the dynamic loader's lock in a destructor. After such a timeout
 * the thread frees `last`. */
static void
join_last(pthread_t thread, struct last_results *last)
{
    struct timespec until;
    int state = LAST_WAITED;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    if (pthread_timedjoin_np(thread, NULL, &until) == 0) {
        free(last);
    } else if (atomic_compare_exchange_strong(&last->state, &state, LAST_GIVEN_UP)) {
        (void)pthread_detach(thread);
    } else { /* the thread is reading, which takes a second at most */
        (void)pthread_join(thread, NULL);
        free(last);
    }
}

static struct last_results *
make_last(EGLDisplay display, EGLContext context)
{
    struct pp_gl_context *ctx = pp_gl_context_find_waiting(PP_WINSYS_EGL, display, context);
    const char *extensions = ctx && pp_eglQueryString ? pp_eglQueryString(display, EGL_EXTENSIONS) : NULL;
    if (!extensions || !strstr(extensions, "EGL_KHR_surfaceless_context") || !pp_eglMakeCurrent ||
        !pp_eglReleaseThread)
        return NULL;
    struct last_results *last = calloc(1, sizeof(*last));
    if (!last)
        return NULL;
    last->ctx = ctx;
    last->display = display;
    last->context = context;
    last->make_current = pp_eglMakeCurrent;
    last->release_thread = pp_eglReleaseThread;
    return last;
}

/* Read the results that the context still has; the application destroys it afterwards. Only that context can
 * read its queries, so it is made current, without a surface, on a thread of passprobe: the application's
 * thread keeps its current context and its errors. */
static void
save_last(EGLDisplay display, EGLContext context)
{
    struct last_results *last = make_last(display, context);
    pthread_t thread;
    sigset_t all, before;
    if (!last)
        return;
    /* The application's threads receive the application's signals; this thread blocks them all. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&thread, NULL, read_last, last);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0)
        join_last(thread, last);
    else
        free(last);
}

EGLBoolean
pp_gl_egl_destroy_context(pp_fn_eglDestroyContext real, EGLDisplay display, EGLContext context)
{
    if (!real)
        return EGL_FALSE;
    if (!pp_gl_enter())
        return real(display, context);
    int saved = errno;
    if (context != EGL_NO_CONTEXT) {
        save_last(display, context);
        pp_gl_context_destroy(PP_WINSYS_EGL, display, context);
    }
    errno = saved;
    EGLBoolean ok = real(display, context);
    pp_gl_leave();
    return ok;
}

EGLBoolean
pp_gl_egl_destroy_surface(pp_fn_eglDestroySurface real, EGLDisplay display, EGLSurface surface)
{
    if (!real)
        return EGL_FALSE;
    if (surface != EGL_NO_SURFACE)
        pp_gl_egl_window_gone(display, surface);
    if (!pp_gl_enter())
        return real(display, surface);
    int saved = errno;
    pp_gl_surface_gone(PP_WINSYS_EGL, display, (uintptr_t)surface);
    errno = saved;
    EGLBoolean ok = real(display, surface);
    pp_gl_leave();
    return ok;
}

EGLBoolean
pp_gl_egl_terminate(pp_fn_eglTerminate real, EGLDisplay display)
{
    if (!real)
        return EGL_FALSE;
    pp_gl_egl_window_gone(display, EGL_NO_SURFACE);
    if (!pp_gl_enter())
        return real(display);
    int saved = errno;
    struct pp_gl_context *ctx = pp_gl_tls.current;
    uint32_t number = 0;
    /* The driver destroys contexts that are current on no thread. Mesa's drivers for Intel then close the OA
     * unit before the GPU has ended their queries, and the end of one hangs the GPU. */
    for (EGLContext waiting = pp_gl_context_next_waiting(PP_WINSYS_EGL, display, &number); waiting;
         waiting = pp_gl_context_next_waiting(PP_WINSYS_EGL, display, &number))
        save_last(display, waiting);
    /* A current context stays usable. Its waiting results are read now, because this may be the last chance.
     */
    if (ctx && ctx->winsys == PP_WINSYS_EGL && ctx->display == display)
        pp_gl_context_detach(true);
    errno = saved;
    EGLBoolean ok = real(display);
    saved = errno;
    if (ok)
        pp_gl_display_closed(display, false);
    pp_gl_leave();
    errno = saved;
    return ok;
}

/* Swaps. */

static EGLBoolean
finish_swap(struct pp_gl_swap *swap, EGLDisplay display, EGLSurface handle, EGLBoolean ok)
{
    pp_gl_swap_end(swap, ok != EGL_FALSE);
    int saved = errno;
    if (ok && swap->surface)
        follow_size(display, handle, swap->surface, true);
    pp_gl_swap_done(swap);
    pp_gl_leave();
    errno = saved;
    return ok;
}

EGLBoolean
pp_gl_egl_swap_buffers(pp_fn_eglSwapBuffers real, EGLDisplay display, EGLSurface surface)
{
    struct pp_gl_swap swap;
    if (!real)
        return EGL_FALSE;
    if (!pp_gl_enter())
        return real(display, surface);
    pp_gl_swap_begin(&swap, PP_WINSYS_EGL, display, (uintptr_t)surface);
    return finish_swap(&swap, display, surface, real(display, surface));
}

EGLBoolean
pp_gl_egl_swap_buffers_damage(pp_fn_eglSwapBuffersWithDamageKHR real, EGLDisplay display, EGLSurface surface,
                              const EGLint *rects, EGLint count)
{
    struct pp_gl_swap swap;
    if (!real)
        return EGL_FALSE;
    if (!pp_gl_enter())
        return real(display, surface, rects, count);
    pp_gl_swap_begin(&swap, PP_WINSYS_EGL, display, (uintptr_t)surface);
    return finish_swap(&swap, display, surface, real(display, surface, rects, count));
}

EGLBoolean
pp_gl_egl_swap_buffers_region(pp_fn_eglSwapBuffersRegionNOK real, EGLDisplay display, EGLSurface surface,
                              EGLint count, const EGLint *rects)
{
    struct pp_gl_swap swap;
    if (!real)
        return EGL_FALSE;
    if (!pp_gl_enter())
        return real(display, surface, count, rects);
    pp_gl_swap_begin(&swap, PP_WINSYS_EGL, display, (uintptr_t)surface);
    return finish_swap(&swap, display, surface, real(display, surface, count, rects));
}

EGLBoolean
pp_gl_egl_post_sub_buffer(pp_fn_eglPostSubBufferNV real, EGLDisplay display, EGLSurface surface, EGLint x,
                          EGLint y, EGLint width, EGLint height)
{
    struct pp_gl_swap swap;
    if (!real)
        return EGL_FALSE;
    if (!pp_gl_enter())
        return real(display, surface, x, y, width, height);
    pp_gl_swap_begin(&swap, PP_WINSYS_EGL, display, (uintptr_t)surface);
    return finish_swap(&swap, display, surface, real(display, surface, x, y, width, height));
}

EGLBoolean
pp_gl_egl_copy_buffers(pp_fn_eglCopyBuffers real, EGLDisplay display, EGLSurface surface,
                       EGLNativePixmapType target)
{
    struct pp_gl_swap swap;
    if (!real)
        return EGL_FALSE;
    if (!pp_gl_enter())
        return real(display, surface, target);
    pp_gl_swap_begin(&swap, PP_WINSYS_EGL, display, (uintptr_t)surface);
    return finish_swap(&swap, display, surface, real(display, surface, target));
}
