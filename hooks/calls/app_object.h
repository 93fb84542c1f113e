/** @file
 * Handlers of calls on the application's queries, buffers and textures. Names of passprobe's queries are
 * hidden from the application. entry_points.txt names these handlers; the generated hooks call them with the
 * application's context current. No handler calls OpenGL where the call could fail. */
#ifndef PP_HOOKS_CALLS_APP_OBJECT_H
#define PP_HOOKS_CALLS_APP_OBJECT_H

#include "hooks/base/context.h"
#include "hooks/base/perf.h"
#include "hooks/measure/draw.h"

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

/* The name that the driver gets for a name of the application. An application may invent a name that a query
 * of passprobe has: then the driver gets another name. In OpenGL ES, passprobe's name is only hidden from
 * calls that ask for the object or delete it. */
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
void pp_gl_after_pop_client_attrib(struct pp_gl_context *ctx);
void pp_gl_after_conditional(struct pp_gl_context *ctx, int on);

/** GLhandleARB is a GL name on every platform but macOS. */
static inline GLuint
pp_gl_arb_object(GLhandleARB handle)
{
    return (GLuint)handle;
}

#endif
