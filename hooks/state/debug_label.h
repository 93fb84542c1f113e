/** @file
 * Debug groups, markers and labels of objects of the application. See also the label paths of annotate and
 * core. */
#ifndef PP_HOOKS_STATE_DEBUG_LABEL_H
#define PP_HOOKS_STATE_DEBUG_LABEL_H

#include <stdatomic.h>

#include "hooks/base/context.h"
#include "hooks/reach/driver_procs.h"

/** Interned names of entry points, by id; 0: not interned yet. */
extern PP_HIDDEN _Atomic pp_string_id pp_gl_call_names[PP_HOOK_COUNT];

/** Slow path of pp_gl_call_name(). */
pp_string_id pp_gl_intern_call(int id);

/** Interned name of an entry point. Any thread. Hot. */
static inline pp_string_id
pp_gl_call_name(int id)
{
    pp_string_id known = atomic_load_explicit(&pp_gl_call_names[id], memory_order_relaxed);
    return PP_LIKELY(known != 0) ? known : pp_gl_intern_call(id);
}

/** The context's debug groups or the thread's regions changed: join both into one label path. */
void pp_gl_label_merge(struct pp_gl_context *ctx);

/** The current label path: the context's debug groups and the thread's regions, in the order of opening. */
static inline void
pp_gl_label_refresh(struct pp_gl_context *ctx)
{
    bool grouped = ctx->labels.groups.depth > 0;
    if (PP_UNLIKELY(grouped && ctx->labels.path_changes != ctx->labels.regions->changes))
        pp_gl_label_merge(ctx);
    pp_track_label(&ctx->tracker, grouped ? ctx->labels.path : ctx->labels.regions->label);
}

/* Handlers of calls that name something; entry_points.txt names them. */

void pp_gl_after_push_group(struct pp_gl_context *ctx, GLenum source, GLsizei length, const GLchar *text);
void pp_gl_after_push_marker(struct pp_gl_context *ctx, GLsizei length, const GLchar *text);
void pp_gl_after_pop_group(struct pp_gl_context *ctx);
void pp_gl_after_marker(struct pp_gl_context *ctx, GLsizei length, const void *text);

/** The application's label of an object that exists. @p kind GL_TEXTURE, GL_FRAMEBUFFER, GL_PROGRAM, ... @p
 * out is "" if there is no label. */
void pp_gl_object_label(const struct pp_gl_context *ctx, GLenum kind, GLuint name, char *out, size_t size);

#endif
