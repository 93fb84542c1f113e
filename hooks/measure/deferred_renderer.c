/** @file
 * See deferred_renderer.h.
 *
 * llvmpipe puts a timestamp query into the scene that it collects. It reads the time while it draws the
 * scene, after all tiles have come to the query. So two queries in one scene give the same time: the time of
 * the scene's end. A query that is submitted by itself before the scene gives an earlier time: when the
 * application had not issued any draw yet. Therefore the CPU finds the begin; its clock is also the clock of
 * the queries:
 *
 * - draws and clears: the renderer draws the scene from its submission on, which is when the pass ends or the
 *   application submits. The renderer may have submitted a full scene earlier by itself. Then the query
 *   after the first action is older than the submission, and the pass counts from its first action on.
 * - blits and copies: each is a scene by itself that is submitted at once, and is a part of its pass.
 * - uploads: finished when the call returns. Their time is the time in the calls.
 * - compute and read-backs: also finished when the call returns. The call may wait for the scenes before it,
 *   or may run while they are drawn. passprobe waits for the work before such a pass, so that both have
 *   separate times. At level frame it does not wait: there, time in which both are busy counts once.
 *
 * A frame may end in a call that submits nothing: a swap of a pbuffer, which has no effect, or a call of the
 * annotate API. The scene would wait for the first action of the next frame, and the application's pause
 * would count as time of the renderer. So passprobe submits a scene that is left at the end of a frame.
 *
 * No part begins before the previous part has ended. At level frame the one pass of the frame is split into
 * parts where its scenes end. */
#include "hooks/measure/deferred_renderer.h"

#include <string.h>

#include "core/engine/clock.h"
#include "hooks/measure/bracket.h"
#include "hooks/measure/readback.h"
#include "hooks/reach/driver_procs.h"

#define NONE UINT32_MAX

/* How the renderer executes an action. */
enum mode {
    DRAWN,    /* in the framebuffer's scene */
    OWN,      /* in a scene by itself */
    COMPUTED, /* in the call, after the scenes before it or overlapped with them */
    COPIED,   /* in the call */
};

static enum mode
mode_of(uint8_t kind)
{
    if (kind == PP_ACTION_DISPATCH || kind == PP_ACTION_READBACK)
        return COMPUTED;
    if (kind == PP_ACTION_UPLOAD)
        return COPIED;
    return kind <= PP_ACTION_CLEAR ? DRAWN : OWN;
}

static uint8_t *
row_of(const struct pp_gl_context *ctx, uint32_t number, unsigned end)
{
    return pp_batch_reserve(ctx->batch, number + 1) ? NULL : pp_batch_row(ctx->batch, number, end);
}

static void
put(uint8_t *row, uint64_t ns)
{
    if (row)
        memcpy(row, &ns, sizeof(ns));
}

static uint64_t
get(const uint8_t *row)
{
    uint64_t ns;
    memcpy(&ns, row, sizeof(ns));
    return ns;
}

void
pp_gl_scene_submit(struct pp_gl_context *ctx)
{
    if (ctx->scene.unsent)
        pp_glFlush();
    ctx->scene.unsent = false;
}

uint64_t
pp_gl_scene_begin(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind)
{
    struct pp_gl_scene *scene = &ctx->scene;
    bool drawing = kind == PP_PASS_RENDER || (kind == PP_PASS_FRAME && mode_of(scene->kind) == DRAWN);
    uint64_t waited_ns = 0;
    /* Submit what is left of the previous frame or pass, because nothing else submits it. */
    if (mode_of(scene->kind) == COMPUTED && kind != PP_PASS_FRAME) {
        waited_ns = pp_now_ns();
        pp_glFinish();
        waited_ns = pp_now_ns() - waited_ns;
    } else if (number == 0 || !drawing) {
        pp_glFlush();
    }
    uint64_t target = ctx->tracker.target;
    uint64_t now = pp_gl_clock(ctx);
    *scene =
        (struct pp_gl_scene){number, scene->kind, .target = target, .call_ns = now, .end_ns = scene->end_ns};
    put(row_of(ctx, number, 0), now);
    return waited_ns;
}

void
pp_gl_scene_before_action(struct pp_gl_context *ctx, enum pp_action_kind kind)
{
    struct pp_gl_scene *scene = &ctx->scene;
    const struct pp_tracker *tracker = &ctx->tracker;
    enum mode mode = mode_of((uint8_t)kind);
    scene->kind = (uint8_t)kind;
    bool joins =
        mode == COPIED || (mode == DRAWN ? !scene->apart && scene->target == tracker->target : !scene->drawn);
    if (tracker->open_kind == PP_PASS_FRAME && !joins)
        pp_track_pause(&ctx->tracker);
    if (scene->bracket != NONE && mode != DRAWN)
        scene->call_ns = pp_gl_clock(ctx);
}

void
pp_gl_scene_after_action(struct pp_gl_context *ctx)
{
    struct pp_gl_scene *scene = &ctx->scene;
    enum mode mode = mode_of(scene->kind);
    /* This is also called at a glEnd whose glBegin did not name the action. */
    scene->kind = PP_ACTION_DRAW;
    if (scene->bracket == NONE)
        return;
    if (mode == DRAWN) {
        pp_gl_submit_collected(ctx);
        /* Under --serialize every draw has already been submitted. */
        if (!scene->drawn && !(ctx->device->serialize && ctx->tracker.level == PP_LEVEL_DRAW))
            pp_gl_bracket_stamp(ctx, scene->bracket, 0);
        scene->drawn = true;
        ctx->gate &= ~(uint32_t)PP_GATE_FIRST;
        return;
    }
    scene->apart |= mode != COPIED;
    if (mode == OWN) {
        pp_gl_bracket_stamp(ctx, scene->bracket, 1);
        pp_glFlush();
    }
    scene->done_ns = pp_gl_clock(ctx);
    scene->busy_ns += scene->done_ns - scene->call_ns;
}

void
pp_gl_scene_end(struct pp_gl_context *ctx, struct pp_gl_bracket *bracket, uint32_t number)
{
    struct pp_gl_scene *scene = &ctx->scene;
    uint8_t *end = row_of(ctx, number, 1);
    scene->bracket = NONE;
    ctx->gate |= PP_GATE_FIRST;
    bracket->rows = PP_GL_ROWS_SCENE;
    bracket->closed = end != NULL;
    if (!end)
        return;
    if (scene->drawn || !scene->done_ns) {
        scene->unsent = true;
        put(end, pp_gl_clock(ctx));
        pp_gl_bracket_stamp(ctx, number, 1);
    } else if (bracket->ended) {
        put(end, scene->done_ns);
    } else {
        put(end, get(row_of(ctx, number, 0)) + scene->busy_ns);
        if (scene->apart)
            bracket->rows = PP_GL_ROWS_CALLS;
    }
}

void
pp_gl_scene_read(struct pp_gl_context *ctx, const struct pp_gl_bracket *bracket, uint8_t *begin, uint8_t *end)
{
    struct pp_gl_scene *scene = &ctx->scene;
    uint64_t from = get(begin), to = get(end);
    if (bracket->begun && pp_gl_readback_result(ctx, pp_gl_names(ctx, bracket->slot)[0]) >= to)
        from = to;
    uint64_t drawn = bracket->ended ? pp_gl_readback_result(ctx, pp_gl_names(ctx, bracket->slot)[1]) : 0;
    to = drawn > to ? drawn : to;
    if (bracket->rows == PP_GL_ROWS_SCENE)
        from = from > scene->end_ns ? from : scene->end_ns;
    to = to > from ? to : from;
    scene->end_ns = to > scene->end_ns ? to : scene->end_ns;
    put(begin, from);
    put(end, to);
}
