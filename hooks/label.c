/** @file
 * See label.h, and the handlers of debug groups and shader sources. */
#include "hooks/label.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hooks/handlers.h"
#include "hooks/image.h"

pp_string_id
pp_gl_call_name(int id)
{
    static pp_string_id name[PP_HOOK_COUNT];
    pp_string_id known = __atomic_load_n(&name[id], __ATOMIC_RELAXED);
    struct pp_session *session = known ? NULL : pp_session_get();
    if (session) {
        known = pp_session_string(session, pp_gl_entry[id].name);
        __atomic_store_n(&name[id], known, __ATOMIC_RELAXED);
    }
    return known;
}

static uint64_t
hash_text(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211U;
    return hash;
}

/* Sources are only wanted where draws are named. */
static bool
wanted(void)
{
    struct pp_session *session = pp_session_get();
    return session && pp_session_config(session)->level == PP_LEVEL_DRAW;
}

static struct pp_gl_source *
source_locked(struct pp_gl_context *ctx, GLuint name)
{
    return name ? pp_gl_map_add(&ctx->share->sources, name, sizeof(struct pp_gl_source)) : NULL;
}

void
pp_gl_after_shader_source(struct pp_gl_context *ctx, GLuint shader, GLsizei count,
                          const GLchar *const *string, const GLint *length)
{
    uint64_t hash = 14695981039346656037U;
    /* What is refused is not read either: the strings of a wrong name may point anywhere. */
    if (!wanted() || !string || (ctx->gate & PP_GATE_BEGIN) || !pp_glIsShader(shader))
        return;
    for (GLsizei i = 0; i < count; i++)
        if (string[i])
            hash =
                hash_text(hash, string[i], length && length[i] >= 0 ? (size_t)length[i] : strlen(string[i]));
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = source_locked(ctx, shader);
    if (source)
        source->hash = hash;
    pthread_mutex_unlock(&ctx->share->lock);
}

void
pp_gl_after_attach_shader(struct pp_gl_context *ctx, GLuint program, GLuint shader)
{
    if (!wanted())
        return;
    pthread_mutex_lock(&ctx->share->lock);
    const struct pp_gl_source *from = pp_gl_map_get(&ctx->share->sources, shader);
    uint64_t hash = from ? from->hash : 0;
    struct pp_gl_source *to = source_locked(ctx, program);
    if (to)
        to->attached += hash;
    pthread_mutex_unlock(&ctx->share->lock);
}

void
pp_gl_after_program_linked(struct pp_gl_context *ctx, GLuint program)
{
    if (!wanted())
        return;
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = source_locked(ctx, program);
    if (source) {
        source->hash = source->attached;
        source->name = 0;
    }
    pthread_mutex_unlock(&ctx->share->lock);
    (void)__atomic_add_fetch(&ctx->share->programs, 1, __ATOMIC_RELAXED);
}

void
pp_gl_before_delete_program(struct pp_gl_context *ctx, GLuint program)
{
    if (!wanted())
        return;
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = pp_gl_map_get(&ctx->share->sources, program);
    if (source)
        *source = (struct pp_gl_source){0};
    pthread_mutex_unlock(&ctx->share->lock);
    (void)__atomic_add_fetch(&ctx->share->programs, 1, __ATOMIC_RELAXED);
}

void
pp_gl_after_use_program(struct pp_gl_context *ctx, GLuint program)
{
    ctx->program = program;
}

void
pp_gl_after_bind_pipeline(struct pp_gl_context *ctx, GLuint pipeline)
{
    ctx->pipeline_object = pipeline;
}

static pp_string_id
named_object(struct pp_gl_context *ctx, struct pp_session *session, GLenum kind, GLuint name, uint64_t hash)
{
    char text[96];
    pp_gl_object_label(ctx, kind, name, text, sizeof(text));
    if (!text[0] && hash)
        snprintf(text, sizeof(text), "program-%016" PRIx64, hash);
    else if (!text[0])
        snprintf(text, sizeof(text), kind == GL_PROGRAM ? "program %u" : "pipeline %u", name);
    return pp_session_string(session, text);
}

static pp_string_id
find_program_name(struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    GLuint name = ctx->program ? ctx->program : ctx->pipeline_object;
    uint32_t epoch = __atomic_load_n(&ctx->share->epoch, __ATOMIC_RELAXED) + 1;
    if (!session || !name)
        return 0;
    if (!ctx->program)
        return named_object(ctx, session, GL_PROGRAM_PIPELINE, name, 0);
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = source_locked(ctx, name);
    uint64_t hash = source ? source->hash : 0;
    pp_string_id known = source && source->epoch == epoch ? source->name : 0;
    pthread_mutex_unlock(&ctx->share->lock);
    if (known)
        return known;
    known = named_object(ctx, session, GL_PROGRAM, name, hash);
    pthread_mutex_lock(&ctx->share->lock);
    source = source_locked(ctx, name);
    if (source) {
        source->name = known;
        source->epoch = epoch;
    }
    pthread_mutex_unlock(&ctx->share->lock);
    return known;
}

pp_string_id
pp_gl_program_name(struct pp_gl_context *ctx)
{
    uint32_t epoch = __atomic_load_n(&ctx->share->epoch, __ATOMIC_RELAXED);
    uint32_t programs = __atomic_load_n(&ctx->share->programs, __ATOMIC_RELAXED);
    if (ctx->program && ctx->named_as && ctx->named_program == ctx->program && ctx->named_epoch == epoch &&
        ctx->named_programs == programs)
        return ctx->named_as;
    ctx->named_as = find_program_name(ctx);
    ctx->named_program = ctx->program;
    ctx->named_epoch = epoch;
    ctx->named_programs = programs;
    return ctx->named_as;
}

/* Debug groups. A label names passes and work begun from now on; it does not split a pass. */

static void
copy_text(char *out, size_t size, GLsizei length, const GLchar *text)
{
    size_t given = length > 0 ? (size_t)length : text ? strlen(text) : 0;
    size_t kept = given < size - 1 ? given : size - 1;
    if (text)
        memcpy(out, text, kept);
    out[text ? kept : 0] = '\0';
}

void
pp_gl_after_push_group(struct pp_gl_context *ctx, GLsizei length, const GLchar *text)
{
    char copy[257];
    int saved = errno;
    struct pp_session *session = pp_session_get();
    if (!session || (ctx->gate & PP_GATE_LIST))
        return;
    copy_text(copy, sizeof(copy), length, text);
    if (ctx->groups == 0) {
        ctx->base_label = pp_annotate_label();
        ctx->label = ctx->base_label;
    }
    ctx->groups++;
    ctx->label = pp_session_label(session, ctx->label, copy);
    pp_gl_label_refresh(ctx);
    errno = saved;
}

void
pp_gl_after_pop_group(struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    if (!session || ctx->groups == 0 || (ctx->gate & PP_GATE_LIST))
        return;
    ctx->groups--;
    ctx->label = pp_session_label_parent(session, ctx->label);
    pp_gl_label_refresh(ctx);
}

void
pp_gl_after_marker(struct pp_gl_context *ctx, GLsizei length, const void *text)
{
    char copy[257];
    int saved = errno;
    (void)ctx;
    copy_text(copy, sizeof(copy), length, text);
    pp_annotate_mark(copy);
    errno = saved;
}
