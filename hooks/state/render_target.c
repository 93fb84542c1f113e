/** @file
 * See render_target.h. Every name is first checked by glIs*: the texture of an attachment may have been
 * deleted meanwhile. */
#include "hooks/state/render_target.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/util/hash.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/debug_label.h"

/* Images. */

static uint32_t
positive(GLint value)
{
    return value > 0 ? (uint32_t)value : 0;
}

static void
read_texture_level(GLuint name, GLint level, struct pp_gl_image *image)
{
    GLint width = 0, height = 0, depth = 0, format = 0, samples = 0;
    pp_glGetTextureLevelParameteriv(name, level, GL_TEXTURE_WIDTH, &width);
    pp_glGetTextureLevelParameteriv(name, level, GL_TEXTURE_HEIGHT, &height);
    pp_glGetTextureLevelParameteriv(name, level, GL_TEXTURE_DEPTH, &depth);
    pp_glGetTextureLevelParameteriv(name, level, GL_TEXTURE_INTERNAL_FORMAT, &format);
    pp_glGetTextureLevelParameteriv(name, level, GL_TEXTURE_SAMPLES, &samples);
    *image = (struct pp_gl_image){positive(width), positive(height), positive(depth), positive(samples),
                                  (GLenum)format};
}

/* Take the properties that glTexImage2D and glTexStorage2D set. */
static void
recall_texture(struct pp_gl_context *ctx, GLuint name, GLint level, struct pp_gl_image *image)
{
    pthread_mutex_lock(&ctx->share->lock);
    const struct pp_gl_image *known = pp_gl_map_get(&ctx->share->images, name);
    if (known && level >= 0 && level < 31) {
        *image = *known;
        image->width = image->width >> level ? image->width >> level : image->width != 0;
        image->height = image->height >> level ? image->height >> level : image->height != 0;
    }
    pthread_mutex_unlock(&ctx->share->lock);
}

static void
read_renderbuffer(struct pp_gl_context *ctx, GLuint name, struct pp_gl_image *image)
{
    GLint width = 0, height = 0, format = 0, samples = 0, bound = 0;
    if (ctx->caps.dsa) {
        pp_glGetNamedRenderbufferParameteriv(name, GL_RENDERBUFFER_WIDTH, &width);
        pp_glGetNamedRenderbufferParameteriv(name, GL_RENDERBUFFER_HEIGHT, &height);
        pp_glGetNamedRenderbufferParameteriv(name, GL_RENDERBUFFER_INTERNAL_FORMAT, &format);
        pp_glGetNamedRenderbufferParameteriv(name, GL_RENDERBUFFER_SAMPLES, &samples);
    } else {
        pp_glGetIntegerv(GL_RENDERBUFFER_BINDING, &bound);
        /* A binding that another context deleted could not be restored. */
        if (bound && !pp_glIsRenderbuffer((GLuint)bound))
            return;
        pp_glBindRenderbuffer(GL_RENDERBUFFER, name);
        pp_glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &width);
        pp_glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &height);
        pp_glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, &format);
        if (ctx->caps.version >= 30)
            pp_glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &samples);
        pp_glBindRenderbuffer(GL_RENDERBUFFER, (GLuint)bound);
    }
    *image = (struct pp_gl_image){positive(width), positive(height), 1, positive(samples), (GLenum)format};
}

/* Read the properties of an attached image. @p type is GL_TEXTURE or GL_RENDERBUFFER. If @p name no longer
 * exists, the result is zeros. */
static void
image_read(struct pp_gl_context *ctx, GLenum type, GLuint name, GLint level, struct pp_gl_image *image)
{
    memset(image, 0, sizeof(*image));
    if (name == 0)
        return;
    if (type == GL_RENDERBUFFER) {
        if (pp_glIsRenderbuffer(name))
            read_renderbuffer(ctx, name, image);
    } else if (pp_glIsTexture(name)) {
        if (ctx->caps.dsa)
            read_texture_level(name, level, image);
        else
            recall_texture(ctx, name, level, image);
    }
}

void
pp_gl_image_note(struct pp_gl_context *ctx, GLenum target, GLenum format, GLsizei width, GLsizei height)
{
    GLint bound = 0;
    if (target != GL_TEXTURE_2D)
        return;
    pp_glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    if (bound <= 0)
        return;
    pthread_mutex_lock(&ctx->share->lock);
    struct pp_gl_image *image = pp_gl_map_add(&ctx->share->images, (uint32_t)bound, sizeof(*image));
    if (image)
        *image = (struct pp_gl_image){positive(width), positive(height), 1, 0, format};
    pthread_mutex_unlock(&ctx->share->lock);
}

#define COLORS_MAX 8

static GLenum
draw_target(const struct pp_gl_context *ctx)
{
    return ctx->caps.separate_draw ? GL_DRAW_FRAMEBUFFER : GL_FRAMEBUFFER;
}

static GLint
attachment_value(const struct pp_gl_context *ctx, GLenum point, GLenum what)
{
    GLint value = 0;
    pp_glGetFramebufferAttachmentParameteriv(draw_target(ctx), point, what, &value);
    return value;
}

/* An attachment point as the driver describes it. */
struct attached {
    GLint type; /* GL_NONE: nothing */
    GLuint name;
    GLint level;
    GLint layer;
    GLint layered;
    GLint face;
};

static struct attached
read_point(const struct pp_gl_context *ctx, GLenum point)
{
    struct attached a = {0};
    a.type = attachment_value(ctx, point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
    if (a.type != GL_TEXTURE && a.type != GL_RENDERBUFFER) {
        a.type = GL_NONE;
        return a;
    }
    a.name = (GLuint)attachment_value(ctx, point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME);
    if (a.type == GL_TEXTURE) {
        a.level = attachment_value(ctx, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL);
        a.face = attachment_value(ctx, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE);
        if (ctx->caps.version >= 30)
            a.layer = attachment_value(ctx, point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER);
        if (ctx->caps.layers)
            a.layered = attachment_value(ctx, point, GL_FRAMEBUFFER_ATTACHMENT_LAYERED);
    }
    return a;
}

static void
hash_point(uint64_t *hash, GLenum point, const struct attached *a)
{
    *hash = pp_hash_mix(*hash, point);
    *hash = pp_hash_mix(*hash, (uint64_t)a->type << 32 | a->name);
    *hash = pp_hash_mix(*hash, (uint64_t)(uint32_t)a->level << 32 | (uint32_t)a->layer);
    *hash = pp_hash_mix(*hash, (uint64_t)(uint32_t)a->face << 32 | (uint32_t)a->layered);
}

static void
add_attachment(struct pp_gl_context *ctx, struct pp_gl_framebuffer *framebuffer,
               struct pp_render_target *render_target, const struct attached *a, const char *role,
               uint32_t bit)
{
    struct pp_gl_image image;
    if (render_target->attachments == PP_MAX_ATTACHMENTS)
        return;
    framebuffer->role_bit[render_target->attachments] = bit;
    struct pp_attachment *to = &render_target->attachment[render_target->attachments++];
    image_read(ctx, (GLenum)a->type, a->name, a->level, &image);
    snprintf(to->role, sizeof(to->role), "%s", role);
    const char *format = image.format ? pp_gl_format_name(image.format) : NULL;
    if (format)
        snprintf(to->format, sizeof(to->format), "%s", format);
    if (image.width)
        pp_gl_object_label(ctx, (GLenum)a->type, a->name, to->name, sizeof(to->name));
    /* A framebuffer is as large as its smallest attachment. */
    if (image.width && (!render_target->width || image.width < render_target->width))
        render_target->width = image.width;
    if (image.height && (!render_target->height || image.height < render_target->height))
        render_target->height = image.height;
    uint32_t layers = a->layered && image.layers ? image.layers : 1;
    render_target->layers = render_target->layers > layers ? render_target->layers : layers;
    uint32_t samples = image.samples ? image.samples : 1;
    render_target->samples = render_target->samples > samples ? render_target->samples : samples;
}

/* Color attachment points that are drawn to, in the order of draw buffers. @return Number of points. */
static uint32_t
draw_buffers(const struct pp_gl_context *ctx, GLenum *point)
{
    uint32_t count = 0;
    GLint max = 1;
    if (!ctx->caps.draw_buffers) {
        point[0] = GL_COLOR_ATTACHMENT0;
        return 1;
    }
    pp_glGetIntegerv(GL_MAX_DRAW_BUFFERS, &max);
    for (GLint i = 0; i < max && i < COLORS_MAX; i++) {
        GLint buffer = GL_NONE;
        pp_glGetIntegerv((GLenum)(GL_DRAW_BUFFER0 + i), &buffer);
        if (buffer >= GL_COLOR_ATTACHMENT0 && buffer < GL_COLOR_ATTACHMENT0 + 32)
            point[count++] = (GLenum)buffer;
    }
    return count;
}

/* A framebuffer without images has the size that the application set. */
static void
read_default_size(const struct pp_gl_context *ctx, struct pp_render_target *render_target)
{
    GLint width = 0, height = 0, layers = 0, samples = 0;
    if (ctx->caps.version < (ctx->caps.es ? 31U : 43U))
        return;
    pp_glGetFramebufferParameteriv(GL_DRAW_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, &width);
    pp_glGetFramebufferParameteriv(GL_DRAW_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, &height);
    pp_glGetFramebufferParameteriv(GL_DRAW_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_SAMPLES, &samples);
    if (!ctx->caps.es || ctx->caps.version >= 32)
        pp_glGetFramebufferParameteriv(GL_DRAW_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_LAYERS, &layers);
    render_target->width = (uint32_t)width;
    render_target->height = (uint32_t)height;
    render_target->layers = (uint32_t)layers;
    render_target->samples = (uint32_t)samples;
}

/* Add the properties of the attached images to the hash: they may change while an image stays attached. Names
 * are left out: a new name alone makes no new render target. */
static void
hash_render_target(uint64_t *hash, const struct pp_render_target *render_target)
{
    *hash = pp_hash_mix(*hash, (uint64_t)render_target->width << 32 | render_target->height);
    *hash = pp_hash_mix(*hash, (uint64_t)render_target->layers << 32 | render_target->samples);
    for (uint32_t i = 0; i < render_target->attachments; i++)
        *hash = pp_hash(*hash, render_target->attachment[i].format,
                        strlen(render_target->attachment[i].format) + 1);
}

static void
read_framebuffer(struct pp_gl_context *ctx, struct pp_gl_framebuffer *framebuffer)
{
    struct pp_session *session = pp_session_get();
    struct pp_render_target render_target;
    GLenum point[COLORS_MAX];
    uint64_t hash = PP_HASH_START;
    bool can_ask = !ctx->caps.es || ctx->caps.version >= 20;
    uint32_t colors = can_ask ? draw_buffers(ctx, point) : 0;
    memset(&render_target, 0, sizeof(render_target));
    for (uint32_t i = 0; i < colors; i++) {
        char role[16];
        struct attached a = read_point(ctx, point[i]);
        hash_point(&hash, point[i], &a);
        snprintf(role, sizeof(role), "color%u", point[i] - GL_COLOR_ATTACHMENT0);
        if (a.type != GL_NONE)
            add_attachment(ctx, framebuffer, &render_target, &a, role,
                           1U << (point[i] - GL_COLOR_ATTACHMENT0));
    }
    const struct attached nothing = {.type = GL_NONE};
    struct attached depth = can_ask ? read_point(ctx, GL_DEPTH_ATTACHMENT) : nothing;
    struct attached stencil = can_ask ? read_point(ctx, GL_STENCIL_ATTACHMENT) : nothing;
    hash_point(&hash, GL_DEPTH_ATTACHMENT, &depth);
    hash_point(&hash, GL_STENCIL_ATTACHMENT, &stencil);
    bool both = depth.type != GL_NONE && depth.type == stencil.type && depth.name == stencil.name;
    if (depth.type != GL_NONE)
        add_attachment(ctx, framebuffer, &render_target, &depth, both ? "depth_stencil" : "depth",
                       both ? 3U << 30 : 1U << 30);
    if (stencil.type != GL_NONE && !both)
        add_attachment(ctx, framebuffer, &render_target, &stencil, "stencil", 1U << 31);
    if (can_ask && render_target.attachments == 0)
        read_default_size(ctx, &render_target);
    render_target.samples = render_target.samples ? render_target.samples : 1;
    render_target.layers = render_target.layers ? render_target.layers : 1;
    hash_render_target(&hash, &render_target);
    pp_gl_object_label(ctx, GL_FRAMEBUFFER, framebuffer->name, render_target.name,
                       sizeof(render_target.name));
    framebuffer->attachments = render_target.attachments;
    framebuffer->checked = false;
    framebuffer->version += hash != framebuffer->signature;
    framebuffer->signature = hash;
    framebuffer->render_target = session ? pp_session_render_target(session, &render_target) : 0;
}

void
pp_gl_render_target_refresh(struct pp_gl_context *ctx)
{
    GLint name = 0;
    ctx->gate &= ~(uint32_t)PP_GATE_TARGET;
    if (ctx->fb.bound_known)
        name = (GLint)ctx->fb.bound;
    else if (ctx->caps.es && ctx->caps.version < 20)
        name = (GLint)ctx->fb.bound; /* OpenGL ES 1: the query needs an extension */
    else if (ctx->caps.version >= 20 || ctx->caps.separate_draw)
        pp_glGetIntegerv(ctx->caps.separate_draw ? GL_DRAW_FRAMEBUFFER_BINDING : GL_FRAMEBUFFER_BINDING,
                         &name);
    struct pp_gl_framebuffer *framebuffer =
        name > 0 ? pp_gl_map_add(&ctx->fb.known, (uint32_t)name, sizeof(*framebuffer)) : NULL;
    ctx->fb.draw = framebuffer;
    ctx->fb.bound = (GLuint)name;
    ctx->fb.bound_known = true;
    if (framebuffer) {
        uint32_t epoch = atomic_load_explicit(&ctx->share->epoch, memory_order_relaxed);
        if (framebuffer->name == 0 || framebuffer->dirty || framebuffer->epoch != epoch) {
            framebuffer->name = (GLuint)name;
            framebuffer->dirty = false;
            framebuffer->epoch = epoch;
            read_framebuffer(ctx, framebuffer);
        }
        pp_track_target(&ctx->tracker,
                        (uint64_t)framebuffer->name << 32 | (framebuffer->version + ctx->fb.discards));
    } else {
        pp_track_target(&ctx->tracker, (uint64_t)(ctx->surface->version + ctx->fb.discards) << 1 | 1);
    }
}

bool
pp_gl_render_target_incomplete(struct pp_gl_context *ctx)
{
    struct pp_gl_framebuffer *framebuffer = ctx->fb.draw;
    pp_fn_glCheckFramebufferStatus check =
        ctx->caps.version >= 30 ? pp_glCheckFramebufferStatus : pp_glCheckFramebufferStatusEXT;
    if (!framebuffer || !check)
        return false;
    if (framebuffer->checked)
        return framebuffer->incomplete;
    /* In a debug context the driver reports why a framebuffer is incomplete: switch this off for this call.
     */
    bool debug = ctx->caps.debug_output && pp_glIsEnabled(GL_DEBUG_OUTPUT);
    if (debug)
        pp_glDisable(GL_DEBUG_OUTPUT);
    framebuffer->incomplete =
        check(ctx->caps.separate_draw ? GL_DRAW_FRAMEBUFFER : GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE;
    if (debug)
        pp_glEnable(GL_DEBUG_OUTPUT);
    framebuffer->checked = true;
    return framebuffer->incomplete;
}

pp_render_target_id
pp_gl_render_target(void *user)
{
    struct pp_gl_context *ctx = user;
    struct pp_session *session = pp_session_get();
    if (ctx->fb.draw)
        return ctx->fb.draw->render_target;
    struct pp_gl_surface *surface = ctx->surface;
    if (!session || !surface->drawable)
        return 0;
    surface->render_target.width = surface->width;
    surface->render_target.height = surface->height;
    return pp_session_render_target(session, &surface->render_target);
}

uint32_t
pp_gl_render_target_bits(const struct pp_gl_context *ctx, uint32_t wanted)
{
    const struct pp_gl_framebuffer *framebuffer = ctx->fb.draw;
    const struct pp_render_target *render_target = &ctx->surface->render_target;
    uint32_t bits = 0;
    if (framebuffer) {
        for (uint32_t i = 0; i < framebuffer->attachments; i++)
            bits |= framebuffer->role_bit[i] & wanted ? 1U << i : 0U;
        return bits;
    }
    for (uint32_t i = 0; i < render_target->attachments; i++) {
        const char *role = render_target->attachment[i].role;
        uint32_t bit = role[0] == 'c'                       ? 1U
                       : strcmp(role, "depth_stencil") == 0 ? 3U << 30
                       : role[0] == 'd'                     ? 1U << 30
                                                            : 1U << 31;
        bits |= bit & wanted ? 1U << i : 0U;
    }
    return bits;
}

uint32_t
pp_gl_render_target_points(GLsizei count, const GLenum *attachment)
{
    uint32_t wanted = 0;
    for (GLsizei i = 0; i < count && attachment; i++) {
        GLenum a = attachment[i];
        if (a >= GL_COLOR_ATTACHMENT0 && a < GL_COLOR_ATTACHMENT0 + 30)
            wanted |= 1U << (a - GL_COLOR_ATTACHMENT0);
        else if (a == GL_COLOR || a == GL_BACK_LEFT || a == GL_FRONT_LEFT || a == GL_BACK)
            wanted |= 1U;
        else if (a == GL_DEPTH || a == GL_DEPTH_ATTACHMENT)
            wanted |= 1U << 30;
        else if (a == GL_STENCIL || a == GL_STENCIL_ATTACHMENT)
            wanted |= 1U << 31;
        else if (a == GL_DEPTH_STENCIL_ATTACHMENT)
            wanted |= 3U << 30;
    }
    return wanted;
}

uint32_t
pp_gl_render_target_mask_bits(const struct pp_gl_context *ctx, GLbitfield mask, GLint draw_buffer)
{
    uint32_t wanted = mask & GL_DEPTH_BUFFER_BIT ? 1U << 30 : 0U;
    wanted |= mask & GL_STENCIL_BUFFER_BIT ? 1U << 31 : 0U;
    if (mask & GL_COLOR_BUFFER_BIT)
        wanted |= draw_buffer < 0 ? (1U << 30) - 1 : draw_buffer < 30 ? 1U << draw_buffer : 0U;
    return pp_gl_render_target_bits(ctx, wanted);
}
