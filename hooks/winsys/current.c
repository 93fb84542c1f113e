/** @file
 * See current.h. */
#include "hooks/winsys/current.h"

#include <stdlib.h>

#include "core/load/load.h"
#include "hooks/counters/perf_query.h"
#include "hooks/measure/bracket.h"
#include "hooks/measure/draw.h"
#include "hooks/measure/frame.h"
#include "hooks/measure/readback.h"
#include "hooks/measure/retire.h"
#include "hooks/measure/serialize.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/process.h"
#include "hooks/state/render_target.h"
#include "hooks/state/surface.h"

/* How long a release may wait for the last results, and how often a context may wait. Results arrive within a
 * frame or two; a software driver on a busy machine takes longer. */
#define WAIT_NS    1000000000U
#define WAIT_TIMES 3U
/* How long the end of the process may wait, if results are certain to come. The kernel's drivers end work
 * that takes longer. wineserver kills a process that has not ended after half a second; the collector needs a
 * part of it, too. */
#define WAIT_EXIT_NS 10000000000U
#define WAIT_WINE_NS 20000000U

static struct {
    pthread_mutex_t lock; /* the list lock of context.h */
    struct pp_gl_context *first;
    uint32_t count;
    pthread_once_t once; /* of thread_key */
    pthread_key_t thread_key;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static const struct pp_frontend_ops ops = {
    .api = "gl",
    .bracket_begin = pp_gl_bracket_begin,
    .bracket_end = pp_gl_bracket_end,
    .render_target = pp_gl_render_target,
    .action_list_full = pp_gl_action_list_full,
};

/* Profiling has stopped: end passprobe's queries in the context. An active one would hinder the application's
 * queries, and llvmpipe of Mesa 22.3 corrupts the heap when a context with an active query is destroyed. */
static void
stop_measuring(struct pp_gl_context *ctx)
{
    pp_gl_tls.ctx = NULL;
    if (ctx)
        pp_gl_serialize_drop(ctx);
    if (!ctx || ctx->lost || (ctx->gate & PP_GATE_INSIDE))
        return;
    pp_gl_tls.inside = 1;
    pp_gl_statistics_end(ctx);
    pp_gl_perf_stop(ctx);
    pp_gl_tls.inside = 0;
}

struct pp_session *
pp_gl_enter(void)
{
    if (pp_gl_tls.inside || pp_gl_process_is_child() || pp_gl_process_has_ended() || !pp_core_open())
        return NULL;
    struct pp_session *session = pp_session_get();
    if (!session) {
        stop_measuring(pp_gl_tls.ctx);
        return NULL;
    }
    pp_gl_tls.inside = 1;
    pp_gl_tls.ctx = NULL;
    return session;
}

void
pp_gl_leave(void)
{
    struct pp_gl_context *ctx = pp_gl_tls.current;
    pp_gl_tls.inside = 0;
    pp_gl_tls.ctx = ctx && !ctx->lost ? ctx : NULL;
    if (!pp_session_get())
        stop_measuring(pp_gl_tls.ctx);
}

static struct pp_gl_share *
share_new(void)
{
    struct pp_gl_share *share = calloc(1, sizeof(*share));
    if (share)
        pthread_mutex_init(&share->lock, NULL);
    return share;
}

static void
share_unref_locked(struct pp_gl_share *share)
{
    if (--share->refs > 0)
        return;
    pp_gl_map_finish(&share->images);
    pp_gl_map_finish(&share->sources);
    pp_gl_map_finish(&share->lists);
    pthread_mutex_destroy(&share->lock);
    free(share);
}

static struct pp_gl_context *
find_locked(enum pp_gl_winsys winsys, const void *display, const void *handle)
{
    struct pp_gl_context *at = contexts.first;
    while (at && (at->winsys != winsys || at->handle != handle || at->display != display || at->destroyed))
        at = at->next;
    return at;
}

static struct pp_gl_context *
context_new_locked(enum pp_gl_winsys winsys, void *display, void *handle, struct pp_gl_context *with)
{
    struct pp_gl_context *ctx = calloc(1, sizeof(*ctx));
    struct pp_gl_share *share = with ? with->share : share_new();
    if (!ctx || !share) {
        free(ctx);
        if (share && !with)
            free(share);
        return NULL;
    }
    share->refs++;
    ctx->winsys = winsys;
    ctx->display = display;
    ctx->handle = handle;
    ctx->number = ++contexts.count;
    ctx->share = share;
    ctx->waits_left = WAIT_TIMES;
    ctx->pending.counting = UINT32_MAX;
    ctx->pending.app_active =
        UINT32_MAX; /* queries of the application before its first action are asked for then */
    ctx->perf.running = UINT32_MAX;
    ctx->scene.bracket = UINT32_MAX;
    ctx->pending.unsubmitted_first = UINT32_MAX;
    ctx->pending.open.last = UINT32_MAX;
    pp_track_init(&ctx->tracker, &ops, ctx, NULL, PP_LEVEL_FRAME);
    ctx->next = contexts.first;
    contexts.first = ctx;
    return ctx;
}

static void free_locked(struct pp_gl_context *ctx);

struct pp_gl_context *
pp_gl_context_created(enum pp_gl_winsys winsys, void *display, void *handle, void *share_handle)
{
    pthread_mutex_lock(&contexts.lock);
    struct pp_gl_context *old = find_locked(winsys, display, handle);
    if (old) {
        old->destroyed = true;
        if (!old->current)
            free_locked(old);
    }
    pthread_mutex_unlock(&contexts.lock);
    return pp_gl_context_find(winsys, display, handle, share_handle);
}

struct pp_gl_context *
pp_gl_context_find(enum pp_gl_winsys winsys, void *display, void *handle, void *share_handle)
{
    pthread_mutex_lock(&contexts.lock);
    struct pp_gl_context *ctx = find_locked(winsys, display, handle);
    if (!ctx) {
        struct pp_gl_context *with = share_handle ? find_locked(winsys, display, share_handle) : NULL;
        ctx = context_new_locked(winsys, display, handle, with);
    }
    pthread_mutex_unlock(&contexts.lock);
    return ctx;
}

/* Free a context that the application destroyed and that is current on no thread. Makes no call into OpenGL.
 */
static void
free_locked(struct pp_gl_context *ctx)
{
    struct pp_gl_context **at = &contexts.first;
    while (*at && *at != ctx)
        at = &(*at)->next;
    if (*at)
        *at = ctx->next;
    pp_gl_readback_abandon(ctx);
    pp_gl_readback_finish(ctx);
    pp_gl_perf_state_finish(&ctx->perf);
    pp_gl_map_finish(&ctx->fb.known);
    share_unref_locked(ctx->share);
    pp_gl_surface_retire(ctx->surfaceless);
    pp_gl_surface_unref(ctx->surface);
    free(ctx);
}

void
pp_gl_context_detach(bool release)
{
    struct pp_gl_context *ctx = pp_gl_tls.current;
    if (!ctx || ctx->lost)
        return;
    if ((ctx->gate & PP_GATE_MARKER) && !(ctx->gate & PP_GATE_INSIDE))
        pp_gl_frame_marker(ctx);
    if (ctx->caps.release_keeps) {
        pp_gl_frame_close_unsubmitted(ctx);
        return;
    }
    pp_gl_frame_close(ctx);
    if (!(ctx->gate & PP_GATE_INSIDE))
        pp_gl_wait_unwaited(ctx);
    /* The driver destroys a context that was destroyed while it was current: see pp_gl_egl_terminate(). */
    bool last = ctx->destroyed;
    bool wait = (last || (release && ctx->waits_left > 0)) && !ctx->frame.close_due && ctx->pending.count > 0;
    ctx->waits_left -= wait && !last;
    pp_gl_retire(ctx, wait ? WAIT_NS : 0);
}

static void set_current(struct pp_gl_context *ctx);

/* A thread ends with a current context, which another thread may take over. Makes no call into OpenGL: the
 * driver may have ended its part of the thread before. Wine ends threads wherever they are: one that was in a
 * call of passprobe may hold its locks, and its context stays current. */
static void
on_thread_end(void *user)
{
    struct pp_gl_thread *thread = user;
    if (pp_gl_process_is_child() || (thread->inside && pp_gl_process_is_wine()))
        return;
    if (thread->current)
        pp_gl_serialize_thread_ended(thread->current);
    set_current(NULL);
    pp_gl_surface_unref(thread->presenter);
    *thread = (struct pp_gl_thread){0};
}

static void
make_key(void)
{
    if (pthread_key_create(&contexts.thread_key, on_thread_end))
        contexts.thread_key = (pthread_key_t)-1;
}

static void
set_current(struct pp_gl_context *ctx)
{
    pthread_once(&contexts.once, make_key);
    if (ctx && contexts.thread_key != (pthread_key_t)-1)
        (void)pthread_setspecific(contexts.thread_key, &pp_gl_tls);
    pthread_mutex_lock(&contexts.lock);
    struct pp_gl_context *old = pp_gl_tls.current;
    if (old && old != ctx) {
        old->current = false;
        if (old->destroyed)
            free_locked(old);
    }
    if (ctx)
        ctx->current = true;
    pp_gl_tls.current = ctx;
    pthread_mutex_unlock(&contexts.lock);
}

void
pp_gl_context_clear_current(void)
{
    set_current(NULL);
}

static void on_exit_process(void);

void
pp_gl_context_attach(struct pp_gl_context *ctx, struct pp_gl_surface *surface)
{
    pp_gl_process_end_by(on_exit_process);
    set_current(ctx);
    /* The thread that had this context current ended without releasing it. */
    if (ctx->batch && !ctx->frame.close_due)
        pp_gl_frame_close(ctx);
    if (!surface) {
        struct pp_gl_surface_info info = {.kind = "offscreen"};
        if (!ctx->surfaceless)
            ctx->surfaceless = pp_gl_surface_add(ctx->winsys, ctx->display, 0, &info);
        surface = pp_gl_surface_ref(ctx->surfaceless);
    }
    pp_gl_surface_unref(ctx->surface);
    ctx->surface = surface;
    if (!surface) {
        pp_gl_tls.current = NULL;
        return;
    }
    ctx->gate = (ctx->gate & PP_GATE_INSIDE) | pp_gl_frame_gate(ctx);
    ctx->frame.markers = pp_annotate_frames();
    ctx->labels.regions = pp_annotate_regions();
    /* The path may have been made from the regions of another thread: make it again. */
    ctx->labels.path_changes = ctx->labels.regions->changes - 1;
}

/* Is it current on no thread, and waits for results that could be read in it? */
static bool
may_read_last(const struct pp_gl_context *ctx)
{
    return !ctx->destroyed && !ctx->current && !ctx->lost && ctx->pending.count > 0 &&
           !ctx->caps.release_keeps && !(ctx->gate & PP_GATE_INSIDE) && !pp_gl_process_is_child();
}

struct pp_gl_context *
pp_gl_context_find_waiting(enum pp_gl_winsys winsys, void *display, void *handle)
{
    pthread_mutex_lock(&contexts.lock);
    struct pp_gl_context *ctx = find_locked(winsys, display, handle);
    bool may = ctx && may_read_last(ctx);
    pthread_mutex_unlock(&contexts.lock);
    return may ? ctx : NULL;
}

void *
pp_gl_context_next_waiting(enum pp_gl_winsys winsys, const void *display, uint32_t *number)
{
    struct pp_gl_context *found = NULL;
    pthread_mutex_lock(&contexts.lock);
    for (struct pp_gl_context *at = contexts.first; at; at = at->next)
        if (at->winsys == winsys && at->display == display && at->number > *number && may_read_last(at) &&
            (!found || at->number < found->number))
            found = at;
    void *handle = found ? found->handle : NULL;
    *number = found ? found->number : *number;
    pthread_mutex_unlock(&contexts.lock);
    return handle;
}

void
pp_gl_context_read_last(struct pp_gl_context *ctx)
{
    pp_gl_tls.inside = 1;
    set_current(ctx);
    pp_gl_retire(ctx, WAIT_NS);
    set_current(NULL);
}

void
pp_gl_context_destroy(enum pp_gl_winsys winsys, void *display, void *handle)
{
    pthread_mutex_lock(&contexts.lock);
    struct pp_gl_context *ctx = find_locked(winsys, display, handle);
    pthread_mutex_unlock(&contexts.lock);
    if (!ctx)
        return;
    if (ctx == pp_gl_tls.current)
        pp_gl_context_detach(true);
    pthread_mutex_lock(&contexts.lock);
    ctx->destroyed = true;
    if (!ctx->current)
        free_locked(ctx);
    pthread_mutex_unlock(&contexts.lock);
}

void
pp_gl_display_closed(void *display, bool lost)
{
    pthread_mutex_lock(&contexts.lock);
    for (struct pp_gl_context *ctx = contexts.first, *next; ctx; ctx = next) {
        next = ctx->next;
        if (ctx->display != display)
            continue;
        ctx->lost = ctx->lost || lost;
        ctx->destroyed = true;
        if (!ctx->current)
            free_locked(ctx);
    }
    pthread_mutex_unlock(&contexts.lock);
    pp_gl_surfaces_closed(display);
    if (pp_gl_tls.current && pp_gl_tls.current->lost)
        pp_gl_tls.ctx = NULL;
}

/* Is the context that is recorded as current really current? */
static bool
is_current_in_driver(const struct pp_gl_context *ctx)
{
    if (ctx->winsys == PP_WINSYS_EGL)
        return pp_eglGetCurrentContext() == ctx->handle;
    return pp_glXGetCurrentContext() == ctx->handle;
}

/* Read the results of the last frames of the context that is current on this thread, if this thread may. */
static void
finish_current(void)
{
    struct pp_gl_context *ctx = pp_gl_tls.current;
    if (!ctx || ctx->lost || pp_gl_tls.inside || !is_current_in_driver(ctx))
        return;
    pp_gl_tls.inside = 1;
    pp_gl_tls.ctx = NULL;
    if (!(ctx->gate & PP_GATE_INSIDE)) {
        if (ctx->gate & PP_GATE_MARKER)
            pp_gl_frame_marker(ctx);
        pp_gl_frame_close(ctx);
        pp_gl_retire(ctx, pp_gl_process_is_wine() ? WAIT_WINE_NS : WAIT_EXIT_NS);
    }
    ctx->waits_left = 0;
    pp_gl_leave();
}

/* Is a context current on another thread, or has another thread the list's lock? Never waits. */
static bool
others_current(void)
{
    bool others = pthread_mutex_trylock(&contexts.lock) != 0;
    if (others)
        return true;
    for (struct pp_gl_context *ctx = contexts.first; ctx; ctx = ctx->next)
        others = others || (ctx->current && ctx != pp_gl_tls.current);
    pthread_mutex_unlock(&contexts.lock);
    return others;
}

/* The process ends: give up the results of the contexts that are current on no thread. */
static void
abandon_unused(void)
{
    pthread_mutex_lock(&contexts.lock);
    for (struct pp_gl_context *ctx = contexts.first; ctx; ctx = ctx->next)
        if (!ctx->current)
            pp_gl_readback_abandon(ctx);
    pthread_mutex_unlock(&contexts.lock);
}

void
pp_gl_surface_gone(enum pp_gl_winsys winsys, void *display, uintptr_t drawable)
{
    struct pp_gl_surface *surface = drawable ? pp_gl_surface_find(winsys, display, drawable) : NULL;
    struct pp_gl_context *ctx = pp_gl_tls.current;
    if (!surface)
        return;
    /* The surface is still current here: it lives on until it is released, and so does its frame. */
    if (ctx && ctx->surface == surface)
        pp_gl_frame_close(ctx);
    pp_gl_surface_retire(surface);
}

/* Wine kills all threads but one before that one calls exit(), and does so wherever they are. If another
 * thread had a context, it may have held any lock of passprobe and of the driver. */
static bool
threads_were_killed(void)
{
    return pp_gl_process_is_wine() && others_current();
}

/* The process returns from main() or calls exit(). This handler was registered after the driver's handlers,
 * so it runs before them. Handlers of the application that run later may continue to draw. Results in
 * contexts that are not current on any thread cannot be read any more; their frames are kept with lost
 * values. A context that is current on another thread is left to that thread. */
static void
on_exit_process(void)
{
    if (pp_gl_process_is_child())
        return;
    if (pp_gl_process_is_wine())
        pp_gl_process_set_torn();
    if (!pp_session_get() || threads_were_killed())
        return;
    finish_current();
    pp_gl_process_note_children();
    abandon_unused();
}

/* Runs after all exit handlers, as passprobe's last function. The driver may already be gone. */
__attribute__((destructor)) static void
on_unload(void)
{
    if (pp_gl_process_is_child() || pp_gl_tls.inside || !pp_gl_tls.current || threads_were_killed())
        return;
    pp_gl_process_set_ended();
    pp_gl_tls.ctx = NULL;
    if (pp_session_get())
        pp_gl_readback_abandon(pp_gl_tls.current);
}
