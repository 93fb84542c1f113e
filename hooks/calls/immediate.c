/** @file
 * See immediate.h. */
#include "hooks/calls/immediate.h"

#include <stdatomic.h>

#include "hooks/base/display_list.h"
#include "hooks/calls/framebuffer.h"
#include "hooks/measure/app_queries.h"
#include "hooks/measure/device.h"
#include "hooks/measure/draw.h"
#include "hooks/measure/frame.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/caps.h"
#include "hooks/state/render_target.h"

/* Does the context have glBegin and display lists? In other contexts they are errors and begin nothing. */
static bool
is_compatible(struct pp_gl_context *ctx)
{
    return (ctx->gate & PP_GATE_INSIDE) || !pp_gl_context_set_up(ctx) || ctx->caps.compatible;
}

/* May the driver refuse a glBegin for a reason that is not checked before: transform feedback takes another
 * kind of primitive, or the stages of the pipeline do not match? */
static bool
may_be_refused(struct pp_gl_context *ctx, GLenum mode)
{
    GLint active = 1, paused = 0;
    GLenum kind = mode == GL_POINTS       ? GL_POINTS
                  : mode <= GL_LINE_STRIP ? GL_LINES
                  : mode <= GL_POLYGON    ? GL_TRIANGLES
                                          : GL_NONE;
    if (!ctx->begin.feedback || ctx->program.pipeline || ctx->caps.version < 40)
        return ctx->begin.feedback || ctx->program.pipeline;
    pp_glGetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
    pp_glGetIntegerv(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
    return active && !paused && kind != ctx->begin.feedback_kind;
}

void
pp_gl_before_begin(struct pp_gl_context *ctx, GLenum mode)
{
    /* A bad mode, or a glBegin inside another, is an error and begins nothing. */
    if (mode > GL_PATCHES || !is_compatible(ctx))
        return;
    if (ctx->gate & PP_GATE_LIST) {
        ctx->list.begun = true;
        ctx->list.before = ctx->list.content;
        pp_gl_list_note(ctx, PP_LIST_BEGINS);
    }
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (ctx->gate & PP_GATE_INSIDE)
        return;
    bool refusable = may_be_refused(ctx, mode);
    struct pp_gl_action action = {.id = PP_HOOK_glBegin, .kind = PP_ACTION_DRAW, .indirect = 1};
    if (!pp_gl_count(ctx, PP_ACTION_DRAW))
        pp_gl_action_begin(ctx, &action);
    if (ctx->fb.draw && pp_gl_render_target_incomplete(ctx))
        pp_gl_action_end(ctx);
    else
        ctx->gate |= PP_GATE_BEGIN;
    ctx->begin.unsure = refusable && (ctx->gate & PP_GATE_BEGIN);
    ctx->begin.frame_ends = 0;
}

void
pp_gl_after_end(struct pp_gl_context *ctx)
{
    if (ctx->gate & PP_GATE_LIST) {
        if (!ctx->list.begun)
            atomic_store_explicit(&ctx->share->lists_are_open, true, memory_order_relaxed);
        pp_gl_list_note(ctx, ctx->list.begun ? PP_LIST_PAIR : PP_LIST_ENDS);
        ctx->list.begun = false;
    }
    if (ctx->gate & PP_GATE_BEGIN)
        pp_gl_leave_begin(ctx);
}

/* The application calls display lists that may begin or end its queries: end passprobe's queries, and begin
 * new ones only after the driver was asked which queries are active. */
static void
expect_listed_queries(struct pp_gl_context *ctx)
{
    if (!atomic_load_explicit(&ctx->share->lists_have_queries, memory_order_relaxed) ||
        (ctx->gate & PP_GATE_INSIDE))
        return;
    pp_gl_query_pause(ctx);
    ctx->pending.app_active = UINT32_MAX;
    ctx->pending.app_begins = true;
}

void
pp_gl_before_new_list(struct pp_gl_context *ctx, GLuint list, GLenum mode)
{
    bool begins = list != 0 && (mode == GL_COMPILE || mode == GL_COMPILE_AND_EXECUTE) && is_compatible(ctx);
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (!begins || (ctx->gate & PP_GATE_INSIDE)) {
        ctx->list.unsure |= begins && !(ctx->gate & PP_GATE_LIST);
        return;
    }
    ctx->list.begun = false;
    ctx->list.name = list;
    ctx->list.content = (struct pp_gl_list){.last = PP_LIST_NOTHING};
    /* A list that is executed while it is compiled is one action, with its bracket outside the list. */
    ctx->list.action = ctx->list.executes = mode == GL_COMPILE_AND_EXECUTE;
    struct pp_gl_action action = {.id = PP_HOOK_glNewList, .kind = PP_ACTION_DRAW, .indirect = 1};
    if (ctx->list.action && !pp_gl_count(ctx, PP_ACTION_DRAW))
        pp_gl_action_begin(ctx, &action);
    /* The list may end an application query. passprobe's query must end before: it cannot be ended inside the
     * list. */
    if (ctx->list.action)
        pp_gl_query_pause(ctx);
    ctx->gate |= PP_GATE_LIST;
}

/* Does a list that was executed while it was compiled leave a glBegin open, or may it do so? */
static bool
leaves_open(struct pp_gl_context *ctx)
{
    enum pp_gl_list_effect effect = atomic_load_explicit(&ctx->share->lists_are_open, memory_order_relaxed)
                                        ? pp_gl_list_effect(ctx, ctx->list.name)
                                        : PP_LIST_NOTHING;
    return effect == PP_LIST_BEGINS || effect == PP_LIST_UNKNOWN;
}

void
pp_gl_after_end_list(struct pp_gl_context *ctx)
{
    if (!(ctx->gate & PP_GATE_LIST) || (ctx->gate & PP_GATE_BEGIN))
        return;
    ctx->gate &= ~(uint32_t)PP_GATE_LIST;
    if (ctx->list.begun)
        atomic_store_explicit(&ctx->share->lists_are_open, true, memory_order_relaxed);
    pp_gl_list_compiled(ctx);
    if (ctx->list.action) {
        pp_gl_collected(ctx);
        expect_listed_queries(ctx);
        ctx->pending.app_begins = false;
        /* The list's glBegin is still open, so the action is, too. */
        if (ctx->list.executes && leaves_open(ctx)) {
            ctx->gate |= PP_GATE_BEGIN;
            ctx->begin.unsure = true;
            ctx->begin.frame_ends = 0;
            return;
        }
        pp_gl_action_end(ctx);
    }
    if (ctx->frame.close_due)
        pp_gl_frame_close(ctx);
    ctx->list.action = false;
}

void
pp_gl_after_delete_lists(struct pp_gl_context *ctx, GLuint first, GLsizei count)
{
    if (!(ctx->gate & PP_GATE_BEGIN))
        pp_gl_list_deleted(ctx, first, count);
}

/* The lists that are about to be called leave a glBegin open, or may do so. Inside a glBegin, OpenGL cannot
 * be asked. The next call that must not be inside a glBegin shows that the glBegin is over. Until then
 * everything is one action. */
static void
expect_begin(struct pp_gl_context *ctx, int id, bool may_be)
{
    struct pp_gl_action action = {.id = id, .kind = PP_ACTION_DRAW, .indirect = 1};
    if (!(ctx->gate & PP_GATE_BEGIN) && !pp_gl_count(ctx, PP_ACTION_DRAW))
        pp_gl_action_begin(ctx, &action);
    ctx->gate |= PP_GATE_BEGIN;
    ctx->begin.unsure = may_be || ctx->begin.feedback || ctx->program.pipeline;
    ctx->begin.frame_ends = 0;
}

/* Lists may contain a glBegin without its glEnd, or a glEnd without its glBegin. */
void
pp_gl_before_call_list(struct pp_gl_context *ctx, GLuint list)
{
    bool open = atomic_load_explicit(&ctx->share->lists_are_open, memory_order_relaxed);
    expect_listed_queries(ctx);
    if (ctx->gate & PP_GATE_LIST) {
        pp_gl_list_note_call(ctx, list);
        return;
    }
    if (!open && !(ctx->gate & PP_GATE_BEGIN))
        return;
    enum pp_gl_list_effect effect = pp_gl_list_effect(ctx, list);
    ctx->list.ends = effect == PP_LIST_ENDS && (ctx->gate & PP_GATE_BEGIN);
    ctx->begin.unsure |= effect == PP_LIST_PAIR && (ctx->gate & PP_GATE_BEGIN);
    if (effect == PP_LIST_BEGINS || (effect == PP_LIST_UNKNOWN && open))
        expect_begin(ctx, PP_HOOK_glCallList, effect == PP_LIST_UNKNOWN);
}

void
pp_gl_before_call_lists(struct pp_gl_context *ctx)
{
    expect_listed_queries(ctx);
    if (ctx->gate & PP_GATE_LIST)
        pp_gl_list_note_call(ctx, 0);
    else if (atomic_load_explicit(&ctx->share->lists_are_open, memory_order_relaxed))
        expect_begin(ctx, PP_HOOK_glCallLists, true);
}

void
pp_gl_after_called_list(struct pp_gl_context *ctx)
{
    ctx->pending.app_begins = false;
    if (ctx->list.ends)
        pp_gl_leave_begin(ctx);
    ctx->list.ends = false;
    if (atomic_load_explicit(&ctx->share->lists_set_buffers, memory_order_relaxed))
        pp_gl_after_draw_buffers(ctx);
}

void
pp_gl_after_transform_feedback(struct pp_gl_context *ctx, GLenum kind, bool on)
{
    if (on)
        ctx->begin.feedback_kind = kind;
    ctx->begin.feedback = on;
}
