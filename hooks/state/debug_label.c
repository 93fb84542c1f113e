/** @file
 * See debug_label.h. */
#include "hooks/state/debug_label.h"

#include <stdatomic.h>
#include <string.h>

#include "core/util/intern.h"

_Atomic pp_string_id pp_gl_call_names[PP_HOOK_COUNT];

pp_string_id
pp_gl_intern_call(int id)
{
    struct pp_session *session = pp_session_get();
    if (!session)
        return 0;
    pp_string_id known = pp_session_string(session, pp_gl_entry[id].name);
    atomic_store_explicit(&pp_gl_call_names[id], known, memory_order_relaxed);
    return known;
}

/* A label names passes and actions that begin after it; it does not split a pass. Display lists
 * do not contain groups: the driver opens and closes them at once. */

static void
copy_text(char *out, size_t size, GLsizei length, const GLchar *text)
{
    size_t given = length >= 0 ? (size_t)length : text ? strlen(text) : 0;
    size_t kept = given < size - 1 ? given : size - 1;
    if (text)
        memcpy(out, text, kept);
    out[text ? kept : 0] = '\0';
}

void
pp_gl_label_merge(struct pp_gl_context *ctx)
{
    ctx->labels.path = pp_session_label_merged(pp_session_get(), &ctx->labels.groups, ctx->labels.regions);
    ctx->labels.path_changes = ctx->labels.regions->changes;
}

static void
push(struct pp_gl_context *ctx, GLsizei length, const GLchar *text)
{
    char copy[257];
    struct pp_session *session = pp_session_get();
    if (!session)
        return;
    copy_text(copy, sizeof(copy), length, text);
    pp_session_label_push(session, &ctx->labels.groups, copy);
    pp_gl_label_merge(ctx);
    pp_gl_label_refresh(ctx);
}

/* KHR_debug refuses groups of other sources, groups with a text longer than the limit, and groups beyond a
 * depth that includes the default group. */
void
pp_gl_after_push_group(struct pp_gl_context *ctx, GLenum source, GLsizei length, const GLchar *text)
{
    bool limited = ctx->set_up && ctx->caps.groups_max > 0;
    if (source != GL_DEBUG_SOURCE_APPLICATION && source != GL_DEBUG_SOURCE_THIRD_PARTY)
        return;
    if (limited && ctx->labels.groups.depth + 1 >= ctx->caps.groups_max)
        return;
    if (limited && text && (length < 0 ? strlen(text) : (size_t)length) >= (size_t)ctx->caps.message_max)
        return;
    push(ctx, length, text);
}

void
pp_gl_after_push_marker(struct pp_gl_context *ctx, GLsizei length, const GLchar *text)
{
    push(ctx, length > 0 ? length : -1, text);
}

void
pp_gl_after_pop_group(struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    if (!session || ctx->labels.groups.depth == 0)
        return;
    pp_session_label_pop(session, &ctx->labels.groups);
    pp_gl_label_merge(ctx);
    pp_gl_label_refresh(ctx);
}

void
pp_gl_after_marker(struct pp_gl_context *ctx, GLsizei length, const void *text)
{
    char copy[257];
    (void)ctx;
    copy_text(copy, sizeof(copy), length > 0 ? length : -1, text);
    pp_annotate_mark(copy);
}

/* EXT_debug_label has different enumerants for kinds that are not textures, renderbuffers or framebuffers. */
static GLenum
ext_kind(GLenum kind)
{
    return kind == GL_PROGRAM            ? GL_PROGRAM_OBJECT_EXT
           : kind == GL_PROGRAM_PIPELINE ? GL_PROGRAM_PIPELINE_OBJECT_EXT
                                         : kind;
}

void
pp_gl_object_label(const struct pp_gl_context *ctx, GLenum kind, GLuint name, char *out, size_t size)
{
    GLsizei length = 0;
    out[0] = '\0';
    if (!(ctx->caps.labels || ctx->caps.ext_labels) || name == 0)
        return;
    if (ctx->caps.ext_labels)
        pp_glGetObjectLabelEXT(ext_kind(kind), name, (GLsizei)size, &length, out);
    else if (ctx->caps.es && ctx->caps.version < 32)
        pp_glGetObjectLabelKHR(kind, name, (GLsizei)size, &length, out);
    else
        pp_glGetObjectLabel(kind, name, (GLsizei)size, &length, out);
    out[size - 1] = '\0';
    if (length <= 0)
        out[0] = '\0';
}
