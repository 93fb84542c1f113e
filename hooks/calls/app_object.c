/** @file
 * See app_object.h. */
#include "hooks/calls/app_object.h"

#include <stdatomic.h>

#include "hooks/measure/app_queries.h"
#include "hooks/reach/driver_procs.h"

/* The buffer that is bound to a pixel buffer target, as the driver says. */
static bool
is_bound(GLenum binding)
{
    GLint bound = 0;
    pp_glGetIntegerv(binding, &bound);
    return bound != 0;
}

void
pp_gl_after_pop_client_attrib(struct pp_gl_context *ctx)
{
    /* glPopClientAttrib may restore pixel buffers. It is not compiled into display lists. */
    if (!ctx->buffers.pixel_set || (ctx->gate & PP_GATE_BEGIN))
        return;
    ctx->buffers.unpack_bound = is_bound(GL_PIXEL_UNPACK_BUFFER_BINDING);
    ctx->buffers.pack_bound = is_bound(GL_PIXEL_PACK_BUFFER_BINDING);
}

/* Query targets that passprobe uses have only index 0: the driver refuses other indexes. */
void
pp_gl_before_begin_query(struct pp_gl_context *ctx, GLenum target, GLuint index)
{
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (ctx->gate & PP_GATE_LIST)
        atomic_store_explicit(&ctx->share->lists_have_queries, true, memory_order_relaxed);
    else if (!(ctx->gate & PP_GATE_BEGIN) && index == 0)
        pp_gl_query_app_begins(ctx, target);
}

void
pp_gl_before_end_query(struct pp_gl_context *ctx, GLenum target)
{
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (!(ctx->gate & PP_GATE_INSIDE))
        pp_gl_query_app_ends(ctx, target);
}

void
pp_gl_after_end_query(struct pp_gl_context *ctx, GLenum target, GLuint index)
{
    if (ctx->gate & PP_GATE_LIST)
        atomic_store_explicit(&ctx->share->lists_have_queries, true, memory_order_relaxed);
    else if (!(ctx->gate & PP_GATE_BEGIN) && index == 0)
        pp_gl_query_app_ended(ctx, target);
}

/* Offset of names that are far from all names that were generated or invented. */
#define ELSEWHERE 0x80000000U

/* Drivers may implement the extension's calls of OpenGL ES by the OpenGL calls that they export. Then a call
 * of passprobe may arrive here. */
GLuint
pp_gl_app_query(const struct pp_gl_context *ctx, GLuint name)
{
    return PP_UNLIKELY(!ctx->caps.es && pp_gl_query_is_of_passprobe(ctx, name)) ? name ^ ELSEWHERE : name;
}

GLuint
pp_gl_hidden_query(const struct pp_gl_context *ctx, GLuint name)
{
    return ctx->caps.es && pp_gl_query_is_of_passprobe(ctx, name) ? 0 : pp_gl_app_query(ctx, name);
}

GLuint
pp_gl_app_object(const struct pp_gl_context *ctx, GLenum kind, GLuint name)
{
    return kind == GL_QUERY || kind == GL_QUERY_OBJECT_EXT ? pp_gl_app_query(ctx, name) : name;
}

/* Hide passprobe's active query from the application, and give a query with a replaced name its original
 * name. */
static void
restore_app_query_name(const struct pp_gl_context *ctx, GLenum what, GLint *ret)
{
    if (what != GL_CURRENT_QUERY || !ret || *ret == 0)
        return;
    if (pp_gl_query_is_of_passprobe(ctx, (GLuint)*ret))
        *ret = 0;
    else if (pp_gl_query_is_of_passprobe(ctx, (GLuint)*ret ^ ELSEWHERE))
        *ret = (GLint)((GLuint)*ret ^ ELSEWHERE);
}

void
pp_gl_get_query(struct pp_gl_context *ctx, void (*real)(GLenum, GLenum, GLint *), GLenum target, GLenum what,
                GLint *ret)
{
    real(target, what, ret);
    restore_app_query_name(ctx, what, ret);
}

void
pp_gl_get_query_indexed(struct pp_gl_context *ctx, void (*real)(GLenum, GLuint, GLenum, GLint *),
                        GLenum target, GLuint index, GLenum what, GLint *ret)
{
    real(target, index, what, ret);
    restore_app_query_name(ctx, what, ret);
}

void
pp_gl_delete_queries(struct pp_gl_context *ctx, void (*real)(GLsizei, const GLuint *), GLsizei count,
                     const GLuint *name)
{
    GLsizei first = 0;
    /* Delete the names between names of passprobe: nearly always in one call. */
    for (GLsizei i = 0; name && i < count; i++) {
        if (!pp_gl_query_is_of_passprobe(ctx, name[i]))
            continue;
        const GLuint meant = pp_gl_hidden_query(ctx, name[i]);
        if (i > first)
            real(i - first, &name[first]);
        real(1, &meant);
        first = i + 1;
    }
    if (first == 0 || first < count)
        real(count - first, first ? &name[first] : name);
}

void
pp_gl_after_bind_buffer(struct pp_gl_context *ctx, GLenum target, GLuint buffer)
{
    if (target == GL_QUERY_BUFFER) {
        ctx->buffers.query_bound = buffer != 0;
        ctx->pending.reading = NULL;
    } else if (target == GL_PIXEL_UNPACK_BUFFER) {
        ctx->buffers.unpack_bound = buffer != 0;
        ctx->buffers.pixel_set = true;
    } else if (target == GL_PIXEL_PACK_BUFFER) {
        ctx->buffers.pack_bound = buffer != 0;
        ctx->buffers.pixel_set = true;
    }
}

void
pp_gl_after_delete_buffers(struct pp_gl_context *ctx, GLsizei count, const GLuint *buffer)
{
    (void)count;
    (void)buffer;
    if (ctx->gate & PP_GATE_INSIDE)
        return;
    /* The driver unbinds a bound buffer that is deleted. */
    if (ctx->buffers.unpack_bound)
        ctx->buffers.unpack_bound = is_bound(GL_PIXEL_UNPACK_BUFFER_BINDING);
    if (ctx->buffers.pack_bound)
        ctx->buffers.pack_bound = is_bound(GL_PIXEL_PACK_BUFFER_BINDING);
}

void
pp_gl_after_conditional(struct pp_gl_context *ctx, int on)
{
    struct pp_pass *pass = ctx->batch ? pp_track_open_pass(&ctx->tracker) : NULL;
    if (ctx->gate & PP_GATE_LIST)
        return;
    ctx->tracker.conditional = (uint8_t)on;
    if (pass && on)
        pass->flags |= PP_PASS_CONDITIONAL;
}
