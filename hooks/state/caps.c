/** @file
 * See caps.h. */
#include "hooks/state/caps.h"

#include <stdio.h>
#include <string.h>

#include "hooks/reach/driver_procs.h"

static bool
in_list(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += len)
        if ((at == list || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

bool
pp_gl_has_extension(const struct pp_gl_context *ctx, const char *name)
{
    GLint count = 0;
    if (ctx->caps.version < 30)
        return in_list((const char *)pp_glGetString(GL_EXTENSIONS), name);
    pp_glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++) {
        const char *have = (const char *)pp_glGetStringi(GL_EXTENSIONS, (GLuint)i);
        if (have && strcmp(have, name) == 0)
            return true;
    }
    return false;
}

static void
read_version(struct pp_gl_context *ctx)
{
    const char *text = (const char *)pp_glGetString(GL_VERSION);
    int major = 1, minor = 0;
    const char *digits = text ? text : "";
    ctx->caps.es = strncmp(digits, "OpenGL ES", 9) == 0;
    while (*digits && (*digits < '0' || *digits > '9'))
        digits++;
    if (sscanf(digits, "%d.%d", &major, &minor) != 2 || major < 1 || major > 9 || minor < 0 || minor > 9) {
        major = 1;
        minor = 0;
    }
    ctx->caps.version = (uint32_t)(major * 10 + minor);
}

static GLint
integer(GLenum what)
{
    GLint value = 0;
    pp_glGetIntegerv(what, &value);
    return value;
}

static bool
bound(GLenum what)
{
    return integer(what) != 0;
}

/* Do glBegin and display lists exist? In doubt they do, and then nothing is injected inside them. */
static bool
is_compatible(const struct pp_gl_context *ctx)
{
    if (ctx->caps.es)
        return false;
    if (ctx->caps.version == 31)
        return pp_gl_has_extension(ctx, "GL_ARB_compatibility");
    return ctx->caps.version < 31 || !(integer(GL_CONTEXT_PROFILE_MASK) & GL_CONTEXT_CORE_PROFILE_BIT);
}

void
pp_gl_caps_read(struct pp_gl_context *ctx)
{
    read_version(ctx);
    bool es = ctx->caps.es;
    ctx->caps.separate_draw =
        ctx->caps.version >= 30 || (!es && pp_gl_has_extension(ctx, "GL_EXT_framebuffer_blit"));
    ctx->caps.draw_buffers = es ? ctx->caps.version >= 30 : ctx->caps.version >= 20;
    ctx->caps.layers = ctx->caps.version >= 32;
    ctx->caps.fences =
        ctx->caps.version >= (es ? 30U : 32U) || (!es && pp_gl_has_extension(ctx, "GL_ARB_sync"));
    ctx->caps.dsa =
        !es && (ctx->caps.version >= 45 || pp_gl_has_extension(ctx, "GL_ARB_direct_state_access"));
    ctx->caps.debug_output =
        ctx->caps.version >= (es ? 32U : 43U) || (!es && pp_gl_has_extension(ctx, "GL_KHR_debug"));
    ctx->caps.labels = ctx->caps.version >= (es ? 32U : 43U) || pp_gl_has_extension(ctx, "GL_KHR_debug");
    ctx->caps.ext_labels = !ctx->caps.labels && pp_gl_has_extension(ctx, "GL_EXT_debug_label");
    ctx->caps.compatible = is_compatible(ctx);
    if (ctx->caps.labels && !(es && ctx->caps.version < 20)) {
        ctx->caps.groups_max = (uint32_t)integer(GL_MAX_DEBUG_GROUP_STACK_DEPTH);
        ctx->caps.message_max = integer(GL_MAX_DEBUG_MESSAGE_LENGTH);
    }
    bool pixel_buffers = es ? ctx->caps.version >= 30 : ctx->caps.version >= 21;
    ctx->buffers.unpack_bound = pixel_buffers && bound(GL_PIXEL_UNPACK_BUFFER_BINDING);
    ctx->buffers.pack_bound = pixel_buffers && bound(GL_PIXEL_PACK_BUFFER_BINDING);
    bool releases =
        (!es && ctx->caps.version >= 45) || pp_gl_has_extension(ctx, "GL_KHR_context_flush_control");
    ctx->caps.release_keeps = releases && !bound(GL_CONTEXT_RELEASE_BEHAVIOR);
}
