/** @file
 * Handlers of calls that change what is rendered to. A change is only noted here; the next action asks the
 * driver (render_target.h). entry_points.txt names these handlers; the generated hooks call them with the
 * application's context current. No handler calls OpenGL where the call could fail. */
#ifndef PP_HOOKS_CALLS_FRAMEBUFFER_H
#define PP_HOOKS_CALLS_FRAMEBUFFER_H

#include "hooks/base/context.h"

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
void pp_gl_after_viewport(struct pp_gl_context *ctx, GLsizei width, GLsizei height);

/* Clears and invalidations: load and store behaviour of the open pass. */
void pp_gl_after_clear(struct pp_gl_context *ctx, GLbitfield mask);
void pp_gl_after_clear_buffer(struct pp_gl_context *ctx, GLenum buffer, GLint draw_buffer);
void pp_gl_after_invalidate(struct pp_gl_context *ctx, GLenum target, GLsizei count,
                            const GLenum *attachment);
void pp_gl_after_invalidate_named(struct pp_gl_context *ctx, GLuint framebuffer, GLsizei count,
                                  const GLenum *attachment);

#endif
