/** @file
 * See framebuffer.h. */
#include "hooks/calls/framebuffer.h"

#include <stdatomic.h>

#include "hooks/measure/draw.h"
#include "hooks/state/render_target.h"
#include "hooks/state/surface.h"

static void
note_cleared(struct pp_gl_context *ctx, uint32_t bits)
{
    struct pp_pass *pass = ctx->batch ? pp_track_open_pass(&ctx->tracker) : NULL;
    /* A clear replaces the load only if it comes first in a pass. */
    if (pass && pass->kind == PP_PASS_RENDER && pp_track_open_draws(&ctx->tracker) == 0)
        pass->cleared |= bits;
}

void
pp_gl_after_clear(struct pp_gl_context *ctx, GLbitfield mask)
{
    if (!(ctx->gate & PP_GATE_INSIDE))
        note_cleared(ctx, pp_gl_render_target_mask_bits(ctx, mask, -1));
}

void
pp_gl_after_clear_buffer(struct pp_gl_context *ctx, GLenum buffer, GLint draw_buffer)
{
    GLbitfield mask = buffer == GL_COLOR           ? GL_COLOR_BUFFER_BIT
                      : buffer == GL_DEPTH         ? GL_DEPTH_BUFFER_BIT
                      : buffer == GL_STENCIL       ? GL_STENCIL_BUFFER_BIT
                      : buffer == GL_DEPTH_STENCIL ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT
                                                   : 0U;
    if (!(ctx->gate & PP_GATE_INSIDE))
        note_cleared(ctx, pp_gl_render_target_mask_bits(ctx, mask, draw_buffer));
}

void
pp_gl_after_invalidate(struct pp_gl_context *ctx, GLenum target, GLsizei count, const GLenum *attachment)
{
    struct pp_pass *pass = ctx->batch ? pp_track_open_pass(&ctx->tracker) : NULL;
    uint32_t points = pp_gl_render_target_points(count, attachment);
    if (target == GL_READ_FRAMEBUFFER || (ctx->gate & PP_GATE_LIST))
        return;
    bool worked = pass && pass->kind == PP_PASS_RENDER && !(ctx->gate & PP_GATE_TARGET) &&
                  ctx->tracker.open_target == ctx->tracker.target;
    if (worked) {
        pass->discarded |= pp_gl_render_target_bits(ctx, points);
        /* More actions begin another pass, whose attachments are then undefined. */
        ctx->fb.discards++;
        ctx->gate |= PP_GATE_TARGET;
    }
    /* Invalidated before the first action: the next pass on this framebuffer does not load these points. */
    ctx->fb.undefined = points | (ctx->fb.undefined_in == ctx->fb.bound ? ctx->fb.undefined : 0U);
    ctx->fb.undefined_in = ctx->fb.bound;
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_invalidate_named(struct pp_gl_context *ctx, GLuint framebuffer, GLsizei count,
                             const GLenum *attachment)
{
    if (ctx->fb.bound_known && ctx->fb.bound == framebuffer)
        pp_gl_after_invalidate(ctx, GL_DRAW_FRAMEBUFFER, count, attachment);
}

static void
set_dirty(struct pp_gl_context *ctx, GLuint framebuffer)
{
    struct pp_gl_framebuffer *known = framebuffer ? pp_gl_map_get(&ctx->fb.known, framebuffer) : NULL;
    if (known)
        known->dirty = true;
}

void
pp_gl_after_bind_framebuffer(struct pp_gl_context *ctx, GLenum target, GLuint framebuffer)
{
    if (target != GL_FRAMEBUFFER && target != GL_DRAW_FRAMEBUFFER)
        return;
    /* Binding the bound framebuffer again changes nothing, unless one of its images was respecified since. */
    const struct pp_gl_framebuffer *now = ctx->fb.draw;
    bool fresh = !now || now->epoch == atomic_load_explicit(&ctx->share->epoch, memory_order_relaxed);
    if (!ctx->fb.bound_known || framebuffer != ctx->fb.bound || !fresh)
        ctx->gate |= PP_GATE_TARGET;
    /* The driver may refuse a name that was not seen before: then the driver is asked what is bound. */
    const struct pp_gl_framebuffer *known = framebuffer ? pp_gl_map_get(&ctx->fb.known, framebuffer) : NULL;
    ctx->fb.bound_known = framebuffer == 0 || (known && known->name);
    ctx->fb.bound = framebuffer;
}

void
pp_gl_after_delete_framebuffers(struct pp_gl_context *ctx, GLsizei count, const GLuint *framebuffer)
{
    for (GLsizei i = 0; framebuffer && i < count; i++) {
        struct pp_gl_framebuffer *known =
            framebuffer[i] ? pp_gl_map_get(&ctx->fb.known, framebuffer[i]) : NULL;
        if (known)
            known->name = 0;
    }
    ctx->fb.bound_known = false;
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_framebuffer_changed(struct pp_gl_context *ctx, GLenum target)
{
    if (target == GL_READ_FRAMEBUFFER)
        return;
    set_dirty(ctx, ctx->fb.bound);
    if (ctx->fb.draw)
        ctx->fb.draw->dirty = true;
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_named_framebuffer_changed(struct pp_gl_context *ctx, GLuint framebuffer)
{
    set_dirty(ctx, framebuffer);
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_draw_buffers(struct pp_gl_context *ctx)
{
    ctx->fb.set_buffers = true;
    if (ctx->gate & PP_GATE_LIST)
        atomic_store_explicit(&ctx->share->lists_set_buffers, true, memory_order_relaxed);
    pp_gl_after_framebuffer_changed(ctx, GL_DRAW_FRAMEBUFFER);
}

void
pp_gl_after_storage_changed(struct pp_gl_context *ctx)
{
    (void)atomic_fetch_add_explicit(&ctx->share->epoch, 1, memory_order_relaxed);
    if (ctx->fb.draw)
        ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_image_changed(struct pp_gl_context *ctx, const void *pixels)
{
    /* Images that are rendered to are created without data. Textures with data do not change a render target.
     */
    if (!pp_gl_unpacks(ctx, pixels))
        pp_gl_after_storage_changed(ctx);
}

void
pp_gl_after_image_deleted(struct pp_gl_context *ctx)
{
    /* Deleting an image detaches it only from the framebuffers that are bound in this context. */
    if (!ctx->fb.draw)
        return;
    ctx->fb.draw->dirty = true;
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_texture_image(struct pp_gl_context *ctx, GLenum target, GLint level, GLenum format, GLsizei width,
                          GLsizei height, const void *pixels)
{
    if (level == 0 && !pp_gl_unpacks(ctx, pixels) && !(ctx->set_up && ctx->caps.dsa) &&
        !(ctx->gate & PP_GATE_INSIDE))
        pp_gl_image_note(ctx, target, format, width, height);
}

void
pp_gl_after_object_label(struct pp_gl_context *ctx)
{
    pp_gl_after_storage_changed(ctx);
}

void
pp_gl_after_pop_attrib(struct pp_gl_context *ctx)
{
    /* glPopAttrib may restore draw buffers. */
    if (ctx->fb.set_buffers)
        pp_gl_after_draw_buffers(ctx);
}

void
pp_gl_after_viewport(struct pp_gl_context *ctx, GLsizei width, GLsizei height)
{
    struct pp_gl_surface *surface = ctx->surface;
    if (!ctx->fb.draw && width > 0 && height > 0)
        pp_gl_surface_viewport(surface, (uint32_t)width, (uint32_t)height);
}
