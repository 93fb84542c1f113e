/** @file
 * See frame.h. */
#include "hooks/measure/frame.h"

#include <errno.h>
#include <stdatomic.h>

#include "hooks/measure/app_queries.h"
#include "hooks/measure/deferred_renderer.h"
#include "hooks/measure/device.h"
#include "hooks/measure/draw.h"
#include "hooks/measure/readback.h"
#include "hooks/measure/retire.h"
#include "hooks/measure/serialize.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/caps.h"
#include "hooks/state/process.h"
#include "hooks/state/surface.h"

/* After this many waits for a window that was never swapped, its application is assumed not to present: then
 * glFlush and markers end frames, too. Applications that wait while they load do not reach this number. */
#define UNSWAPPED_FINISHES 100
/* Work on a surface without frames belongs to the frames of another surface, after the other surface was
 * swapped this often. */
#define HOST_SWAPS 2U
/* Most frames that can end inside one glBegin. */
#define ENDS_INSIDE_MAX 2U

uint32_t
pp_gl_frame_gate(const struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    enum pp_frame_on on = session ? pp_session_config(session)->frame_on : PP_FRAME_ON_AUTO;
    bool marker = on == PP_FRAME_ON_MARKER || (on == PP_FRAME_ON_AUTO && !ctx->surface->swapped);
    return PP_GATE_BATCH | PP_GATE_TARGET | (marker ? PP_GATE_MARKER : 0U);
}

/* The surface whose frames include work in this context. A toolkit's widget (GtkGLArea) draws in a context
 * whose surface is never swapped, between the swaps of the window that shows the result. The widget's work is
 * then part of that window's frames. Only within one thread: make-current ends the batch there, so that no
 * frame waits for it. */
static struct pp_gl_surface *
frame_surface_of(struct pp_gl_context *ctx)
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
    struct pp_gl_surface *surface = frame_surface_of(ctx);
    pthread_mutex_lock(&surface->lock);
    struct pp_timeline *timeline = pp_gl_surface_timeline_locked(surface, ctx);
    struct pp_batch *batch = timeline ? pp_batch_get(timeline) : NULL;
    ctx->frame.number = ctx->surface->frames;
    surface->worked = true;
    pthread_mutex_unlock(&surface->lock);
    ctx->gate &= ~(uint32_t)(PP_GATE_BATCH | PP_GATE_DRAW | PP_GATE_SCENE | PP_GATE_FIRST | PP_GATE_COMPUTE);
    if (!batch || pp_gl_readback_open(ctx, batch)) {
        if (batch)
            pp_batch_cancel(batch);
        ctx->gate |= PP_GATE_SKIP;
        if (ctx->device->serialize)
            pp_gl_serialize_unwaited(ctx);
        return false;
    }
    batch->queue = ctx->queue;
    bool held = ctx->device->serialize && batch->level != PP_LEVEL_FRAME;
    batch->isolated = held ? PP_ISOLATED_ALL : PP_ISOLATED_NOTHING;
    batch->cpu_issued_ns = pp_now_ns();
    if (ctx->pending.app_active && !ctx->pending.app_begins)
        pp_gl_query_resync(ctx);
    /* There may be dispatches before the frame that were not recorded. */
    if (ctx->device->faults.flush_dispatches)
        pp_glFlush();
    pp_gl_measure_bias(ctx);
    if (batch->level == PP_LEVEL_DRAW)
        ctx->gate |= PP_GATE_DRAW;
    if (ctx->device->is_deferred && ctx->device->has_timestamps)
        ctx->gate |= PP_GATE_SCENE | PP_GATE_FIRST;
    return true;
}

/* Did the driver probably refuse this glBegin, for a reason that passprobe does not know? Many frames that
 * end inside the glBegin say so. */
static bool
was_refused(struct pp_gl_context *ctx)
{
    return (ctx->gate & PP_GATE_INSIDE) == PP_GATE_BEGIN && ++ctx->begin.frame_ends > ENDS_INSIDE_MAX;
}

void
pp_gl_frame_close_unsubmitted(struct pp_gl_context *ctx)
{
    /* If the glBegin was probably refused, ask the driver before calls that must not be inside a glBegin. */
    if (was_refused(ctx))
        ctx->begin.unsure = true;
    ctx->frame.close_due = ctx->batch && (ctx->gate & PP_GATE_INSIDE);
    if (ctx->frame.close_due)
        return;
    if (ctx->batch) {
        pp_track_end(&ctx->tracker);
        pp_gl_readback_seal(ctx);
    }
    ctx->action_open = false;
    pp_gl_query_app_submitted(ctx);
    ctx->gate = (ctx->gate & PP_GATE_INSIDE) | pp_gl_frame_gate(ctx);
}

void
pp_gl_frame_close(struct pp_gl_context *ctx)
{
    pp_gl_frame_close_unsubmitted(ctx);
    if (!ctx->frame.close_due)
        pp_gl_scene_submit(ctx);
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
 * ended it; PP_FRAME_ON_MARKER means the annotate API, PP_FRAME_ON_AUTO means glFrameTerminatorGREMEDY. */
static void
end_frame(struct pp_gl_surface *surface, struct pp_gl_context *ctx, uint64_t begin_ns, enum pp_frame_on on)
{
    bool guess = is_guess(surface, on);
    bool known = ctx && (ctx->gate & PP_GATE_INSIDE ? ctx->set_up : pp_gl_context_set_up(ctx));
    if (ctx)
        pp_look_clear(&ctx->look);
    pthread_mutex_lock(&surface->lock);
    struct pp_timeline *timeline = known ? pp_gl_surface_timeline_locked(surface, ctx) : surface->timeline;
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
        atomic_store_explicit(&surface->frames, surface->frames + 1, memory_order_relaxed);
        if (on == PP_FRAME_ON_PRESENT)
            atomic_store_explicit(&surface->presented, surface->presented + 1, memory_order_relaxed);
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
    if (!ctx->set_up || (ctx->gate & PP_GATE_INSIDE))
        return;
    pp_gl_process_note_children();
    pp_gl_retire_frame(ctx);
    pp_gl_sample_clock(ctx);
    pp_session_overhead(session, pp_now_ns() - start);
}

void
pp_gl_frame_check_ended(struct pp_gl_context *ctx)
{
    ctx->gate &= ~(uint32_t)PP_GATE_SUBMITTED;
    if (ctx->frame.number == atomic_load_explicit(&ctx->surface->frames, memory_order_relaxed))
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
    if (event == PP_FRAME_ON_FINISH && !atomic_load_explicit(&surface->presented, memory_order_relaxed))
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
            pp_gl_frame_close_unsubmitted(ctx);
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
    if (atomic_load_explicit(&surface->presented, memory_order_relaxed) > 0)
        return;
    if (surface->worked && surface->swapped && surface->finishes < UNSWAPPED_FINISHES &&
        ++surface->finishes == UNSWAPPED_FINISHES)
        surface->swapped = false;
}

void
pp_gl_frame_flush(struct pp_gl_context *ctx, bool finish, uint64_t begin_ns)
{
    if (finish && was_refused(ctx))
        pp_gl_leave_begin_if_over(ctx);
    if (ctx->gate & PP_GATE_INSIDE)
        return;
    if (finish)
        note_unswapped(ctx->surface);
    enum pp_frame_on event = finish ? PP_FRAME_ON_FINISH : PP_FRAME_ON_SUBMIT;
    if (ctx->surface->worked && ends_on(ctx->surface, event))
        end_here(ctx, begin_ns, event);
    else if (finish)
        pp_gl_retire(ctx, 0);
}

void
pp_gl_frame_marker(struct pp_gl_context *ctx)
{
    uint64_t frames = pp_annotate_frames();
    if (frames == ctx->frame.markers)
        return;
    ctx->frame.markers = frames;
    ctx->surface->marked = true;
    if (ctx->surface->worked && ends_on(ctx->surface, PP_FRAME_ON_MARKER))
        end_here(ctx, pp_now_ns(), PP_FRAME_ON_MARKER);
}

void
pp_gl_frame_terminate(struct pp_gl_context *ctx)
{
    if (ctx->gate & PP_GATE_INSIDE)
        return;
    ctx->surface->marked = true;
    if (ends_on(ctx->surface, PP_FRAME_ON_MARKER))
        end_here(ctx, pp_now_ns(), PP_FRAME_ON_AUTO);
}

void
pp_gl_frame_waited(struct pp_gl_context *ctx, uint64_t ns)
{
    pthread_mutex_lock(&ctx->surface->lock);
    ctx->surface->sync_ns += ns;
    pthread_mutex_unlock(&ctx->surface->lock);
    pp_look_clear(&ctx->look);
}

void
pp_gl_frame_linked(struct pp_gl_context *ctx, uint64_t ns)
{
    pthread_mutex_lock(&ctx->surface->lock);
    ctx->surface->pipelines_created++;
    ctx->surface->pipeline_create_ns += ns;
    pthread_mutex_unlock(&ctx->surface->lock);
}
