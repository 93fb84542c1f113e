/** @file
 * Names that the application gives: debug groups, shader programs. See also the label paths of annotate and
 * core. */
#ifndef PP_HOOKS_STATE_DEBUG_LABEL_H
#define PP_HOOKS_STATE_DEBUG_LABEL_H

#include "hooks/measure/draw.h"
#include "hooks/state/context.h"

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

/** Interned names of entry points, by id; 0: not interned yet. Atomic. */
extern PP_HIDDEN pp_string_id pp_gl_call_names[PP_HOOK_COUNT];

/** Slow path of pp_gl_call_name(). */
pp_string_id pp_gl_intern_call(int id);

/** Interned name of an entry point. Any thread. Hot. */
static inline pp_string_id
pp_gl_call_name(int id)
{
    pp_string_id known = __atomic_load_n(&pp_gl_call_names[id], __ATOMIC_RELAXED);
    return PP_LIKELY(known != 0) ? known : pp_gl_intern_call(id);
}

/** Slow path of pp_gl_program_name(). */
pp_string_id pp_gl_find_program(struct pp_gl_context *ctx);

/** Name of the shader program in use: its object label, else "program-" and a hash of its shaders' texts,
 * which is the same in the next run. 0: fixed function. Hot. */
static inline pp_string_id
pp_gl_program_name(struct pp_gl_context *ctx)
{
    const struct pp_gl_share *share = ctx->share;
    bool same = ctx->named_program == ctx->program && ctx->named_pipeline == ctx->pipeline_object &&
                ctx->named_epoch == __atomic_load_n(&share->epoch, __ATOMIC_RELAXED) &&
                ctx->named_programs == __atomic_load_n(&share->programs, __ATOMIC_RELAXED) &&
                (ctx->named_as || !ctx->program) &&
                !__atomic_load_n(&share->lists_use_programs, __ATOMIC_RELAXED);
    return PP_LIKELY(same) ? ctx->named_as : pp_gl_find_program(ctx);
}

#endif
