/** @file
 * Render targets change in ways that are easily missed, and so do names: `render_targets`. Prints `pass
 * ATTACHMENTS DRAWS` for each pass of a frame, `name NAME` for each draw's shader program. Knows nothing of
 * passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples/egl_open.h"

#define SIZE   32
#define FRAMES 3

static int frame;

static void
start(void)
{
    const struct egl_open_want want = {.major = 4, .minor = 5};
    struct egl_open egl;
    if (egl_open(&egl, &want)) {
        puts("no context");
        exit(77);
    }
}

static GLuint
program(void)
{
    static const GLchar *const text[] = {
        "#version 150\nvoid main() { gl_Position = vec4(gl_VertexID, 0, 0, 1); }",
        "#version 150\nout vec4 color; void main() { color = vec4(1); }"};
    GLuint made = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &text[i], NULL);
        glCompileShader(shader);
        glAttachShader(made, shader);
    }
    glLinkProgram(made);
    return made;
}

static GLuint
texture(GLenum target, GLenum format, int layers)
{
    GLuint made;
    glGenTextures(1, &made);
    glBindTexture(target, made);
    if (layers > 1)
        glTexStorage3D(target, 2, format, SIZE, SIZE, layers);
    else
        glTexStorage2D(target, 2, format, SIZE, SIZE);
    return made;
}

static void
want_pass(const char *attachments, int draws)
{
    if (frame == 1)
        printf("pass %s %d\n", attachments, draws);
}

static void
draw(int draws)
{
    for (int i = 0; i < draws; i++)
        glDrawArrays(GL_POINTS, 0, 1);
}

/* A new framebuffer for each part, so that no other change begins a pass. */
static void
framebuffer(GLuint color)
{
    GLuint made;
    glGenFramebuffers(1, &made);
    glBindFramebuffer(GL_FRAMEBUFFER, made);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, color, 0);
}

static void
parts_of_images(GLuint plain, GLuint array, GLuint cube)
{
    framebuffer(plain);
    want_pass("color0=RGBA8", 1);
    draw(1);
    want_pass("color0=RGBA8", 2); /* another level */
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, plain, 1);
    draw(2);
    framebuffer(array);
    want_pass("color0=RGBA8", 3); /* all layers */
    draw(3);
    want_pass("color0=RGBA8", 4); /* the first */
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0, 0);
    draw(4);
    want_pass("color0=RGBA8", 5); /* another */
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, array, 0, 2);
    draw(5);
    framebuffer(plain);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_CUBE_MAP_POSITIVE_X, cube, 0);
    want_pass("color0=RGBA8", 1);
    draw(1);
    want_pass("color0=RGBA8", 2); /* another face */
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, cube, 0);
    draw(2);
}

static void
stencils(GLuint plain, GLuint *stencil)
{
    framebuffer(plain);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, stencil[0], 0);
    want_pass("color0=RGBA8,stencil=STENCIL_INDEX8", 1);
    draw(1);
    want_pass("color0=RGBA8,stencil=STENCIL_INDEX8", 2); /* another one */
    glFramebufferTexture(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, stencil[1], 0);
    draw(2);
}

/* By name, bound or not. */
static void
invalidations(GLuint plain)
{
    static const GLenum point[] = {GL_COLOR_ATTACHMENT0};
    GLint bound = 0;
    framebuffer(plain);
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    want_pass("color0=RGBA8:/discard", 1);
    draw(1);
    glInvalidateNamedFramebufferData((GLuint)bound, 1, point);
    want_pass("color0=RGBA8:discard/", 2);
    draw(1);
    glInvalidateNamedFramebufferData((GLuint)bound - 1, 1, point); /* a framebuffer without draws */
    draw(1);
}

/* Deleting an image of the bound framebuffer detaches it. */
static void
deletion(void)
{
    GLuint doomed[2] = {texture(GL_TEXTURE_2D, GL_RGBA8, 1), texture(GL_TEXTURE_2D, GL_RGBA16F, 1)};
    framebuffer(doomed[0]);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, doomed[1], 0);
    glDrawBuffers(2, (const GLenum[]){GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1});
    want_pass("color0=RGBA8,color1=RGBA16F", 1);
    draw(1);
    want_pass("color0=RGBA8", 2);
    glDeleteTextures(1, &doomed[1]);
    draw(2);
    glDeleteTextures(1, &doomed[0]);
}

static void
names(GLuint *made)
{
    static const char *const name[] = {"one", "two", "other", "three"};
    for (int i = 0; i < 4; i++) {
        glUseProgram(made[i == 2]);
        glObjectLabel(GL_PROGRAM, made[i == 2], -1, name[i]);
        draw(1);
        if (frame == 1)
            printf("name %s\n", name[i]);
    }
    glObjectLabel(GL_PROGRAM, made[0], 0, NULL);
}

int
main(void)
{
    start();
    GLuint vertices, made[] = {program(), program()};
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    GLuint plain = texture(GL_TEXTURE_2D, GL_RGBA8, 1), array = texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4),
           cube = texture(GL_TEXTURE_CUBE_MAP, GL_RGBA8, 1);
    GLuint stencil[] = {texture(GL_TEXTURE_2D, GL_STENCIL_INDEX8, 1),
                        texture(GL_TEXTURE_2D, GL_STENCIL_INDEX8, 1)};
    glViewport(0, 0, SIZE, SIZE);
    for (frame = 0; frame < FRAMES; frame++) {
        glUseProgram(made[0]);
        parts_of_images(plain, array, cube);
        stencils(plain, stencil);
        invalidations(plain);
        deletion();
        framebuffer(plain);
        want_pass("color0=RGBA8", 4);
        names(made);
        glFinish();
    }
    printf("error %x\n", glGetError());
    return 0;
}
