/** @file
 * What the draw framebuffer is made of. Asked of the driver only when a binding or an attachment
 * changed, and only by queries that cannot fail. See also core/track.h. */
#ifndef PP_HOOKS_STATE_RENDER_TARGET_H
#define PP_HOOKS_STATE_RENDER_TARGET_H

#include "hooks/state/context.h"

/** Find out what is drawn to now and tell the tracker. Outside glBegin..glEnd. */
void pp_gl_target_refresh(struct pp_gl_context *ctx);

/** Does the driver refuse to draw to the framebuffer object that is bound? Outside glBegin..glEnd, after
 * pp_gl_target_refresh(). */
bool pp_gl_target_incomplete(struct pp_gl_context *ctx);

/** Core's interface: shape of the current target. */
pp_render_target_id pp_gl_render_target(void *user);

/** Points of attachment as bits, whatever is attached: bit i is color i, 30 depth, 31 stencil. The default
 * framebuffer's names count, too. */
uint32_t pp_gl_target_points(GLsizei count, const GLenum *attachment);

/** Attachment bits (pp_pass.cleared) of the current target for wanted points of attachment. */
uint32_t pp_gl_target_bits(const struct pp_gl_context *ctx, uint32_t wanted);

/** Attachment bits of the buffers in a glClear mask. */
uint32_t pp_gl_target_mask_bits(const struct pp_gl_context *ctx, GLbitfield mask, GLint draw_buffer);

#endif
