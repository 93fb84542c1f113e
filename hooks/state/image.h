/** @file
 * One image attached to a framebuffer: size, format, name. They are read without changing a binding. */
#ifndef PP_HOOKS_STATE_IMAGE_H
#define PP_HOOKS_STATE_IMAGE_H

#include "hooks/base/context.h"

/** What is known of an image; zeros: unknown. Also the value type of pp_gl_share.images. */
struct pp_gl_image {
    uint32_t width;
    uint32_t height;
    uint32_t layers;
    uint32_t samples;
    GLenum format;
};

/** Read the properties of an attached image. @p type is GL_TEXTURE or GL_RENDERBUFFER. If @p name no longer
 * exists, the result is zeros. */
void pp_gl_image_read(struct pp_gl_context *ctx, GLenum type, GLuint name, GLint level,
                      struct pp_gl_image *image);

/** Record level 0 of a texture, for contexts in which textures cannot be asked. */
void pp_gl_image_note(struct pp_gl_context *ctx, GLenum target, GLenum format, GLsizei width, GLsizei height);

/** The application's label of an object that exists. @p kind GL_TEXTURE, GL_FRAMEBUFFER, GL_PROGRAM, ... @p
 * out is "" if there is no label. */
void pp_gl_object_label(const struct pp_gl_context *ctx, GLenum kind, GLuint name, char *out, size_t size);

#endif
