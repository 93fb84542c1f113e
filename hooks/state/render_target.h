/** @file
 * What the draw framebuffer consists of, and what is known of its images: size, format, name. The driver is
 * asked only when a binding or an attachment changed, by queries that cannot fail and change no binding. See
 * also core/engine/tracker.h. */
#ifndef PP_HOOKS_STATE_RENDER_TARGET_H
#define PP_HOOKS_STATE_RENDER_TARGET_H

#include "hooks/base/context.h"

/** What is known of an image; zeros: unknown. Also the value type of pp_gl_share.images. */
struct pp_gl_image {
    uint32_t width;
    uint32_t height;
    uint32_t layers;
    uint32_t samples;
    GLenum format;
};

/** Record level 0 of a texture, for contexts in which textures cannot be asked. */
void pp_gl_image_note(struct pp_gl_context *ctx, GLenum target, GLenum format, GLsizei width, GLsizei height);

/** Find out the current render target and report it to the tracker. Outside glBegin..glEnd. */
void pp_gl_render_target_refresh(struct pp_gl_context *ctx);

/** Does the driver refuse to draw to the bound framebuffer object? Outside glBegin..glEnd, after
 * pp_gl_render_target_refresh(). */
bool pp_gl_render_target_incomplete(struct pp_gl_context *ctx);

/** Core's interface: the current render target. */
pp_render_target_id pp_gl_render_target(void *user);

/** Attachment points as bits, whatever is attached: bit i is color i, bit 30 depth, bit 31 stencil. Also
 * takes the names of the default framebuffer's buffers. */
uint32_t pp_gl_render_target_points(GLsizei count, const GLenum *attachment);

/** Attachment bits (pp_pass.cleared) of the current render target for the attachment points @p wanted. */
uint32_t pp_gl_render_target_bits(const struct pp_gl_context *ctx, uint32_t wanted);

/** Attachment bits of the buffers in a glClear mask. */
uint32_t pp_gl_render_target_mask_bits(const struct pp_gl_context *ctx, GLbitfield mask, GLint draw_buffer);

#endif
