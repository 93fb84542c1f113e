/** @file
 * From a hooked call to core's tracker. The inline functions are the hot path: if gate.h decides that it is
 * only counted, a draw costs a load of TLS, two compares and an addition. See also core/engine/tracker.h. */
#ifndef PP_HOOKS_MEASURE_DRAW_H
#define PP_HOOKS_MEASURE_DRAW_H

#include "hooks/base/context.h"
#include "hooks/base/gate.h"
#include "hooks/state/debug_label.h"

/** An action as its hook describes it. Used only off the hot path. */
struct pp_gl_action {
    int id; /**< enum pp_gl_id of the entry point */
    enum pp_action_kind kind;
    uint8_t indirect; /**< the counts below are not known */
    uint64_t vertices;
    uint32_t instances;
    uint64_t groups;
    bool inside; /**< an upload that does not end the pass around it */
};

/** Core's interface: the action list of the open batch is full; make space in it. */
int pp_gl_action_list_full(void *user, struct pp_tracker *tracker);

/* A hook tries three functions, in this order: pp_gl_count_in_pass() counts an action of the open pass;
 * pp_gl_count() counts, too, and may begin a pass or make space in the action list; pp_gl_action_begin()
 * measures the action by a bracket, and brings up to date what the gate names. */

/** Slow path of an action: opens frame, pass and bracket as needed. Call it before the real function. */
void pp_gl_action_begin(struct pp_gl_context *ctx, const struct pp_gl_action *action);

/** Ends what pp_gl_action_begin() began. Call it after the real function. */
void pp_gl_action_end(struct pp_gl_context *ctx);

/** The glBegin..glEnd is over: do now what had to wait, which is the end of the action or of the frame. */
void pp_gl_leave_begin(struct pp_gl_context *ctx);

/** Call pp_gl_leave_begin() if the glBegin..glEnd is over. For the case that a display list may have called
 * glBegin, and the application's next call must not be inside one. */
void pp_gl_leave_begin_if_over(struct pp_gl_context *ctx);

/** The application is about to submit what it issued, and the GPU may then have no work. The open pass's
 * bracket ends here. More actions of the kind to the same render target continue the pass. */
void pp_gl_before_submit(struct pp_gl_context *ctx);

/** The driver may have collected the vertices of an action that is over: see pp_gl_submit_collected() in
 * bracket.h. */
static inline void
pp_gl_collected(struct pp_gl_context *ctx)
{
    ctx->ends |= PP_GL_ENDS_COLLECTED;
}

/** Count an action if it belongs to the open pass, without a function call: the path of nearly every draw and
 * clear while draws are not measured. Hot.
 * @return false: nothing was done. */
static inline bool
pp_gl_count_in_pass(struct pp_gl_context *ctx, enum pp_action_kind kind)
{
    return PP_LIKELY(pp_gl_decide(ctx->gate, kind) == PP_RECORD_COUNTED) &&
           pp_track_action_same(&ctx->tracker, kind, 1);
}

/** Count an action. Begin a pass for it if it does not belong to the open one. Hot. @return false: nothing
 * was done; take the slow path, pp_gl_action_begin(). */
static inline bool
pp_gl_count(struct pp_gl_context *ctx, enum pp_action_kind kind)
{
    if (PP_UNLIKELY(pp_gl_decide(ctx->gate, kind) != PP_RECORD_COUNTED))
        return false;
    if (PP_LIKELY(pp_track_action_same(&ctx->tracker, kind, 1)))
        return true;
    /* Regions of annotate.h do not notify hooks, so a pass that begins here reads them. */
    pp_gl_label_refresh(ctx);
    pp_track_action_switch(&ctx->tracker, kind, 1);
    return true;
}

/** Count an upload to a buffer. Between draws and dispatches an upload belongs to their pass: drivers write
 * into a fresh copy and do not interrupt a pass for it. Hot. @return false: take the slow path. */
static inline bool
pp_gl_count_buffer_upload(struct pp_gl_context *ctx)
{
    if (PP_UNLIKELY(pp_gl_decide(ctx->gate, PP_ACTION_UPLOAD) != PP_RECORD_COUNTED))
        return false;
    if (PP_UNLIKELY(ctx->tracker.open_kind == PP_PASS_NONE))
        pp_gl_label_refresh(ctx);
    pp_track_inside(&ctx->tracker, PP_ACTION_UPLOAD, 1);
    return true;
}

/** Kind of a clear of framebuffer object @p framebuffer: of the current render target, or of another one. */
static inline enum pp_action_kind
pp_gl_clear_kind(const struct pp_gl_context *ctx, GLuint framebuffer)
{
    GLuint bound = ctx->fb.draw ? ctx->fb.draw->name : 0;
    return framebuffer == bound ? PP_ACTION_CLEAR : PP_ACTION_FILL;
}

/** Does a texture upload with this pointer carry data? With a buffer bound, pointer 0 is an offset. */
static inline bool
pp_gl_unpacks(const struct pp_gl_context *ctx, const void *data)
{
    return data || ctx->buffers.unpack_bound;
}

/** A count as the driver takes it: negative counts are errors and draw nothing. */
static inline uint64_t
pp_gl_positive(int64_t count)
{
    return count > 0 ? (uint64_t)count : 0;
}

/** Sum of the counts of a multi-draw. */
static inline uint64_t
pp_gl_sum(const GLsizei *count, GLsizei draws)
{
    uint64_t sum = 0;
    for (GLsizei i = 0; count && i < draws; i++)
        sum += pp_gl_positive(count[i]);
    return sum;
}

#endif
