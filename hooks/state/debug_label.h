/** @file
 * Names that the program gives: debug groups, programs. See also annotate's and core's label paths.
 */
#ifndef PP_HOOKS_STATE_DEBUG_LABEL_H
#define PP_HOOKS_STATE_DEBUG_LABEL_H

#include "hooks/measure/draw.h"
#include "hooks/state/context.h"

/** What is known of a shader or a program. Value of pp_gl_share.sources. */
struct pp_gl_source {
    uint64_t hash;  /**< of what a shader was compiled from; of a program: its shaders', in any order */
    uint64_t next;  /**< of a shader's text, until it is compiled; of a program's link that is `pending` */
    bool pending;   /**< linked anew; whether that succeeded must be asked, else it is what it was */
    bool deleted;   /**< it lives as long as it is in use: whether it is must be asked */
    uint32_t epoch; /**< of the share group when `name` was found */
    pp_string_id name;
};

/** Names of entry points interned so far, by id; 0: not yet. Atomic. */
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

/** Name of the program in use: its object label, else "program-" and a hash of its shaders' texts, which is
 * the same in the next run; 0: fixed function. Hot. */
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
