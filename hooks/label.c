/** @file
 * See label.h, and the handlers of debug groups and shader sources. */
#include "hooks/label.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/intern.h"
#include "hooks/handlers.h"
#include "hooks/image.h"

pp_string_id pp_gl_call_names[PP_HOOK_COUNT];

pp_string_id
pp_gl_intern_call(int id)
{
    struct pp_session *session = pp_session_get();
    if (!session)
        return 0;
    pp_string_id known = pp_session_string(session, pp_gl_entry[id].name);
    __atomic_store_n(&pp_gl_call_names[id], known, __ATOMIC_RELAXED);
    return known;
}

/* Sources are only wanted where draws are named. */
static bool
wanted(void)
{
    struct pp_session *session = pp_session_get();
    return session && pp_session_config(session)->level == PP_LEVEL_DRAW;
}

/* Hash of a shader's sources, as they are when read one after the other. */
static uint64_t
hash_sources(GLsizei count, const GLchar *const *string, const GLint *length)
{
    uint64_t hash = PP_HASH_START;
    for (GLsizei i = 0; i < count; i++)
        if (string[i])
            hash = pp_hash(hash, string[i], length && length[i] >= 0 ? (size_t)length[i] : strlen(string[i]));
    return hash;
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
    /* What is refused is not read either: the strings of a wrong name may point anywhere. */
    if (!wanted() || !string || (ctx->gate & PP_GATE_BEGIN) || !pp_glIsShader(shader))
        return;
    uint64_t hash = hash_sources(count, string, length);
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
pp_gl_after_create_shader_program(struct pp_gl_context *ctx, GLuint program, GLsizei count,
                                  const GLchar *const *string)
{
    /* A program of one shader; 0: it was refused, and its sources may not have been read. */
    if (!program || !string || !wanted())
        return;
    uint64_t hash = hash_sources(count, string, NULL);
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = source_locked(ctx, program);
    if (source)
        *source = (struct pp_gl_source){.hash = hash};
    pthread_mutex_unlock(&ctx->share->lock);
    pp_gl_after_pipeline_changed(ctx);
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
    /* In a list it is compiled, and done when the list is called. */
    if (ctx->gate & PP_GATE_LIST)
        __atomic_store_n(&ctx->share->lists_use_programs, true, __ATOMIC_RELAXED);
    else if (!(ctx->gate & PP_GATE_BEGIN))
        ctx->program = program;
}

void
pp_gl_after_bind_pipeline(struct pp_gl_context *ctx, GLuint pipeline)
{
    ctx->pipeline_object = pipeline;
}

void
pp_gl_after_pipeline_changed(struct pp_gl_context *ctx)
{
    (void)__atomic_add_fetch(&ctx->share->programs, 1, __ATOMIC_RELAXED);
}

/* Names are what the program said, which the driver may have refused, or deleted since: what is asked about
 * must exist, or asking leaves an error behind. */
static bool
object_exists(GLenum kind, GLuint name)
{
    if (kind == GL_PROGRAM)
        return pp_glIsProgram && pp_glIsProgram(name);
    pp_fn_glIsProgramPipeline is =
        pp_glIsProgramPipeline ? pp_glIsProgramPipeline : pp_glIsProgramPipelineEXT;
    return is && is(name);
}

/* The stages that a context has, as bits of `stage` below. */
static uint32_t
pipeline_stages(const struct pp_gl_context *ctx)
{
    uint32_t version = ctx->version;
    if (ctx->es)
        return version >= 32 ? 0x3F : version == 31 ? 0x23 : 0x3;
    return version >= 43 ? 0x3F : version >= 40 ? 0x1F : version >= 32 ? 0x7 : 0x3;
}

/* From the sources of its stages' programs; 0: unknown. */
static uint64_t
hash_pipeline(struct pp_gl_context *ctx, GLuint name)
{
    static const GLenum stage[] = {GL_VERTEX_SHADER,       GL_FRAGMENT_SHADER,        GL_GEOMETRY_SHADER,
                                   GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER, GL_COMPUTE_SHADER};
    uint64_t hash = PP_HASH_START;
    bool known = false;
    pp_fn_glGetProgramPipelineiv get =
        pp_glGetProgramPipelineiv ? pp_glGetProgramPipelineiv : pp_glGetProgramPipelineivEXT;
    for (uint32_t i = 0; get && i < sizeof(stage) / sizeof(stage[0]); i++) {
        GLint program = 0;
        if (!(pipeline_stages(ctx) & 1U << i))
            continue;
        get(name, stage[i], &program);
        pthread_mutex_lock(&ctx->share->lock);
        const struct pp_gl_source *source =
            program ? pp_gl_map_get(&ctx->share->sources, (GLuint)program) : NULL;
        uint64_t part = source ? source->hash : 0;
        pthread_mutex_unlock(&ctx->share->lock);
        known = known || part;
        hash = pp_hash(hash, &part, sizeof(part));
    }
    return known ? hash : 0;
}

static pp_string_id
named_object(struct pp_gl_context *ctx, struct pp_session *session, GLenum kind, GLuint name, uint64_t hash)
{
    char text[96];
    if (!object_exists(kind, name))
        return 0;
    if (kind == GL_PROGRAM_PIPELINE)
        hash = hash_pipeline(ctx, name);
    pp_gl_object_label(ctx, kind, name, text, sizeof(text));
    if (!text[0] && hash)
        snprintf(text, sizeof(text), "%s-%016" PRIx64, kind == GL_PROGRAM ? "program" : "pipeline", hash);
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
pp_gl_find_program(struct pp_gl_context *ctx)
{
    uint32_t epoch = __atomic_load_n(&ctx->share->epoch, __ATOMIC_RELAXED);
    uint32_t programs = __atomic_load_n(&ctx->share->programs, __ATOMIC_RELAXED);
    if (PP_UNLIKELY(__atomic_load_n(&ctx->share->lists_use_programs, __ATOMIC_RELAXED)))
        pp_glGetIntegerv(GL_CURRENT_PROGRAM, (GLint *)&ctx->program);
    if (ctx->named_program == ctx->program && ctx->named_pipeline == ctx->pipeline_object &&
        ctx->named_epoch == epoch && ctx->named_programs == programs && (ctx->named_as || !ctx->program))
        return ctx->named_as;
    ctx->named_as = find_program_name(ctx);
    ctx->named_program = ctx->program;
    ctx->named_pipeline = ctx->pipeline_object;
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
