/** @file
 * When a frame begins and ends, and what happens then: only frame.c decides that. Frames of a window end at
 * swaps. Where nothing can be presented, frames end at glFinish, at glFlush after work, or at the annotate
 * API's call, as --frame-on says. See also core/session/timeline.h. */
#ifndef PP_HOOKS_MEASURE_FRAME_H
#define PP_HOOKS_MEASURE_FRAME_H

#include "hooks/base/context.h"

/** First action of a frame in @p ctx: get device, timeline and batch. @return false: this frame is not
 * measured. */
bool pp_gl_frame_open(struct pp_gl_context *ctx);

/** A swap under way. */
struct pp_gl_swap {
    struct pp_gl_context *ctx;     /**< current context, or NULL */
    struct pp_gl_surface *surface; /**< NULL: not known; a reference until pp_gl_swap_done() */
    uint64_t begin_ns;
};

/** Call before the real swap of @p drawable: closes what the current context has open. */
void pp_gl_swap_begin(struct pp_gl_swap *swap, enum pp_gl_winsys winsys, void *display, uintptr_t drawable);

/** Call after the real swap. @p ok The frame ended; a failed swap ends no frame. */
void pp_gl_swap_end(struct pp_gl_swap *swap, bool ok);

/** Call last: drops the reference to the swap's surface. */
void pp_gl_swap_done(struct pp_gl_swap *swap);

/** glFinish (true) or glFlush (false) returned: ends the frame of a surface that cannot present. */
void pp_gl_frame_flush(struct pp_gl_context *ctx, bool finish, uint64_t begin_ns);

/** End the frame if the annotate API requested it since the last call. */
void pp_gl_frame_marker(struct pp_gl_context *ctx);

/** End the frame now: glFrameTerminatorGREMEDY. */
void pp_gl_frame_terminate(struct pp_gl_context *ctx);

/** The application waited for the GPU for @p ns nanoseconds. */
void pp_gl_frame_waited(struct pp_gl_context *ctx, uint64_t ns);

/** The application linked a shader program in @p ns nanoseconds. */
void pp_gl_frame_linked(struct pp_gl_context *ctx, uint64_t ns);

/** End the tracker's passes, queue the batch, and submit a scene (deferred_renderer.h) to the renderer. The
 * context is current. If nothing may be injected now, this is done as soon as injection is allowed. */
void pp_gl_frame_close(struct pp_gl_context *ctx);

/** pp_gl_frame_close() without submitting a scene: the application's call submits the work itself, or must
 * not submit. */
void pp_gl_frame_close_unsubmitted(struct pp_gl_context *ctx);

/** First action after a submission. A window may be drawn by one thread and swapped by another: if another
 * thread ended the frame meanwhile, what is open belongs to that frame and ends here. */
void pp_gl_frame_check_ended(struct pp_gl_context *ctx);

/** Bits of pp_gl_context.gate that are set at the start of a frame. */
uint32_t pp_gl_frame_gate(const struct pp_gl_context *ctx);

#endif
