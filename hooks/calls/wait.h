/** @file
 * Handlers of calls that wait for the GPU, and of calls that submit work to it.
 * entry_points.txt names these handlers; the generated hooks call them with the application's context
 * current. No handler calls OpenGL where the call could fail. */
#ifndef PP_HOOKS_CALLS_WAIT_H
#define PP_HOOKS_CALLS_WAIT_H

#include "hooks/base/context.h"

void pp_gl_before_submit_if(struct pp_gl_context *ctx, bool submits);
uint64_t pp_gl_before_wait(struct pp_gl_context *ctx);
void pp_gl_after_wait(struct pp_gl_context *ctx, uint64_t start_ns);
uint64_t pp_gl_before_read_back(struct pp_gl_context *ctx);
void pp_gl_after_read_back(struct pp_gl_context *ctx, uint64_t start_ns);
uint64_t pp_gl_before_fetch(struct pp_gl_context *ctx);
void pp_gl_after_fetch(struct pp_gl_context *ctx, uint64_t start_ns);
/* A call that may wait. Mapping a buffer only for writing neither waits nor submits, nor does asking a fence
 * without a timeout. */
void pp_gl_before_wait_if(struct pp_gl_context *ctx, bool waits);
void pp_gl_after_wait_if(struct pp_gl_context *ctx);
/* A look at a fence; @p waits as above. An application that looks again and again waits, too. */
void pp_gl_before_look(struct pp_gl_context *ctx, const void *sync, bool waits);
void pp_gl_after_look(struct pp_gl_context *ctx, const void *sync, bool done);
void pp_gl_before_ask(struct pp_gl_context *ctx, GLuint query, GLenum what);
void pp_gl_after_write_query(struct pp_gl_context *ctx, GLuint query);
uint64_t pp_gl_before_query_result(struct pp_gl_context *ctx);
void pp_gl_after_query_result(struct pp_gl_context *ctx, uint64_t start_ns);
uint64_t pp_gl_before_link(struct pp_gl_context *ctx);
void pp_gl_after_link(struct pp_gl_context *ctx, uint64_t start_ns);
uint64_t pp_gl_before_finish(struct pp_gl_context *ctx);
void pp_gl_after_finish(struct pp_gl_context *ctx, uint64_t start_ns);
void pp_gl_after_flush(struct pp_gl_context *ctx);
void pp_gl_after_reset_status(struct pp_gl_context *ctx, GLenum status);

/* A call that ends a frame for a tool (GL_GREMEDY_frame_terminator). */
void pp_gl_after_frame_terminator(struct pp_gl_context *ctx);

/** Does creating a sync object of this type put a fence after the context's work? The CPU signals reusable
 * sync objects (EGL_KHR_reusable_sync), and other APIs signal those of events. */
static inline bool
pp_gl_is_fence(EGLenum type)
{
    return type == EGL_SYNC_FENCE || type == EGL_SYNC_NATIVE_FENCE_ANDROID;
}

#endif
