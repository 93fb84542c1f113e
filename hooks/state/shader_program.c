/** @file
 * See shader_program.h. */
#include "hooks/state/shader_program.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/util/hash.h"
#include "counters/util/array_size.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/debug_label.h"

/* Most shaders of a program whose sources are hashed. */
#define SHADERS_MAX 64

/* Are shader sources needed? Only where draws are named. */
static bool
wanted(void)
{
    struct pp_session *session = pp_session_get();
    return session && pp_session_config(session)->level == PP_LEVEL_DRAW;
}

/* Hash of a shader's source strings, as if they were one text. */
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
    /* Sources that the driver refuses are not read: the strings in a call with a wrong name may point
     * anywhere. */
    if (!wanted() || !string || (ctx->gate & PP_GATE_BEGIN) || !pp_glIsShader(shader))
        return;
    uint64_t hash = hash_sources(count, string, length);
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = source_locked(ctx, shader);
    if (source)
        source->next = hash;
    pthread_mutex_unlock(&ctx->share->lock);
}

void
pp_gl_after_compile(struct pp_gl_context *ctx, GLuint shader)
{
    if (!wanted() || (ctx->gate & PP_GATE_BEGIN))
        return;
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = pp_gl_map_get(&ctx->share->sources, shader);
    if (source)
        source->hash = source->next;
    pthread_mutex_unlock(&ctx->share->lock);
}

/* Find out whether a link succeeded. A shader program whose link fails keeps what was linked before. The
 * driver is asked late, because it may link on another thread: before the next draw or link, which wait for
 * the link anyway. */
static void
finish_link(struct pp_gl_context *ctx, GLuint program)
{
    GLint linked = 0;
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = pp_gl_map_get(&ctx->share->sources, program);
    bool pending = source && source->pending;
    pthread_mutex_unlock(&ctx->share->lock);
    if (!pending || !pp_glIsProgram(program))
        return;
    pp_glGetProgramiv(program, GL_LINK_STATUS, &linked);
    pthread_mutex_lock(&ctx->share->lock);
    source = pp_gl_map_get(&ctx->share->sources, program);
    if (source && source->pending) {
        source->pending = false;
        if (linked)
            source->hash = source->next;
    }
    pthread_mutex_unlock(&ctx->share->lock);
}

void
pp_gl_before_program_linked(struct pp_gl_context *ctx, GLuint program)
{
    if (wanted() && !(ctx->gate & PP_GATE_BEGIN))
        finish_link(ctx, program);
}

void
pp_gl_after_program_linked(struct pp_gl_context *ctx, GLuint program)
{
    GLuint shader[SHADERS_MAX];
    GLsizei shaders = 0;
    if (!wanted() || !pp_glGetAttachedShaders || (ctx->gate & PP_GATE_INSIDE) || !pp_glIsProgram(program))
        return;
    pp_glGetAttachedShaders(program, SHADERS_MAX, &shaders, shader);
    pthread_mutex_lock(&ctx->share->lock);
    uint64_t hash = 0;
    for (GLsizei i = 0; i < shaders; i++) {
        const struct pp_gl_source *from = pp_gl_map_get(&ctx->share->sources, shader[i]);
        hash += from ? from->hash : 0;
    }
    struct pp_gl_source *source = source_locked(ctx, program);
    if (source) {
        source->next = hash;
        source->pending = true;
        source->name = 0;
    }
    pthread_mutex_unlock(&ctx->share->lock);
    (void)atomic_fetch_add_explicit(&ctx->share->programs, 1, memory_order_relaxed);
}

/* A shader program made from a binary: the binary is its source. */
void
pp_gl_after_program_binary(struct pp_gl_context *ctx, GLuint program, const void *binary, GLsizei length)
{
    GLint linked = 0;
    if (!wanted() || !binary || length <= 0 || (ctx->gate & PP_GATE_BEGIN) || !pp_glIsProgram(program))
        return;
    /* The driver refuses a binary of another driver, but has read the memory in any case. */
    pp_glGetProgramiv(program, GL_LINK_STATUS, &linked);
    uint64_t hash = linked ? pp_hash(PP_HASH_START, binary, (size_t)length) : 0;
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = source_locked(ctx, program);
    if (source) {
        source->hash = hash;
        source->pending = false;
        source->name = 0;
    }
    pthread_mutex_unlock(&ctx->share->lock);
    (void)atomic_fetch_add_explicit(&ctx->share->programs, 1, memory_order_relaxed);
}

void
pp_gl_after_shader_binary(struct pp_gl_context *ctx, GLsizei count, const GLuint *shader, const void *binary,
                          GLsizei length)
{
    uint64_t hash = 0;
    if (!wanted() || !shader || !binary || length <= 0 || (ctx->gate & PP_GATE_BEGIN))
        return;
    for (GLsizei i = 0; i < count; i++) {
        if (!pp_glIsShader(shader[i]))
            continue;
        /* not before: without a shader, the driver does not read the binary either */
        hash = hash ? hash : pp_hash(PP_HASH_START, binary, (size_t)length);
        pthread_mutex_lock(&ctx->share->lock);
        struct pp_gl_source *source = source_locked(ctx, shader[i]);
        /* A binary that is not SPIR-V is complete. */
        if (source)
            source->hash = source->next = hash;
        pthread_mutex_unlock(&ctx->share->lock);
    }
}

void
pp_gl_after_specialized(struct pp_gl_context *ctx, GLuint shader, const GLchar *entry, GLuint constants,
                        const GLuint *index, const GLuint *value)
{
    if (!wanted() || !entry || (ctx->gate & PP_GATE_BEGIN) || !pp_glIsShader(shader))
        return;
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = source_locked(ctx, shader);
    if (source) {
        source->hash = pp_hash(source->next, entry, strlen(entry) + 1);
        if (constants && index && value) {
            source->hash = pp_hash(source->hash, index, constants * sizeof(*index));
            source->hash = pp_hash(source->hash, value, constants * sizeof(*value));
        }
    }
    pthread_mutex_unlock(&ctx->share->lock);
}

void
pp_gl_after_create_shader_program(struct pp_gl_context *ctx, GLuint program, GLsizei count,
                                  const GLchar *const *string)
{
    /* A shader program of one shader. 0: the driver refused it, and may not have read its sources. */
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
        source->deleted = true;
    pthread_mutex_unlock(&ctx->share->lock);
    (void)atomic_fetch_add_explicit(&ctx->share->programs, 1, memory_order_relaxed);
}

/* An object of this name was created. Only now is the hash of a deleted object of the same name invalid:
 * until then the deleted shader program may still have been in use. */
void
pp_gl_after_created(struct pp_gl_context *ctx, GLuint name)
{
    if (!wanted())
        return;
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = pp_gl_map_get(&ctx->share->sources, name);
    if (source)
        *source = (struct pp_gl_source){0};
    pthread_mutex_unlock(&ctx->share->lock);
    (void)atomic_fetch_add_explicit(&ctx->share->programs, 1, memory_order_relaxed);
}

/* Passes without a program of their own have a program pipeline. */
static void
track_program(struct pp_gl_context *ctx)
{
    uint64_t pipeline = (uint64_t)ctx->program.pipeline << 32;
    pp_track_program(&ctx->tracker, ctx->program.used ? ctx->program.used : pipeline);
}

static void
use(struct pp_gl_context *ctx, GLuint program)
{
    ctx->program.used = program;
    track_program(ctx);
}

/* Ask the driver for the shader program in use. It may not be the one that the application chose last: the
 * driver refuses a shader program that is not linked, and any change while transform feedback is active. */
static void
ask_program(struct pp_gl_context *ctx)
{
    GLint program = 0;
    if (ctx->caps.version < 20 || (ctx->gate & PP_GATE_INSIDE))
        return;
    pp_glGetIntegerv(GL_CURRENT_PROGRAM, &program);
    use(ctx, (GLuint)program);
}

void
pp_gl_after_use_program(struct pp_gl_context *ctx, GLuint program)
{
    /* Inside a display list the call is compiled, and takes effect when the list is called. */
    if (ctx->gate & PP_GATE_LIST)
        atomic_store_explicit(&ctx->share->lists_use_programs, true, memory_order_relaxed);
    else if (!(ctx->gate & PP_GATE_BEGIN))
        use(ctx, program);
    if (ctx->program.named_deleted && program != ctx->program.named)
        ctx->program.named = UINT32_MAX; /* the name may be used again from now on */
    if (ctx->begin.feedback)
        ask_program(ctx);
}

void
pp_gl_after_bind_pipeline(struct pp_gl_context *ctx, GLuint pipeline)
{
    ctx->program.pipeline = pipeline;
    track_program(ctx);
}

void
pp_gl_after_pipeline_changed(struct pp_gl_context *ctx)
{
    (void)atomic_fetch_add_explicit(&ctx->share->programs, 1, memory_order_relaxed);
}

/* Does the object exist? Its name comes from a call of the application that the driver may have refused, or
 * the object was deleted since. Asking for an object that does not exist leaves an error. */
static bool
object_exists(GLenum kind, GLuint name)
{
    if (kind == GL_PROGRAM)
        return pp_glIsProgram && pp_glIsProgram(name);
    pp_fn_glIsProgramPipeline is =
        pp_glIsProgramPipeline ? pp_glIsProgramPipeline : pp_glIsProgramPipelineEXT;
    return is && is(name);
}

/* The shader stages that a context has, as bits of `stage` below. */
static uint32_t
pipeline_stages(const struct pp_gl_context *ctx)
{
    uint32_t version = ctx->caps.version;
    if (ctx->caps.es)
        return version >= 32 ? 0x3F : version == 31 ? 0x23 : 0x3;
    return version >= 43 ? 0x3F : version >= 40 ? 0x1F : version >= 32 ? 0x7 : 0x3;
}

/* Hash of the sources of a pipeline's stages; 0: unknown. */
static uint64_t
hash_pipeline(struct pp_gl_context *ctx, GLuint name)
{
    static const GLenum stage[] = {GL_VERTEX_SHADER,       GL_FRAGMENT_SHADER,        GL_GEOMETRY_SHADER,
                                   GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER, GL_COMPUTE_SHADER};
    uint64_t hash = PP_HASH_START;
    bool known = false;
    pp_fn_glGetProgramPipelineiv get =
        pp_glGetProgramPipelineiv ? pp_glGetProgramPipelineiv : pp_glGetProgramPipelineivEXT;
    for (uint32_t i = 0; get && i < PP_ARRAY_SIZE(stage); i++) {
        GLint program = 0;
        if (!(pipeline_stages(ctx) & 1U << i))
            continue;
        get(name, stage[i], &program);
        if (program)
            finish_link(ctx, (GLuint)program);
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
find_pipeline_name(struct pp_gl_context *ctx, struct pp_session *session)
{
    GLint bound = 0;
    if (!object_exists(GL_PROGRAM_PIPELINE, ctx->program.pipeline) &&
        ctx->caps.version >= (ctx->caps.es ? 31U : 41U)) {
        pp_glGetIntegerv(GL_PROGRAM_PIPELINE_BINDING, &bound);
        ctx->program.pipeline = (GLuint)bound;
    }
    return ctx->program.pipeline ? named_object(ctx, session, GL_PROGRAM_PIPELINE, ctx->program.pipeline, 0)
                                 : 0;
}

/* The name that a shader program was given in this epoch; 0: none. */
static pp_string_id
known_name(struct pp_gl_context *ctx, uint32_t epoch, uint64_t *ret_hash)
{
    finish_link(ctx, ctx->program.used);
    pthread_mutex_lock(&ctx->share->lock);
    const struct pp_gl_source *source = source_locked(ctx, ctx->program.used);
    *ret_hash = source ? source->hash : 0;
    pp_string_id known = source && source->epoch == epoch && !source->deleted ? source->name : 0;
    ctx->program.named_deleted = source && source->deleted;
    pthread_mutex_unlock(&ctx->share->lock);
    return known;
}

static pp_string_id
find_program_name(struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    uint32_t epoch = atomic_load_explicit(&ctx->share->epoch, memory_order_relaxed) + 1;
    uint64_t hash;
    if (!session)
        return 0;
    pp_string_id known = ctx->program.used ? known_name(ctx, epoch, &hash) : 0;
    if (ctx->program.used && !known) {
        /* The driver may have refused a shader program that was never seen in use. */
        ask_program(ctx);
        known = ctx->program.used ? known_name(ctx, epoch, &hash) : 0;
    }
    if (known)
        return known;
    if (!ctx->program.used)
        return ctx->program.pipeline ? find_pipeline_name(ctx, session) : 0;
    known = named_object(ctx, session, GL_PROGRAM, ctx->program.used, hash);
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_source *source = source_locked(ctx, ctx->program.used);
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
    uint32_t epoch = atomic_load_explicit(&ctx->share->epoch, memory_order_relaxed);
    uint32_t programs = atomic_load_explicit(&ctx->share->programs, memory_order_relaxed);
    if (PP_UNLIKELY(atomic_load_explicit(&ctx->share->lists_use_programs, memory_order_relaxed)))
        pp_glGetIntegerv(GL_CURRENT_PROGRAM, (GLint *)&ctx->program.used);
    if (ctx->program.named == ctx->program.used && ctx->program.named_pipeline == ctx->program.pipeline &&
        ctx->program.named_epoch == epoch && ctx->program.named_programs == programs &&
        (ctx->program.named_as || !ctx->program.used))
        return ctx->program.named_as;
    ctx->program.named_as = find_program_name(ctx);
    ctx->program.named = ctx->program.used;
    ctx->program.named_pipeline = ctx->program.pipeline;
    ctx->program.named_epoch = epoch;
    ctx->program.named_programs = programs;
    return ctx->program.named_as;
}
