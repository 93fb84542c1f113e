/** @file
 * Surfaces and their frames. A window's frames end at swaps; where nothing can be presented, at
 * glFinish, at glFlush after work, or at the annotate API's call, as --frame-on says. Next room:
 * core/session.h. */
#ifndef PP_HOOKS_WINSYS_SURFACE_H
#define PP_HOOKS_WINSYS_SURFACE_H

#include "hooks/state/context.h"

/** What glx.c and egl.c know of a surface when they see it first. */
struct pp_gl_surface_info {
    const char *kind; /**< "window", "pbuffer", "pixmap", "offscreen"; not copied */
    bool presents;
    uint32_t width;
    uint32_t height;
    uint8_t red, green, blue, alpha, depth, stencil, samples;
};

/** A surface seen before and not destroyed since, or NULL. @p drawable must not be 0. The caller owns a
 * reference. */
struct pp_gl_surface *pp_gl_surface_find(enum pp_gl_winsys winsys, void *display, uintptr_t drawable);

/** The surface of a display that is current nowhere, nor was presented last by a thread, and that was given
 * out here least often; a reference. NULL: none. */
struct pp_gl_surface *pp_gl_surface_idle(enum pp_gl_winsys winsys, const void *display);

/** One more user. @return @p surface, which may be NULL. */
struct pp_gl_surface *pp_gl_surface_ref(struct pp_gl_surface *surface);

/** One user less; the last one's frees it. NULL is nothing. */
void pp_gl_surface_unref(struct pp_gl_surface *surface);

/** Note a surface. The caller owns a reference. @return NULL: no memory. */
struct pp_gl_surface *pp_gl_surface_add(enum pp_gl_winsys winsys, void *display, uintptr_t drawable,
                                        const struct pp_gl_surface_info *info);

/** Its size, just asked. A change makes another target of it. */
void pp_gl_surface_resized(struct pp_gl_surface *surface, uint32_t width, uint32_t height);

/** Is it time to ask for the size again? */
bool pp_gl_surface_size_due(struct pp_gl_surface *surface);

/** It is gone: its frames end, nobody finds it any more. Takes the caller's reference. NULL is nothing. */
void pp_gl_surface_retire(struct pp_gl_surface *surface);

/** The program destroys it. */
void pp_gl_surface_gone(enum pp_gl_winsys winsys, void *display, uintptr_t drawable);

/** All surfaces of a display are gone. */
void pp_gl_surfaces_closed(const void *display);

/** First work of a frame in @p ctx: device, timeline, batch. @return false: this frame is passed through. */
bool pp_gl_frame_open(struct pp_gl_context *ctx);

/** A swap under way. */
struct pp_gl_swap {
    struct pp_gl_context *ctx;     /**< current one, or NULL */
    struct pp_gl_surface *surface; /**< NULL: not known; a reference until pp_gl_swap_done() */
    uint64_t begin_ns;
};

/** Before the real swap of @p drawable: close what the current context has open. */
void pp_gl_swap_begin(struct pp_gl_swap *swap, enum pp_gl_winsys winsys, void *display, uintptr_t drawable);

/** After it. @p ok the frame ended; a failed swap ends none. */
void pp_gl_swap_end(struct pp_gl_swap *swap, bool ok);

/** Last: the swap's surface is not used any more. */
void pp_gl_swap_done(struct pp_gl_swap *swap);

/** glFinish (true) or glFlush (false) returned: ends the frame of a surface that cannot present. */
void pp_gl_frame_flush(struct pp_gl_context *ctx, bool finish, uint64_t begin_ns);

/** Ends the frame if the annotate API said so since the last look. */
void pp_gl_frame_marker(struct pp_gl_context *ctx);

/** Ends the frame now: glFrameTerminatorGREMEDY. */
void pp_gl_frame_terminate(struct pp_gl_context *ctx);

/** The program waited for the GPU. */
void pp_gl_surface_waited(struct pp_gl_context *ctx, uint64_t ns);

/** It linked a program. */
void pp_gl_surface_linked(struct pp_gl_context *ctx, uint64_t ns);

/** End the tracker's passes, queue the batch, and hand a scene (deferred_renderer.h) to the renderer; the
 * context is current. Where nothing may be injected, as soon as something may. */
void pp_gl_frame_close(struct pp_gl_context *ctx);

/** The same where the application's call hands the work over by itself, or must not. */
void pp_gl_frame_close_unsent(struct pp_gl_context *ctx);

/** First work after some was handed over: if another thread ended its frame meanwhile (a window is drawn by
 * one thread and swapped by another), what is open belongs to that frame and ends here. */
void pp_gl_frame_look(struct pp_gl_context *ctx);

/** Gate bits that hold from the start of a frame. */
uint32_t pp_gl_frame_gate(const struct pp_gl_context *ctx);

#endif
