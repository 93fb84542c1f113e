/** @file
 * Names of shader programs. A name is a hash of the shaders' texts, so it is the same in every run. */
#ifndef PP_HOOKS_STATE_SHADER_PROGRAM_H
#define PP_HOOKS_STATE_SHADER_PROGRAM_H

#include <stdatomic.h>

#include "hooks/base/context.h"

/** What is known of a shader or a shader program. Value type of pp_gl_share.sources. */
struct pp_gl_source {
    uint64_t hash;  /**< shader: hash of what it was compiled from; shader program: hash of its shaders, in
                         any order */
    uint64_t next;  /**< shader: hash of its text until it is compiled; shader program: hash of the link
                         that is `pending` */
    bool pending;   /**< linked again, and the driver must be asked whether that succeeded; if not, the old
                         hash stays */
    bool deleted;   /**< deleted: it lives as long as it is in use, which the driver must be asked */
    uint32_t epoch; /**< epoch of the share group when `name` was found */
    pp_string_id name;
};

/** Slow path of pp_gl_program_name(). */
pp_string_id pp_gl_find_program(struct pp_gl_context *ctx);

/** Name of the shader program in use: its object label, else "program-" and a hash of its shaders' texts,
 * which is the same in the next run. 0: fixed function. Hot. */
static inline pp_string_id
pp_gl_program_name(struct pp_gl_context *ctx)
{
    const struct pp_gl_share *share = ctx->share;
    bool same = ctx->program.named == ctx->program.used &&
                ctx->program.named_pipeline == ctx->program.pipeline &&
                ctx->program.named_epoch == atomic_load_explicit(&share->epoch, memory_order_relaxed) &&
                ctx->program.named_programs == atomic_load_explicit(&share->programs, memory_order_relaxed) &&
                (ctx->program.named_as || !ctx->program.used) &&
                !atomic_load_explicit(&share->lists_use_programs, memory_order_relaxed);
    return PP_LIKELY(same) ? ctx->program.named_as : pp_gl_find_program(ctx);
}

/* Handlers of calls that make, name or use shader programs; entry_points.txt names them. */

void pp_gl_after_use_program(struct pp_gl_context *ctx, GLuint program);
void pp_gl_after_bind_pipeline(struct pp_gl_context *ctx, GLuint pipeline);
void pp_gl_after_pipeline_changed(struct pp_gl_context *ctx);
void pp_gl_after_create_shader_program(struct pp_gl_context *ctx, GLuint program, GLsizei count,
                                       const GLchar *const *string);
void pp_gl_after_shader_source(struct pp_gl_context *ctx, GLuint shader, GLsizei count,
                               const GLchar *const *string, const GLint *length);
void pp_gl_after_compile(struct pp_gl_context *ctx, GLuint shader);
void pp_gl_before_program_linked(struct pp_gl_context *ctx, GLuint program);
void pp_gl_after_program_linked(struct pp_gl_context *ctx, GLuint program);
void pp_gl_after_program_binary(struct pp_gl_context *ctx, GLuint program, const void *binary,
                                GLsizei length);
void pp_gl_after_shader_binary(struct pp_gl_context *ctx, GLsizei count, const GLuint *shader,
                               const void *binary, GLsizei length);
void pp_gl_after_specialized(struct pp_gl_context *ctx, GLuint shader, const GLchar *entry, GLuint constants,
                             const GLuint *index, const GLuint *value);
void pp_gl_before_delete_program(struct pp_gl_context *ctx, GLuint program);
void pp_gl_after_created(struct pp_gl_context *ctx, GLuint name);

#endif
