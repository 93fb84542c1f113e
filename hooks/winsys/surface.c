/** @file
 * See surface.h. */
#include "hooks/winsys/surface.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/measure/draw.h"

/* After this many frames the size of a window is read again, even if no viewport hints at a change. */
#define SIZE_FRAMES 32U

/* After this many waits for a window that was never swapped, its application is assumed not to present: then
 * glFlush and markers end frames, too. Applications that wait while they load do not reach this number. */
#define UNSWAPPED_FINISHES 100
/* Work on a surface without frames goes to frames of another surface, after that one was swapped this often
 * meanwhile. */
#define HOST_SWAPS 2U
/* Most frames that can end inside one glBegin. */
#define ENDS_INSIDE_MAX 2U

static struct {
    pthread_mutex_t lock;
    struct pp_gl_surface *first; /* guarded by lock */
} surfaces = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct pp_gl_surface *
pp_gl_surface_find(enum pp_gl_winsys winsys, void *display, uintptr_t drawable)
{
    pthread_mutex_lock(&surfaces.lock);
    struct pp_gl_surface *at = surfaces.first;
    while (at && (at->winsys != winsys || at->display != display || at->drawable != drawable))
        at = at->next;
    if (at)
        at->refs++;
    pthread_mutex_unlock(&surfaces.lock);
    return at;
}

struct pp_gl_surface *
pp_gl_surface_idle(enum pp_gl_winsys winsys, const void *display)
{
    struct pp_gl_surface *found = NULL;
    pthread_mutex_lock(&surfaces.lock);
    for (struct pp_gl_surface *at = surfaces.first; at; at = at->next)
        if (at->refs == 1 && at->winsys == winsys && at->display == display && at->drawable &&
            (!found || at->looks < found->looks))
            found = at;
    if (found) {
        found->refs++;
        found->looks++;
    }
    pthread_mutex_unlock(&surfaces.lock);
    return found;
}

struct pp_gl_surface *
pp_gl_surface_ref(struct pp_gl_surface *surface)
{
    if (!surface)
        return NULL;
    pthread_mutex_lock(&surfaces.lock);
    surface->refs++;
    pthread_mutex_unlock(&surfaces.lock);
    return surface;
}

static void
unref_locked(struct pp_gl_surface *surface)
{
    if (--surface->refs > 0)
        return;
    pthread_mutex_destroy(&surface->lock);
    free(surface->base);
    free(surface);
}

void
pp_gl_surface_unref(struct pp_gl_surface *surface)
{
    if (!surface)
        return;
    pthread_mutex_lock(&surfaces.lock);
    unref_locked(surface);
    pthread_mutex_unlock(&surfaces.lock);
}

/* Remove the surface from the list, so that it is not found any more. @return true: it was in the list; the
 * list's reference is now the caller's. */
static bool
unlist_locked(struct pp_gl_surface *surface)
{
    struct pp_gl_surface **at = &surfaces.first;
    bool listed = surface->listed;
    while (listed && *at && *at != surface)
        at = &(*at)->next;
    if (listed && *at)
        *at = surface->next;
    surface->listed = false;
    return listed;
}

static void
describe_color(const struct pp_gl_surface_info *info, char *out, size_t size)
{
    if (info->red == info->green && info->green == info->blue && (info->alpha == info->red || !info->alpha))
        snprintf(out, size, info->alpha ? "RGBA%u" : "RGB%u", info->red);
    else if (info->red == 5 && info->green == 6)
        snprintf(out, size, "RGB565");
    else if (info->red == 10)
        snprintf(out, size, info->alpha ? "RGB10_A2" : "RGB10");
    else
        snprintf(out, size, "R%uG%uB%uA%u", info->red, info->green, info->blue, info->alpha);
}

static void
describe(struct pp_render_target *render_target, const struct pp_gl_surface_info *info)
{
    snprintf(render_target->name, sizeof(render_target->name), "%s", info->kind);
    render_target->layers = 1;
    render_target->samples = info->samples ? info->samples : 1;
    struct pp_attachment *color = &render_target->attachment[render_target->attachments++];
    snprintf(color->role, sizeof(color->role), "color0");
    describe_color(info, color->format, sizeof(color->format));
    if (!info->depth && !info->stencil)
        return;
    struct pp_attachment *depth = &render_target->attachment[render_target->attachments++];
    snprintf(depth->role, sizeof(depth->role), "%s",
             info->depth && info->stencil ? "depth_stencil"
             : info->depth                ? "depth"
                                          : "stencil");
    if (info->depth && info->stencil)
        snprintf(depth->format, sizeof(depth->format), "DEPTH%u_STENCIL%u", info->depth, info->stencil);
    else if (info->depth)
        snprintf(depth->format, sizeof(depth->format), "DEPTH_COMPONENT%u", info->depth);
    else
        snprintf(depth->format, sizeof(depth->format), "STENCIL_INDEX%u", info->stencil);
}

struct pp_gl_surface *
pp_gl_surface_add(enum pp_gl_winsys winsys, void *display, uintptr_t drawable,
                  const struct pp_gl_surface_info *info)
{
    struct pp_gl_surface *surface = calloc(1, sizeof(*surface));
    if (!surface)
        return NULL;
    surface->winsys = winsys;
    surface->display = display;
    surface->drawable = drawable;
    surface->kind = info->kind;
    surface->presents = info->presents;
    surface->swapped = info->presents;
    surface->width = info->width;
    surface->height = info->height;
    surface->created_ns = pp_now_ns();
    surface->base = pp_session_get() ? pp_session_base(pp_session_get()) : NULL;
    pthread_mutex_init(&surface->lock, NULL);
    if (drawable)
        describe(&surface->render_target, info);
    pthread_mutex_lock(&surfaces.lock);
    surface->refs = 2; /* the list's and the caller's */
    surface->listed = true;
    surface->next = surfaces.first;
    surfaces.first = surface;
    pthread_mutex_unlock(&surfaces.lock);
    return surface;
}

void
pp_gl_surface_resized(struct pp_gl_surface *surface, uint32_t width, uint32_t height)
{
    surface->sized_frames = 0;
    surface->resize = false;
    if (!width || !height || (width == surface->width && height == surface->height))
        return;
    surface->width = width;
    surface->height = height;
    surface->version++;
}

bool
pp_gl_surface_size_due(struct pp_gl_surface *surface)
{
    return surface->resize || ++surface->sized_frames >= SIZE_FRAMES;
}

void
pp_gl_surface_retire(struct pp_gl_surface *surface)
{
    if (!surface)
        return;
    pthread_mutex_lock(&surface->lock);
    surface->gone = true;
    struct pp_timeline *timeline = surface->timeline;
    surface->timeline = NULL;
    pthread_mutex_unlock(&surface->lock);
    pp_timeline_destroy(timeline);
    pthread_mutex_lock(&surfaces.lock);
    surface->refs -= unlist_locked(surface); /* the list's reference; the caller's remains */
    unref_locked(surface);
    pthread_mutex_unlock(&surfaces.lock);
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

/* Any surface of a display that has not been retired. The caller owns a reference. */
static struct pp_gl_surface *
any_of(const void *display)
{
    pthread_mutex_lock(&surfaces.lock);
    struct pp_gl_surface *at = surfaces.first;
    while (at && (at->display != display || !at->drawable))
        at = at->next;
    if (at)
        at->refs++;
    pthread_mutex_unlock(&surfaces.lock);
    return at;
}

void
pp_gl_surfaces_closed(const void *display)
{
    for (struct pp_gl_surface *at = any_of(display); at; at = any_of(display))
        pp_gl_surface_retire(at);
}

/* Frames. */

uint32_t
pp_gl_frame_gate(const struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    enum pp_frame_on on = session ? pp_session_config(session)->frame_on : PP_FRAME_ON_AUTO;
    bool marker = on == PP_FRAME_ON_MARKER || (on == PP_FRAME_ON_AUTO && !ctx->surface->swapped);
    return PP_GATE_BATCH | PP_GATE_TARGET | (marker ? PP_GATE_MARKER : 0U);
}

/* Name a surface. Each kind is counted separately, and only surfaces that are used are counted: windows that
 * toolkits open only to look up functions get no name. The surface is locked. */
static void
name_locked(struct pp_gl_surface *surface)
{
    static struct {
        const char *kind;
        _Atomic uint32_t named;
    } kinds[] = {{"window", 0}, {"pbuffer", 0}, {"pixmap", 0}, {"offscreen", 0}};
    size_t i = 0;
    while (i < sizeof(kinds) / sizeof(kinds[0]) - 1 && strcmp(kinds[i].kind, surface->kind) != 0)
        i++;
    snprintf(surface->name, sizeof(surface->name), "%s %u", kinds[i].kind,
             atomic_fetch_add(&kinds[i].named, 1) + 1);
}

/* The surface's timeline, created if needed. The surface is locked. */
static struct pp_timeline *
timeline_locked(struct pp_gl_surface *surface, struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    if (!session || surface->gone)
        return NULL;
    if (surface->timeline && surface->device == ctx->device)
        return surface->timeline;
    uint64_t start = surface->timeline ? pp_now_ns() : surface->created_ns;
    pp_timeline_destroy(surface->timeline);
    if (!surface->name[0])
        name_locked(surface);
    struct pp_timeline_info info = {ctx->device->device, surface->name, start, surface->base};
    surface->base = NULL; /* pp_timeline_create() took it over */
    surface->timeline = pp_timeline_create(session, &info);
    surface->device = ctx->device;
    return surface->timeline;
}

/* The surface whose frames include work in this context. A toolkit's widget (GtkGLArea) draws in a context
 * whose surface is never swapped, between the swaps of the window that shows the result. The widget's work is
 * then part of that window's frames. Only within one thread: make-current ends the batch there, so that no
 * frame waits for it. */
static struct pp_gl_surface *
host_of(struct pp_gl_context *ctx)
{
    struct pp_gl_surface *surface = ctx->surface;
    struct pp_gl_surface *presenter = pp_gl_tls.presenter;
    struct pp_session *session = pp_session_get();
    enum pp_frame_on on = session ? pp_session_config(session)->frame_on : PP_FRAME_ON_AUTO;
    if (surface->ended || !presenter || presenter == surface ||
        (on != PP_FRAME_ON_AUTO && on != PP_FRAME_ON_PRESENT))
        return surface;
    if (!surface->worked && !surface->first_swap)
        surface->first_swap = pp_gl_tls.swaps;
    /* The first frame of this surface may still be under way: wait until other surfaces were presented
     * meanwhile. */
    bool hosted = pp_gl_tls.swaps - surface->first_swap >= HOST_SWAPS && presenter->device == ctx->device;
    return hosted && !presenter->gone ? presenter : surface;
}

bool
pp_gl_frame_open(struct pp_gl_context *ctx)
{
    if (!pp_gl_context_set_up(ctx)) {
        pp_gl_tls.ctx = NULL;
        return false;
    }
    struct pp_gl_surface *surface = host_of(ctx);
    pthread_mutex_lock(&surface->lock);
    struct pp_timeline *timeline = timeline_locked(surface, ctx);
    struct pp_batch *batch = timeline ? pp_batch_get(timeline) : NULL;
    ctx->frames = ctx->surface->frames;
    surface->worked = true;
    pthread_mutex_unlock(&surface->lock);
    ctx->gate &= ~(uint32_t)(PP_GATE_BATCH | PP_GATE_DRAW | PP_GATE_SCENE | PP_GATE_FIRST);
    if (!batch || pp_gl_flight_open(ctx, batch)) {
        if (batch)
            pp_batch_cancel(batch);
        ctx->gate |= PP_GATE_SKIP;
        if (ctx->device->serialize)
            pp_gl_alone_loose(ctx);
        return false;
    }
    batch->queue = ctx->queue;
    bool held = ctx->device->serialize && batch->level != PP_LEVEL_FRAME;
    batch->isolated = held ? PP_ISOLATED_ALL : PP_ISOLATED_NOTHING;
    batch->cpu_issued_ns = pp_now_ns();
    if (ctx->pending.app_active && !ctx->pending.app_begins)
        pp_gl_query_resync(ctx);
    pp_gl_measure_bias(ctx);
    if (batch->level == PP_LEVEL_DRAW)
        ctx->gate |= PP_GATE_DRAW;
    if (ctx->device->flushes && ctx->device->timer)
        ctx->gate |= PP_GATE_SCENE | PP_GATE_FIRST;
    return true;
}

/* Was this glBegin refused for a reason that we cannot see? Probably so if many frames end inside it. */
static bool
was_refused(struct pp_gl_context *ctx)
{
    return (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN)) == PP_GATE_BEGIN &&
           ++ctx->ends_inside > ENDS_INSIDE_MAX;
}

void
pp_gl_frame_close_unsent(struct pp_gl_context *ctx)
{
    /* Then the driver is asked before calls that must not be inside a glBegin. */
    if (was_refused(ctx))
        ctx->may_be_begun = true;
    ctx->close_due = ctx->batch && (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN));
    if (ctx->close_due)
        return;
    if (ctx->batch) {
        pp_track_end(&ctx->tracker);
        pp_gl_flight_seal(ctx);
    }
    ctx->action_open = false;
    ctx->pending.unsent_first = UINT32_MAX;
    ctx->pending.unsent_last = 0;
    ctx->gate = (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN)) | pp_gl_frame_gate(ctx);
}

void
pp_gl_frame_close(struct pp_gl_context *ctx)
{
    pp_gl_frame_close_unsent(ctx);
    if (!ctx->close_due)
        pp_gl_scene_send(ctx);
}

/* Is it a guess that this event ends a frame, because the surface may still be swapped? An event that the
 * user asked for is not a guess. */
static bool
is_guess(const struct pp_gl_surface *surface, enum pp_frame_on event)
{
    struct pp_session *session = pp_session_get();
    enum pp_frame_on on = session ? pp_session_config(session)->frame_on : PP_FRAME_ON_AUTO;
    return on == PP_FRAME_ON_AUTO && event != PP_FRAME_ON_PRESENT && surface->drawable;
}

/* Report to core that the frame ended. `begin_ns`: when the application called what ended it. `on`: what
 * ended it; PP_FRAME_ON_MARKER is pp_frame_end(), PP_FRAME_ON_AUTO a terminator. */
static void
end_frame(struct pp_gl_surface *surface, struct pp_gl_context *ctx, uint64_t begin_ns, enum pp_frame_on on)
{
    bool guess = is_guess(surface, on);
    bool known =
        ctx && (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN) ? ctx->set_up : pp_gl_context_set_up(ctx));
    pthread_mutex_lock(&surface->lock);
    struct pp_timeline *timeline = known ? timeline_locked(surface, ctx) : surface->timeline;
    if (timeline) {
        struct pp_frame_times times = {
            .present_begin_ns = begin_ns,
            .present_end_ns = pp_now_ns(),
            .sync_ns = surface->sync_ns,
            .pipelines_created = surface->pipelines_created,
            .pipeline_create_ns = surface->pipeline_create_ns,
            .marked = on == PP_FRAME_ON_MARKER,
            .end = guess ? PP_END_WAIT : PP_END_SURE,
            .waits_min = surface->presents ? UNSWAPPED_FINISHES : 1,
        };
        pp_timeline_end_frame(timeline, &times);
        /* A window whose frame ends are only guesses, such as a toolkit's window that is hardly used, may
         * leave its work to another window's frames. */
        surface->ended |= !guess || !surface->presents || surface->finishes >= UNSWAPPED_FINISHES;
        __atomic_store_n(&surface->frames, surface->frames + 1, __ATOMIC_RELAXED);
        if (on == PP_FRAME_ON_PRESENT)
            __atomic_store_n(&surface->presented, surface->presented + 1, __ATOMIC_RELAXED);
    }
    surface->sync_ns = 0;
    surface->pipelines_created = 0;
    surface->pipeline_create_ns = 0;
    surface->worked = false;
    pthread_mutex_unlock(&surface->lock);
}

static void
after_frame(struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    uint64_t start = pp_now_ns();
    if (!session || !ctx)
        return;
    ctx->gate &= ~(uint32_t)PP_GATE_SKIP;
    if (!ctx->set_up || (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN)))
        return;
    pp_gl_note_children();
    pp_gl_poll_frame(ctx);
    pp_gl_sample_clock(ctx);
    pp_session_overhead(session, pp_now_ns() - start);
}

void
pp_gl_frame_look(struct pp_gl_context *ctx)
{
    ctx->gate &= ~(uint32_t)PP_GATE_SENT;
    if (ctx->frames == __atomic_load_n(&ctx->surface->frames, __ATOMIC_RELAXED))
        return;
    pp_gl_frame_close(ctx);
    after_frame(ctx);
}

static bool
ends_on(const struct pp_gl_surface *surface, enum pp_frame_on event)
{
    struct pp_session *session = pp_session_get();
    enum pp_frame_on on = session ? pp_session_config(session)->frame_on : PP_FRAME_ON_AUTO;
    if (on == PP_FRAME_ON_SUBMIT)
        return event == PP_FRAME_ON_SUBMIT || event == PP_FRAME_ON_FINISH;
    if (on != PP_FRAME_ON_AUTO)
        return on == event;
    if (event == PP_FRAME_ON_PRESENT)
        return true;
    if (event == PP_FRAME_ON_FINISH && !__atomic_load_n(&surface->presented, __ATOMIC_RELAXED))
        return !surface->marked;
    if (surface->swapped)
        return false;
    return event == PP_FRAME_ON_MARKER || !surface->marked;
}

void
pp_gl_swap_begin(struct pp_gl_swap *swap, enum pp_gl_winsys winsys, void *display, uintptr_t drawable)
{
    struct pp_gl_context *ctx = pp_gl_tls.current;
    int saved = errno;
    swap->ctx = ctx;
    swap->begin_ns = pp_now_ns();
    if (ctx && ctx->surface && ctx->surface->winsys == winsys && ctx->surface->drawable == drawable)
        swap->surface = pp_gl_surface_ref(ctx->surface);
    else
        swap->surface = pp_gl_surface_find(winsys, display, drawable);
    if (swap->surface && ctx && ctx->surface == swap->surface &&
        ends_on(swap->surface, PP_FRAME_ON_PRESENT)) {
        swap->surface->swapped = true;
        swap->surface->finishes = UNSWAPPED_FINISHES;
        /* The swap of a window submits what was drawn; the swap of a pbuffer does not. */
        if (swap->surface->presents)
            pp_gl_frame_close_unsent(ctx);
        else
            pp_gl_frame_close(ctx);
    }
    errno = saved;
}

void
pp_gl_swap_end(struct pp_gl_swap *swap, bool ok)
{
    int saved = errno;
    struct pp_gl_surface *surface = swap->surface;
    if (ok && surface && ends_on(surface, PP_FRAME_ON_PRESENT)) {
        bool same = swap->ctx && swap->ctx->surface == surface;
        if (pp_gl_tls.presenter != surface) {
            pp_gl_surface_unref(pp_gl_tls.presenter);
            pp_gl_tls.presenter = pp_gl_surface_ref(surface);
        }
        pp_gl_tls.swaps++;
        end_frame(surface, same ? swap->ctx : NULL, swap->begin_ns, PP_FRAME_ON_PRESENT);
        if (same)
            after_frame(swap->ctx);
    }
    errno = saved;
}

void
pp_gl_swap_done(struct pp_gl_swap *swap)
{
    pp_gl_surface_unref(swap->surface);
    swap->surface = NULL;
}

static void
end_here(struct pp_gl_context *ctx, uint64_t begin_ns, enum pp_frame_on on)
{
    pp_gl_frame_close(ctx);
    end_frame(ctx->surface, ctx, begin_ns, on);
    after_frame(ctx);
}

/* The application waited for its work. Is the window one that is never swapped? */
static void
note_unswapped(struct pp_gl_surface *surface)
{
    /* Another thread may swap the window. */
    if (__atomic_load_n(&surface->presented, __ATOMIC_RELAXED) > 0)
        return;
    if (surface->worked && surface->swapped && surface->finishes < UNSWAPPED_FINISHES &&
        ++surface->finishes == UNSWAPPED_FINISHES)
        surface->swapped = false;
}

void
pp_gl_frame_flush(struct pp_gl_context *ctx, bool finish, uint64_t begin_ns)
{
    if (finish && was_refused(ctx))
        pp_gl_settle_asked(ctx);
    if (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN))
        return;
    if (finish)
        note_unswapped(ctx->surface);
    enum pp_frame_on event = finish ? PP_FRAME_ON_FINISH : PP_FRAME_ON_SUBMIT;
    if (ctx->surface->worked && ends_on(ctx->surface, event))
        end_here(ctx, begin_ns, event);
    else if (finish)
        pp_gl_poll(ctx, 0);
}

void
pp_gl_frame_marker(struct pp_gl_context *ctx)
{
    uint64_t frames = pp_annotate_frames();
    if (frames == ctx->marker_frames)
        return;
    ctx->marker_frames = frames;
    ctx->surface->marked = true;
    if (ctx->surface->worked && ends_on(ctx->surface, PP_FRAME_ON_MARKER))
        end_here(ctx, pp_now_ns(), PP_FRAME_ON_MARKER);
}

void
pp_gl_frame_terminate(struct pp_gl_context *ctx)
{
    if (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN))
        return;
    ctx->surface->marked = true;
    if (ends_on(ctx->surface, PP_FRAME_ON_MARKER))
        end_here(ctx, pp_now_ns(), PP_FRAME_ON_AUTO);
}

void
pp_gl_surface_waited(struct pp_gl_context *ctx, uint64_t ns)
{
    pthread_mutex_lock(&ctx->surface->lock);
    ctx->surface->sync_ns += ns;
    pthread_mutex_unlock(&ctx->surface->lock);
}

void
pp_gl_surface_linked(struct pp_gl_context *ctx, uint64_t ns)
{
    pthread_mutex_lock(&ctx->surface->lock);
    ctx->surface->pipelines_created++;
    ctx->surface->pipeline_create_ns += ns;
    pthread_mutex_unlock(&ctx->surface->lock);
}
