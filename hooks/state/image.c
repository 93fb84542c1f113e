/** @file
 * See image.h. Every name is first checked by glIs*: the texture of an attachment may have been deleted
 * meanwhile. */
#include "hooks/state/image.h"

#include <string.h>

#include "hooks/reach/driver_procs.h"

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

void
pp_gl_image_read(struct pp_gl_context *ctx, GLenum type, GLuint name, GLint level, struct pp_gl_image *image)
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
