/** @file
 * Room: what the draw framebuffer is made of. Asked of the driver only when a binding or an attachment
 * changed, and only by queries that cannot fail. Next room: core/track.h. */
#ifndef PP_HOOKS_TARGET_H
#define PP_HOOKS_TARGET_H

#include "hooks/context.h"

/** Find out what is drawn to now and tell the tracker. Outside glBegin..glEnd. */
void pp_gl_target_refresh(struct pp_gl_context *ctx);

/** Core's seam: shape of the current target. */
pp_shape_id pp_gl_target_shape(void *user);

/** Attachment bits of the open render pass (pp_pass.cleared) for GL attachment points; `window` names
 * GL_COLOR, GL_DEPTH, GL_STENCIL of the default framebuffer, too. */
uint32_t pp_gl_target_bits(const struct pp_gl_context *ctx, GLsizei count, const GLenum *attachment);

/** Attachment bits of the buffers in a glClear mask. */
uint32_t pp_gl_target_mask_bits(const struct pp_gl_context *ctx, GLbitfield mask, GLint draw_buffer);

#endif
