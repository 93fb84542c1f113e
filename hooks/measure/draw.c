/** @file
 * See draw.h. */
#include "hooks/measure/draw.h"

#include <errno.h>
#include <stdatomic.h>

#include "hooks/measure/app_queries.h"
#include "hooks/measure/deferred_renderer.h"
#include "hooks/measure/frame.h"
#include "hooks/measure/serialize.h"
#include "hooks/measure/statistics.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/debug_label.h"
#include "hooks/state/render_target.h"
#include "hooks/state/shader_program.h"

void
pp_gl_before_submit(struct pp_gl_context *ctx)
{
    pp_gl_query_app_submitted(ctx);
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (!(ctx->gate & PP_GATE_BATCH))
        ctx->gate |= PP_GATE_SUBMITTED;
    if (ctx->tracker.open_kind == PP_PASS_NONE || (ctx->gate & PP_GATE_INSIDE))
        return;
    pp_track_pause(&ctx->tracker);
    /* A call that waits does not always submit a scene: it may not need the scene's result. */
    if (ctx->gate & PP_GATE_SCENE)
        pp_glFlush();
}

/* The first action after attachments were invalidated: if it is the first one of a pass on these attachments,
 * the pass does not load them. */
static void
note_undefined(struct pp_gl_context *ctx)
{
    struct pp_pass *pass = pp_track_open_pass(&ctx->tracker);
    if (!pass || pass->kind != PP_PASS_RENDER)
        return;
    if (ctx->fb.undefined_in == ctx->fb.bound && pp_track_open_draws(&ctx->tracker) <= 1)
        pass->undefined |= pp_gl_render_target_bits(ctx, ctx->fb.undefined);
    ctx->fb.undefined = 0;
}

/* What the tracker records of an action at level draw. */
static inline struct pp_action_info
describe(struct pp_gl_context *ctx, const struct pp_gl_action *action)
{
    struct pp_action_info info = {.call = pp_gl_call_name(action->id), .indirect = action->indirect};
    if (!action->indirect) {
        info.vertices = action->vertices;
        info.instances = action->instances;
        info.groups = action->groups;
    }
    bool programmed = action->kind <= PP_ACTION_MESH_TASKS || action->kind == PP_ACTION_DISPATCH;
    pp_track_pipeline(&ctx->tracker, programmed ? pp_gl_program_name(ctx) : 0);
    return info;
}

/* The part of pp_gl_action_begin() that nearly every draw at level draw needs: nothing has changed since the
 * last draw. */
static inline void
begin_draw(struct pp_gl_context *ctx, const struct pp_gl_action *action)
{
    int saved = errno;
    ctx->scene.kind = (uint8_t)action->kind;
    pp_gl_label_refresh(ctx);
    struct pp_action_info info = describe(ctx, action);
    pp_track_action_begin(&ctx->tracker, action->kind, &info);
    ctx->action_open = true;
    errno = saved;
}

static void begin_slow(struct pp_gl_context *ctx, const struct pp_gl_action *action);

void
pp_gl_action_begin(struct pp_gl_context *ctx, const struct pp_gl_action *action)
{
    bool ready = pp_gl_decide(ctx->gate, action->kind) == PP_RECORD_MEASURED;
    if (PP_LIKELY(ready && ctx->fb.undefined == 0 && !action->inside))
        begin_draw(ctx, action);
    else
        begin_slow(ctx, action);
}

static PP_SLOW void
begin_slow(struct pp_gl_context *ctx, const struct pp_gl_action *action)
{
    struct pp_tracker *tracker = &ctx->tracker;
    int saved = errno;
    if (ctx->begin.unsure && action->id != PP_HOOK_glCallList && action->id != PP_HOOK_glCallLists)
        pp_gl_leave_begin_if_over(ctx);
    /* Between glBegin and glEnd, and in a display list, the open action continues. */
    if ((ctx->gate & PP_GATE_SUBMITTED) && !(ctx->gate & PP_GATE_INSIDE))
        pp_gl_frame_check_ended(ctx);
    if (pp_gl_decide(ctx->gate, action->kind) == PP_RECORD_NOT) {
        errno = saved;
        return;
    }
    ctx->action_open = false;
    if (ctx->gate & PP_GATE_MARKER)
        pp_gl_frame_marker(ctx);
    if ((ctx->gate & PP_GATE_BATCH) && !pp_gl_frame_open(ctx)) {
        errno = saved;
        return;
    }
    if (ctx->gate & PP_GATE_TARGET)
        pp_gl_render_target_refresh(ctx);
    pp_gl_label_refresh(ctx);
    ctx->scene.kind = (uint8_t)action->kind;
    if (ctx->gate & PP_GATE_SCENE)
        pp_gl_scene_before_action(ctx, action->kind);
    if ((ctx->gate & PP_GATE_COMPUTE) && action->kind == PP_ACTION_DISPATCH &&
        tracker->open_kind == PP_PASS_FRAME) {
        pp_gl_statistics_dispatch(ctx);
        ctx->gate &= ~(uint32_t)PP_GATE_COMPUTE;
    }
    if (tracker->level == PP_LEVEL_DRAW) {
        struct pp_action_info info = describe(ctx, action);
        if (action->inside)
            pp_track_action_inside(tracker, action->kind, &info);
        else
            pp_track_action_begin(tracker, action->kind, &info);
        ctx->action_open = true;
    } else if (action->inside) {
        pp_track_inside(tracker, action->kind, 1);
    } else {
        pp_track_action(tracker, action->kind, 1);
    }
    if (ctx->fb.undefined)
        note_undefined(ctx);
    errno = saved;
}

void
pp_gl_action_end(struct pp_gl_context *ctx)
{
    if (ctx->gate & PP_GATE_INSIDE)
        return;
    int saved = errno;
    if (ctx->action_open) {
        ctx->action_open = false;
        pp_track_action_end(&ctx->tracker);
        /* The application has waited for the action: until the next part of the pass, nothing runs on the
         * GPU. The hardware counters of a pass are one measurement. */
        if (PP_UNLIKELY(ctx->device->serialize) &&
            (!ctx->device->has_counter_sets || ctx->perf.rotation.actions))
            pp_track_pause(&ctx->tracker);
    }
    if (ctx->gate & PP_GATE_SCENE)
        pp_gl_scene_after_action(ctx);
    errno = saved;
}

/* Is a display list being compiled that passprobe did not notice? The driver refused the glBegin, so a
 * glNewList after it was valid, although passprobe took it for one inside a glBegin. The open action then
 * ends with the list. Actions that were compiled into the list before were not recorded. */
static bool
in_unseen_list(struct pp_gl_context *ctx)
{
    struct pp_gl_share *share = ctx->share;
    GLint name = 0, mode = 0;
    ctx->list.unsure = false;
    pp_glGetIntegerv(GL_LIST_INDEX, &name);
    pp_glGetIntegerv(GL_LIST_MODE, &mode);
    if (name == 0)
        return false;
    ctx->gate |= PP_GATE_LIST;
    ctx->list.action = true;
    ctx->list.executes = mode == GL_COMPILE_AND_EXECUTE;
    ctx->list.name = (GLuint)name;
    ctx->list.content = (struct pp_gl_list){.last = PP_LIST_ENDS};
    atomic_store_explicit(&share->lists_have_queries, true, memory_order_relaxed);
    atomic_store_explicit(&share->lists_use_programs, true, memory_order_relaxed);
    atomic_store_explicit(&share->lists_set_buffers, true, memory_order_relaxed);
    return true;
}

void
pp_gl_leave_begin(struct pp_gl_context *ctx)
{
    ctx->gate &= ~(uint32_t)PP_GATE_BEGIN;
    ctx->begin.unsure = false;
    pp_gl_collected(ctx);
    if (PP_UNLIKELY(ctx->list.unsure) && in_unseen_list(ctx))
        return;
    pp_gl_action_end(ctx);
    if (ctx->frame.close_due)
        pp_gl_frame_close(ctx);
}

void
pp_gl_leave_begin_if_over(struct pp_gl_context *ctx)
{
    GLint size = 0;
    /* Inside a glBegin this call is an error. The application's own OpenGL call raises the same error in any
     * case; calls of EGL do not (docs/internals/opengl.md, "Limits"). */
    pp_glGetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
    if (size)
        pp_gl_leave_begin(ctx);
    ctx->begin.unsure = false;
}

int
pp_gl_action_list_full(void *user, struct pp_tracker *tracker)
{
    struct pp_gl_context *ctx = user;
    struct pp_action_list *list = tracker->action_list;
    uint32_t passes = list->passes + 1;
    uint32_t actions = tracker->level == PP_LEVEL_DRAW ? list->actions + 1 : 0;
    int rc = pp_action_list_reserve(list, passes, actions);
    /* An action that is dropped has no bracket. */
    if (rc && ctx->device->serialize)
        pp_gl_serialize_unwaited(ctx);
    return rc;
}
