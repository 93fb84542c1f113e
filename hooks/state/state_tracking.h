/** @file
 * Handlers of calls that change what passprobe knows, or whose results must not show passprobe's objects.
 * entry_points.txt names them; the generated hooks call them with the application's context current. No
 * handler calls OpenGL where the call could fail. */
#ifndef PP_HOOKS_STATE_STATE_TRACKING_H
#define PP_HOOKS_STATE_STATE_TRACKING_H

#include "hooks/counters/perf.h"
#include "hooks/measure/draw.h"
#include "hooks/state/context.h"

/* Immediate mode and display lists. */
void pp_gl_before_begin(struct pp_gl_context *ctx, GLenum mode);
void pp_gl_after_end(struct pp_gl_context *ctx);
void pp_gl_before_new_list(struct pp_gl_context *ctx, GLuint list, GLenum mode);
void pp_gl_after_end_list(struct pp_gl_context *ctx);
void pp_gl_after_delete_lists(struct pp_gl_context *ctx, GLuint first, GLsizei count);
void pp_gl_before_call_list(struct pp_gl_context *ctx, GLuint list);
void pp_gl_before_call_lists(struct pp_gl_context *ctx);
void pp_gl_after_called_list(struct pp_gl_context *ctx);

/* Record the texture of the first unit, which distinguishes draws (struct pp_action). The driver is not asked
 * whether it accepts the texture: a call that it refuses is refused in every frame. Hot. */
static inline void
pp_gl_note_active_texture(struct pp_gl_context *ctx, GLenum unit)
{
    ctx->other_unit = unit != GL_TEXTURE0;
}

static inline void
pp_gl_note_bind_texture(struct pp_gl_context *ctx, GLuint texture)
{
    if (!ctx->other_unit)
        pp_track_resource(&ctx->tracker, texture);
}

static inline void
pp_gl_note_bind_texture_of(struct pp_gl_context *ctx, GLuint unit, GLuint texture)
{
    if (unit == 0)
        pp_track_resource(&ctx->tracker, texture);
}

static inline void
pp_gl_note_bind_textures(struct pp_gl_context *ctx, GLuint first, GLsizei count, const GLuint *textures)
{
    if (first == 0 && count > 0)
        pp_track_resource(&ctx->tracker, textures ? textures[0] : 0);
}

/* Clears and invalidations: load and store behaviour of the open pass. */
void pp_gl_after_clear(struct pp_gl_context *ctx, GLbitfield mask);
void pp_gl_after_clear_buffer(struct pp_gl_context *ctx, GLenum buffer, GLint draw_buffer);
void pp_gl_after_invalidate(struct pp_gl_context *ctx, GLenum target, GLsizei count,
                            const GLenum *attachment);
void pp_gl_after_invalidate_named(struct pp_gl_context *ctx, GLuint framebuffer, GLsizei count,
                                  const GLenum *attachment);

/* Calls that wait, and calls that submit work to the GPU. */
void pp_gl_before_submit_if(struct pp_gl_context *ctx, bool submits);
uint64_t pp_gl_before_wait(struct pp_gl_context *ctx);
void pp_gl_after_wait(struct pp_gl_context *ctx, uint64_t start_ns);
uint64_t pp_gl_before_read_back(struct pp_gl_context *ctx);
void pp_gl_after_read_back(struct pp_gl_context *ctx, uint64_t start_ns);
uint64_t pp_gl_before_fetch(struct pp_gl_context *ctx);
void pp_gl_after_fetch(struct pp_gl_context *ctx, uint64_t start_ns);
/* A call that may wait. Asking a fence without a timeout, or mapping a buffer only for writing, neither waits
 * nor submits. */
void pp_gl_before_wait_if(struct pp_gl_context *ctx, bool waits);
void pp_gl_after_wait_if(struct pp_gl_context *ctx);
void pp_gl_before_ask(struct pp_gl_context *ctx, GLuint query, GLenum what);
void pp_gl_after_write_query(struct pp_gl_context *ctx, GLuint query);
uint64_t pp_gl_before_query_result(struct pp_gl_context *ctx);
void pp_gl_after_query_result(struct pp_gl_context *ctx, uint64_t start_ns);
uint64_t pp_gl_before_link(struct pp_gl_context *ctx);
void pp_gl_after_link(struct pp_gl_context *ctx, uint64_t start_ns);
uint64_t pp_gl_before_finish(struct pp_gl_context *ctx);
void pp_gl_after_finish(struct pp_gl_context *ctx, uint64_t start_ns);
void pp_gl_after_flush(struct pp_gl_context *ctx);

/* Render targets. */
void pp_gl_after_bind_framebuffer(struct pp_gl_context *ctx, GLenum target, GLuint framebuffer);
void pp_gl_after_delete_framebuffers(struct pp_gl_context *ctx, GLsizei count, const GLuint *framebuffer);
void pp_gl_after_framebuffer_changed(struct pp_gl_context *ctx, GLenum target);
void pp_gl_after_named_framebuffer_changed(struct pp_gl_context *ctx, GLuint framebuffer);
void pp_gl_after_draw_buffers(struct pp_gl_context *ctx);
void pp_gl_after_storage_changed(struct pp_gl_context *ctx);
void pp_gl_after_image_changed(struct pp_gl_context *ctx, const void *pixels);
void pp_gl_after_image_deleted(struct pp_gl_context *ctx);
void pp_gl_after_texture_image(struct pp_gl_context *ctx, GLenum target, GLint level, GLenum format,
                               GLsizei width, GLsizei height, const void *pixels);
void pp_gl_after_object_label(struct pp_gl_context *ctx);
void pp_gl_after_pop_attrib(struct pp_gl_context *ctx);
void pp_gl_after_pop_client_attrib(struct pp_gl_context *ctx);
void pp_gl_after_viewport(struct pp_gl_context *ctx, GLsizei width, GLsizei height);

/* The application's queries and buffers. If the application invents a name that is ours, the driver gets
 * another name. In OpenGL ES our name is only hidden from calls that ask what it is or that delete it. */
GLuint pp_gl_app_query(const struct pp_gl_context *ctx, GLuint name);
GLuint pp_gl_hidden_query(const struct pp_gl_context *ctx, GLuint name);
GLuint pp_gl_app_object(const struct pp_gl_context *ctx, GLenum kind, GLuint name);
void pp_gl_before_begin_query(struct pp_gl_context *ctx, GLenum target, GLuint index);
void pp_gl_before_end_query(struct pp_gl_context *ctx, GLenum target);
void pp_gl_after_end_query(struct pp_gl_context *ctx, GLenum target, GLuint index);
void pp_gl_get_query(struct pp_gl_context *ctx, void (*real)(GLenum, GLenum, GLint *), GLenum target,
                     GLenum what, GLint *ret);
void pp_gl_get_query_indexed(struct pp_gl_context *ctx, void (*real)(GLenum, GLuint, GLenum, GLint *),
                             GLenum target, GLuint index, GLenum what, GLint *ret);
void pp_gl_delete_queries(struct pp_gl_context *ctx, void (*real)(GLsizei, const GLuint *), GLsizei count,
                          const GLuint *name);
void pp_gl_after_bind_buffer(struct pp_gl_context *ctx, GLenum target, GLuint buffer);
void pp_gl_after_delete_buffers(struct pp_gl_context *ctx, GLsizei count, const GLuint *buffer);
void pp_gl_after_conditional(struct pp_gl_context *ctx, int on);
void pp_gl_after_reset_status(struct pp_gl_context *ctx, GLenum status);

void pp_gl_after_frame_terminator(struct pp_gl_context *ctx);

/** Does creating a sync object of this type put a fence behind the context's work? The CPU signals reusable
 * sync objects (EGL_KHR_reusable_sync), and other APIs signal those of events. */
static inline bool
pp_gl_is_fence(EGLenum type)
{
    return type == EGL_SYNC_FENCE || type == EGL_SYNC_NATIVE_FENCE_ANDROID;
}

/** GLhandleARB is a GL name on every platform but macOS. */
static inline GLuint
pp_gl_arb_object(GLhandleARB handle)
{
    return (GLuint)handle;
}

#endif
