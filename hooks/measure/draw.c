/** @file
 * See work.h. */
#include "hooks/measure/draw.h"

#include <errno.h>

#include "hooks/state/debug_label.h"
#include "hooks/state/render_target.h"
#include "hooks/winsys/surface.h"

void
pp_gl_send(struct pp_gl_context *ctx)
{
    ctx->pending.unsent_first = UINT32_MAX;
    ctx->pending.unsent_last = 0;
    if (ctx->may_be_begun)
        pp_gl_settle_asked(ctx);
    if (!(ctx->gate & PP_GATE_BATCH))
        ctx->gate |= PP_GATE_SENT;
    if (ctx->tracker.open_kind == PP_PASS_NONE || (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN)))
        return;
    pp_track_pause(&ctx->tracker);
    /* Not every call that waits sends off a scene that it does not need. */
    if (ctx->gate & PP_GATE_SCENE)
        pp_glFlush();
}

/* Work began after attachments were invalidated: if it is the first of a pass on them, they are not loaded.
 */
static void
note_undefined(struct pp_gl_context *ctx)
{
    struct pp_pass *pass = pp_track_open_pass(&ctx->tracker);
    if (!pass || pass->kind != PP_PASS_RENDER)
        return;
    if (ctx->undefined_in == ctx->bound && pp_track_open_draws(&ctx->tracker) <= 1)
        pass->undefined |= pp_gl_target_bits(ctx, ctx->undefined);
    ctx->undefined = 0;
}

/* At level draw, what the tracker writes down of it. */
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

/* All of pp_gl_action_begin() that is left for nearly every draw at level draw: nothing has changed since the
 * last one. */
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
    /* Of draws and clears, scenes want to know the first alone. */
    uint32_t gates = action->kind <= PP_ACTION_CLEAR ? ~(uint32_t)PP_GATE_SCENE : UINT32_MAX;
    bool quick = (ctx->gate & gates) == PP_GATE_DRAW;
    if (PP_LIKELY(quick && ctx->undefined == 0 && !action->inside))
        begin_draw(ctx, action);
    else
        begin_slow(ctx, action);
}

static PP_SLOW void
begin_slow(struct pp_gl_context *ctx, const struct pp_gl_action *action)
{
    struct pp_tracker *tracker = &ctx->tracker;
    int saved = errno;
    if (ctx->may_be_begun && action->id != PP_HOOK_glCallList && action->id != PP_HOOK_glCallLists)
        pp_gl_settle_asked(ctx);
    /* Between glBegin and glEnd, or in a list, the action that is open goes on. */
    if ((ctx->gate & PP_GATE_SENT) && !(ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN)))
        pp_gl_frame_look(ctx);
    if (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN | PP_GATE_SKIP)) {
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
        pp_gl_target_refresh(ctx);
    pp_gl_label_refresh(ctx);
    if (ctx->gate & PP_GATE_SCENE)
        pp_gl_scene_before_action(ctx, action->kind);
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
    if (ctx->undefined)
        note_undefined(ctx);
    errno = saved;
}

void
pp_gl_action_end(struct pp_gl_context *ctx)
{
    if (ctx->gate & (PP_GATE_LIST | PP_GATE_BEGIN))
        return;
    int saved = errno;
    if (ctx->action_open) {
        ctx->action_open = false;
        pp_track_action_end(&ctx->tracker);
        /* It has been waited for: until the next piece of the pass, nothing is on the GPU. Hardware counters
         * of a pass are one measurement. */
        if (PP_UNLIKELY(ctx->device->serialize) && (!ctx->device->counts || ctx->perf.turn.actions))
            pp_track_pause(&ctx->tracker);
    }
    if (ctx->gate & PP_GATE_SCENE)
        pp_gl_scene_after_action(ctx);
    errno = saved;
}

/* The glBegin was refused, and a glNewList behind it was none that stood inside: what is open ends with the
 * list. Nobody has seen what was compiled so far. */
static bool
in_unseen_list(struct pp_gl_context *ctx)
{
    struct pp_gl_share *share = ctx->share;
    GLint name = 0, mode = 0;
    ctx->list_unsure = false;
    pp_glGetIntegerv(GL_LIST_INDEX, &name);
    pp_glGetIntegerv(GL_LIST_MODE, &mode);
    if (name == 0)
        return false;
    ctx->gate |= PP_GATE_LIST;
    ctx->list_work = true;
    ctx->list_executes = mode == GL_COMPILE_AND_EXECUTE;
    ctx->list_name = (GLuint)name;
    ctx->list = (struct pp_gl_list){.last = PP_LIST_ENDS};
    __atomic_store_n(&share->lists_have_queries, true, __ATOMIC_RELAXED);
    __atomic_store_n(&share->lists_use_programs, true, __ATOMIC_RELAXED);
    __atomic_store_n(&share->lists_set_buffers, true, __ATOMIC_RELAXED);
    return true;
}

void
pp_gl_settle(struct pp_gl_context *ctx)
{
    ctx->gate &= ~(uint32_t)PP_GATE_BEGIN;
    ctx->may_be_begun = false;
    if (PP_UNLIKELY(ctx->list_unsure) && in_unseen_list(ctx))
        return;
    pp_gl_action_end(ctx);
    if (ctx->close_due)
        pp_gl_frame_close(ctx);
}

void
pp_gl_settle_asked(struct pp_gl_context *ctx)
{
    GLint size = 0;
    /* Inside of a glBegin that is an error, which the application's own OpenGL call raises in any case; EGL's
     * do not (docs/opengl.md, "Not done"). */
    pp_glGetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
    if (size)
        pp_gl_settle(ctx);
    ctx->may_be_begun = false;
}

int
pp_gl_program_full(void *user, struct pp_tracker *tracker)
{
    struct pp_gl_context *ctx = user;
    struct pp_action_list *program = tracker->action_list;
    uint32_t passes = program->passes + 1;
    uint32_t actions = tracker->level == PP_LEVEL_DRAW ? program->actions + 1 : 0;
    int rc = pp_action_list_reserve(program, passes, actions);
    /* What is dropped has no bracket. */
    if (rc && ctx->device->serialize)
        pp_gl_alone_loose(ctx);
    return rc;
}
