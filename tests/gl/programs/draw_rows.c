/** @file
 * Makes the GPU work in every way that Mesa's software driver supports, the same in each frame, and prints
 * the rows that passprobe must write of the second frame: `row CALL VERTICES INSTANCES GROUPS COUNT` for each
 * call (COUNT: vertices that the GPU assembles, or compute invocations), `pass KIND SIZE ATTACHMENTS DRAWS
 * DISPATCHES COPIES` for each pass; `-`: unknown. `rows CASE`. Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/egl_open.h"

#define SIZE   64
#define FRAMES 3
#define NO     (-1)

static struct egl_open egl;
static int frame;

static void
number(long value)
{
    if (value < 0)
        printf(" -");
    else
        printf(" %ld", value);
}

static void
want(const char *call, long vertices, long instances, long groups, long count)
{
    if (frame != 1)
        return;
    printf("row %s", call);
    number(vertices);
    number(instances);
    number(groups);
    number(count);
    puts("");
}

static void
want_pass(const char *text)
{
    if (frame == 1)
        printf("pass %s\n", text);
}

/* A draw whose arguments are its vertices and instances. */
#define DRAW(vertices, instances, call, ...)                                                                 \
    do {                                                                                                     \
        want(#call, vertices, instances, NO, (long)(vertices) * (instances));                                \
        call(__VA_ARGS__);                                                                                   \
    } while (0)
/* A draw whose arguments are not; the GPU assembles `count`. */
#define OPAQUE(count, call, ...)                                                                             \
    do {                                                                                                     \
        want(#call, NO, NO, NO, count);                                                                      \
        call(__VA_ARGS__);                                                                                   \
    } while (0)
/* Actions that are no draws. */
#define OTHER(call, ...) OPAQUE(NO, call, __VA_ARGS__)

/* A function of an extension, by its name there. */
static void (*proc(const char *name))(void)
{
    void (*found)(void) = eglGetProcAddress(name);
    if (!found) {
        printf("no %s\n", name);
        exit(77);
    }
    return found;
}
#define PROC(type, name) type name##_ = (type)proc(#name)

static GLuint
shader(GLenum kind, const char *text)
{
    GLuint made = glCreateShader(kind);
    GLint good = 0;
    glShaderSource(made, 1, &text, NULL);
    glCompileShader(made);
    glGetShaderiv(made, GL_COMPILE_STATUS, &good);
    if (!good) {
        char log[500] = "";
        glGetShaderInfoLog(made, sizeof(log), NULL, log);
        printf("shader: %s\n", log);
    }
    return made;
}

static GLuint
program(const char *vertex, const char *fragment, const char *feedback)
{
    GLuint made = glCreateProgram();
    glAttachShader(made, shader(GL_VERTEX_SHADER, vertex));
    glAttachShader(made, shader(GL_FRAGMENT_SHADER, fragment));
    if (feedback)
        glTransformFeedbackVaryings(made, 1, &feedback, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(made);
    return made;
}

static GLuint
buffer(GLenum target, GLsizeiptr size, const void *data)
{
    GLuint made;
    glGenBuffers(1, &made);
    glBindBuffer(target, made);
    glBufferData(target, size, data, GL_STATIC_DRAW);
    return made;
}

static GLuint
texture(GLenum target, GLint format, GLenum layout, GLenum type)
{
    GLuint made;
    glGenTextures(1, &made);
    glBindTexture(target, made);
    glTexImage2D(target, 0, format, SIZE, SIZE, 0, layout, type, NULL);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    return made;
}

static const GLushort indices[] = {0, 1, 2, 2, 1, 3};
static const GLfloat corners[] = {-0.5f, -0.5f, 0.5f, -0.5f, -0.5f, 0.5f, 0.5f, 0.5f, 0.0f, 0.0f, 0.1f, 0.9f};
static unsigned char pixels[SIZE * SIZE * 4];

/* OpenGL 1.x to 2.x, with commands of their extensions. */

static void
immediate(void)
{
    want("glBegin", NO, NO, NO, 5);
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i < 4; i++)
        glVertex2fv(&corners[i * 2]);
    glArrayElement(3);
    glEnd();
    want("glBegin", NO, NO, NO, 0);
    glBegin(GL_POINTS);
    glEnd();
}

/* A list in a list, and evaluators. */
static void
compat_state(GLuint list)
{
    const GLfloat control[4][3] = {{-1, -1, 0}, {0, 1, 0}, {1, -1, 0}, {1, 1, 0}};
    const GLfloat patch[2][2][3] = {{{-1, -1, 0}, {1, -1, 0}}, {{-1, 1, 0}, {1, 1, 0}}};
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glNewList(list, GL_COMPILE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEndList();
    glNewList(list + 1, GL_COMPILE);
    glCallList(list);
    glRectf(0, 0, 1, 1);
    glEndList();
    glMap1f(GL_MAP1_VERTEX_3, 0, 1, 3, 4, control[0]);
    glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 2, 0, 1, 6, 2, patch[0][0]);
    glEnable(GL_MAP1_VERTEX_3);
    glEnable(GL_MAP2_VERTEX_3);
    glMapGrid1f(4, 0, 1);
    glMapGrid2f(2, 0, 1, 2, 0, 1);
}

static void
compat_draws(void)
{
    const GLsizei counts[] = {3, 0, 6};
    const GLint firsts[] = {0, 0, 0};
    const GLvoid *lists[] = {indices, indices, indices};
    PROC(PFNGLDRAWARRAYSEXTPROC, glDrawArraysEXT);
    PROC(PFNGLDRAWRANGEELEMENTSEXTPROC, glDrawRangeElementsEXT);
    PROC(PFNGLMULTIDRAWARRAYSEXTPROC, glMultiDrawArraysEXT);
    PROC(PFNGLMULTIDRAWELEMENTSEXTPROC, glMultiDrawElementsEXT);
    PROC(PFNGLDRAWARRAYSINSTANCEDARBPROC, glDrawArraysInstancedARB);
    PROC(PFNGLDRAWARRAYSINSTANCEDEXTPROC, glDrawArraysInstancedEXT);
    PROC(PFNGLDRAWELEMENTSINSTANCEDARBPROC, glDrawElementsInstancedARB);
    PROC(PFNGLDRAWELEMENTSINSTANCEDEXTPROC, glDrawElementsInstancedEXT);
    OTHER(glClear, GL_COLOR_BUFFER_BIT);
    immediate();
    DRAW(6, 1, glDrawArrays, GL_TRIANGLES, 0, 6);
    DRAW(6, 1, glDrawElements, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices);
    DRAW(3, 1, glDrawRangeElements, GL_TRIANGLES, 0, 3, 3, GL_UNSIGNED_SHORT, indices);
    DRAW(9, 1, glMultiDrawArrays, GL_TRIANGLES, firsts, counts, 3);
    DRAW(9, 1, glMultiDrawElements, GL_TRIANGLES, counts, GL_UNSIGNED_SHORT, lists, 3);
    DRAW(3, 1, glDrawElementsBaseVertex, GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, (void *)indices, 1);
    want("glDrawArraysEXT", 3, 1, NO, 3);
    glDrawArraysEXT_(GL_TRIANGLES, 0, 3);
    want("glDrawRangeElementsEXT", 3, 1, NO, 3);
    glDrawRangeElementsEXT_(GL_TRIANGLES, 0, 3, 3, GL_UNSIGNED_SHORT, indices);
    want("glMultiDrawArraysEXT", 9, 1, NO, 9);
    glMultiDrawArraysEXT_(GL_TRIANGLES, firsts, counts, 3);
    want("glMultiDrawElementsEXT", 9, 1, NO, 9);
    glMultiDrawElementsEXT_(GL_TRIANGLES, counts, GL_UNSIGNED_SHORT, lists, 3);
    want("glDrawArraysInstancedARB", 3, 4, NO, 12);
    glDrawArraysInstancedARB_(GL_TRIANGLES, 0, 3, 4);
    want("glDrawArraysInstancedEXT", 3, 5, NO, 15);
    glDrawArraysInstancedEXT_(GL_TRIANGLES, 0, 3, 5);
    want("glDrawElementsInstancedARB", 6, 2, NO, 12);
    glDrawElementsInstancedARB_(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices, 2);
    want("glDrawElementsInstancedEXT", 6, 3, NO, 18);
    glDrawElementsInstancedEXT_(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices, 3);
    /* errors: nothing is drawn, and a negative number of vertices is not counted */
    DRAW(0, 1, glDrawArrays, GL_TRIANGLES, 0, -3);
}

/* Draws without a draw call, also where the vertices cannot be counted. */
static void
compat_others(GLuint list)
{
    DRAW(4, 1, glRectf, -0.5f, -0.5f, 0.5f, 0.5f);
    DRAW(4, 1, glRecti, 0, 0, 1, 1);
    DRAW(4, 1, glRectsv, (const GLshort[]){0, 0}, (const GLshort[]){1, 1});
    OPAQUE(3, glCallList, list);
    glListBase(list);
    OPAQUE(10, glCallLists, 2, GL_UNSIGNED_BYTE, "\0\1");
    OPAQUE(5, glEvalMesh1, GL_LINE, 0, 4);
    OPAQUE(12, glEvalMesh2, GL_FILL, 0, 2, 0, 2);
    glRasterPos2f(-0.5f, -0.5f);
    OPAQUE(4, glDrawPixels, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    OPAQUE(4, glBitmap, 8, 8, 0, 0, 1, 1, pixels);
    OPAQUE(NO, glCopyPixels, 0, 0, 8, 8, GL_COLOR);
    (void)glGetError();
}

static void
compat_copies(void)
{
    PROC(PFNGLCOPYTEXIMAGE2DEXTPROC, glCopyTexImage2DEXT);
    PROC(PFNGLCOPYTEXSUBIMAGE2DEXTPROC, glCopyTexSubImage2DEXT);
    PROC(PFNGLTEXSUBIMAGE2DEXTPROC, glTexSubImage2DEXT);
    PROC(PFNGLGENERATEMIPMAPEXTPROC, glGenerateMipmapEXT);
    PROC(PFNGLBUFFERDATAARBPROC, glBufferDataARB);
    PROC(PFNGLBUFFERSUBDATAARBPROC, glBufferSubDataARB);
    PROC(PFNGLGETBUFFERSUBDATAARBPROC, glGetBufferSubDataARB);
    PROC(PFNGLREADNPIXELSARBPROC, glReadnPixelsARB);
    OTHER(glCopyTexImage2D, GL_TEXTURE_2D, 0, GL_RGBA8, 0, 0, SIZE, SIZE, 0);
    OTHER(glCopyTexSubImage2D, GL_TEXTURE_2D, 0, 0, 0, 0, 0, 8, 8);
    want("glCopyTexImage2DEXT", NO, NO, NO, NO);
    glCopyTexImage2DEXT_(GL_TEXTURE_2D, 0, GL_RGBA8, 0, 0, SIZE, SIZE, 0);
    want("glCopyTexSubImage2DEXT", NO, NO, NO, NO);
    glCopyTexSubImage2DEXT_(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 8, 8);
    want("glTexSubImage2DEXT", NO, NO, NO, NO);
    glTexSubImage2DEXT_(GL_TEXTURE_2D, 0, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    want("glGenerateMipmapEXT", NO, NO, NO, NO);
    glGenerateMipmapEXT_(GL_TEXTURE_2D);
    OTHER(glGetTexImage, GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    OTHER(glReadPixels, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    want("glReadnPixelsARB", NO, NO, NO, NO);
    glReadnPixelsARB_(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, sizeof(pixels), pixels);
    GLuint made;
    glGenBuffers(1, &made);
    glBindBuffer(GL_ARRAY_BUFFER, made);
    want("glBufferDataARB", NO, NO, NO, NO);
    glBufferDataARB_(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
    want("glBufferSubDataARB", NO, NO, NO, NO);
    glBufferSubDataARB_(GL_ARRAY_BUFFER, 0, 8, corners);
    want("glGetBufferSubDataARB", NO, NO, NO, NO);
    glGetBufferSubDataARB_(GL_ARRAY_BUFFER, 0, 8, pixels);
    glDeleteBuffers(1, &made);
}

static void
case_compat(EGLSurface surface)
{
    GLuint list = glGenLists(2);
    compat_state(list);
    GLuint name = texture(GL_TEXTURE_2D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE);
    for (frame = 0; frame < FRAMES; frame++) {
        compat_draws();
        compat_others(list);
        compat_copies();
        eglSwapBuffers(egl.display, surface);
    }
    glDeleteTextures(1, &name);
}

/* OpenGL 3 to 4.6. */

static const char *const vertex_text =
    "#version 430\nout vec4 place;\nvoid main() { place = gl_Position = vec4("
    "float(gl_VertexID & 1) - 0.5, float(gl_VertexID & 2) - 0.5, 0.0, 1.0); }\n";
static const char *const fragment_text =
    "#version 430\nout vec4 color;\nvoid main() { color = vec4(0.2); }\n";

/* llvmpipe does not count the vertices that this draws. */
static void
feedback_draws(void)
{
    GLuint feedback, store;
    glGenTransformFeedbacks(1, &feedback);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback);
    store = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 4096, NULL);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, store);
    glBeginTransformFeedback(GL_TRIANGLES);
    DRAW(6, 1, glDrawArrays, GL_TRIANGLES, 0, 6);
    glEndTransformFeedback();
    OPAQUE(NO, glDrawTransformFeedback, GL_TRIANGLES, feedback);
    OPAQUE(NO, glDrawTransformFeedbackStream, GL_TRIANGLES, feedback, 0);
    OPAQUE(NO, glDrawTransformFeedbackInstanced, GL_TRIANGLES, feedback, 2);
    OPAQUE(NO, glDrawTransformFeedbackStreamInstanced, GL_TRIANGLES, feedback, 0, 3);
    glDeleteTransformFeedbacks(1, &feedback);
    glDeleteBuffers(1, &store);
}

static void
core_draws(void)
{
    const GLsizei counts[] = {3, 6};
    const GLint firsts[] = {0, 3}, bases[] = {0, 1};
    const GLvoid *offsets[] = {NULL, NULL};
    const void *none = NULL;
    DRAW(3, 1, glDrawArrays, GL_TRIANGLES, 0, 3);
    DRAW(6, 1, glDrawElements, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, none);
    DRAW(6, 1, glDrawRangeElements, GL_TRIANGLES, 0, 3, 6, GL_UNSIGNED_SHORT, none);
    DRAW(6, 1, glDrawElementsBaseVertex, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, (void *)none, 1);
    DRAW(6, 1, glDrawRangeElementsBaseVertex, GL_TRIANGLES, 0, 3, 6, GL_UNSIGNED_SHORT, (void *)none, 1);
    DRAW(3, 7, glDrawArraysInstanced, GL_TRIANGLES, 0, 3, 7);
    DRAW(3, 2, glDrawArraysInstancedBaseInstance, GL_TRIANGLES, 0, 3, 2, 1);
    DRAW(6, 2, glDrawElementsInstanced, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, none, 2);
    DRAW(6, 2, glDrawElementsInstancedBaseVertex, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, none, 2, 1);
    DRAW(6, 2, glDrawElementsInstancedBaseInstance, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, none, 2, 1);
    DRAW(6, 2, glDrawElementsInstancedBaseVertexBaseInstance, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, none, 2, 1,
         1);
    DRAW(3, 0, glDrawArraysInstanced, GL_TRIANGLES, 0, 3, 0);
    DRAW(9, 1, glMultiDrawArrays, GL_TRIANGLES, firsts, counts, 2);
    DRAW(9, 1, glMultiDrawElements, GL_TRIANGLES, counts, GL_UNSIGNED_SHORT, offsets, 2);
    DRAW(9, 1, glMultiDrawElementsBaseVertex, GL_TRIANGLES, counts, GL_UNSIGNED_SHORT, offsets, 2, bases);
    OPAQUE(12, glDrawArraysIndirect, GL_TRIANGLES, none);
    OPAQUE(12, glMultiDrawArraysIndirect, GL_TRIANGLES, none, 1, 0);
    OPAQUE(12, glMultiDrawArraysIndirectCountARB, GL_TRIANGLES, 0, 32, 1, 0);
    OPAQUE(12, glDrawElementsIndirect, GL_TRIANGLES, GL_UNSIGNED_SHORT, none);
    OPAQUE(12, glMultiDrawElementsIndirect, GL_TRIANGLES, GL_UNSIGNED_SHORT, none, 1, 0);
    OPAQUE(12, glMultiDrawElementsIndirectCountARB, GL_TRIANGLES, GL_UNSIGNED_SHORT, 0, 32, 1, 0);
    feedback_draws();
}

static void
core_other(GLuint dispatcher, GLuint drawer, GLuint image, GLuint storage, GLuint framebuffer)
{
    const GLfloat color[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    const GLint whole[4] = {1, 2, 3, 4};
    glUseProgram(dispatcher);
    want("glDispatchCompute", NO, NO, 24, 24 * 8);
    glDispatchCompute(2, 3, 4);
    want("glDispatchComputeIndirect", NO, NO, NO, 4 * 2 * 8);
    glDispatchComputeIndirect(0);
    glUseProgram(drawer);
    OTHER(glClear, GL_COLOR_BUFFER_BIT);
    OTHER(glClearBufferfv, GL_COLOR, 0, color);
    OTHER(glClearBufferfi, GL_DEPTH_STENCIL, 0, 0.5f, 1);
    OTHER(glClearNamedFramebufferfv, 0, GL_COLOR, 0, color);
    OTHER(glClearTexImage, image, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    OTHER(glClearTexSubImage, image, 0, 0, 0, 0, 8, 8, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    OTHER(glClearBufferData, GL_SHADER_STORAGE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, whole);
    OTHER(glClearNamedBufferSubData, storage, GL_R32UI, 0, 16, GL_RED_INTEGER, GL_UNSIGNED_INT, whole);
    OTHER(glCopyImageSubData, image, GL_TEXTURE_2D, 0, 0, 0, 0, image, GL_TEXTURE_2D, 0, 32, 32, 0, 8, 8, 1);
    OTHER(glCopyBufferSubData, GL_SHADER_STORAGE_BUFFER, GL_SHADER_STORAGE_BUFFER, 0, 128, 64);
    OTHER(glCopyNamedBufferSubData, storage, storage, 0, 128, 64);
    OTHER(glCopyTextureSubImage2D, image, 0, 0, 0, 0, 0, 8, 8);
    OTHER(glBlitNamedFramebuffer, 0, framebuffer, 0, 0, 8, 8, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    OTHER(glTextureSubImage2D, image, 0, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    OTHER(glNamedBufferSubData, storage, 0, 64, pixels);
    OTHER(glGenerateTextureMipmap, image);
    OTHER(glGetTextureImage, image, 0, GL_RGBA, GL_UNSIGNED_BYTE, sizeof(pixels), pixels);
    OTHER(glGetNamedBufferSubData, storage, 0, 64, pixels);
    OTHER(glReadnPixels, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, sizeof(pixels), pixels);
}

static void
case_core(EGLSurface surface)
{
    const GLuint commands[] = {3, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    const GLuint grid[] = {4, 2, 1};
    GLuint array, framebuffer;
    GLuint drawer = program(vertex_text, fragment_text, "place");
    GLuint dispatcher = glCreateProgram();
    glAttachShader(dispatcher,
                   shader(GL_COMPUTE_SHADER,
                          "#version 430\nlayout(local_size_x = 8) in;\nlayout(std430, binding = 0) buffer b "
                          "{ uint at[]; };\nvoid main() { at[gl_LocalInvocationIndex] = 1u; }\n"));
    glLinkProgram(dispatcher);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
    buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(commands), commands);
    buffer(GL_PARAMETER_BUFFER_ARB, sizeof(commands), commands);
    buffer(GL_DISPATCH_INDIRECT_BUFFER, sizeof(grid), grid);
    GLuint storage = buffer(GL_SHADER_STORAGE_BUFFER, 4096, NULL);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, storage);
    GLuint image = texture(GL_TEXTURE_2D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE);
    glCreateFramebuffers(1, &framebuffer);
    glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, image, 0);
    for (frame = 0; frame < FRAMES; frame++) {
        glUseProgram(drawer);
        core_draws();
        core_other(dispatcher, drawer, image, storage, framebuffer);
        eglSwapBuffers(egl.display, surface);
    }
}

/* OpenGL ES. */

static void
case_es1(EGLSurface surface)
{
    typedef void (*draw_tex)(GLint x, GLint y, GLint z, GLint width, GLint height);
    PROC(draw_tex, glDrawTexiOES);
    PROC(PFNGLGENFRAMEBUFFERSEXTPROC, glGenFramebuffersOES);
    PROC(PFNGLBINDFRAMEBUFFEREXTPROC, glBindFramebufferOES);
    PROC(PFNGLFRAMEBUFFERTEXTURE2DEXTPROC, glFramebufferTexture2DOES);
    GLuint framebuffer;
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glEnable(GL_TEXTURE_2D);
    GLuint name = texture(GL_TEXTURE_2D, GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE);
    glGenFramebuffersOES_(1, &framebuffer);
    glBindFramebufferOES_(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2DOES_(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               texture(GL_TEXTURE_2D, GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE), 0);
    glBindTexture(GL_TEXTURE_2D, name);
    for (frame = 0; frame < FRAMES; frame++) {
        glBindFramebufferOES_(GL_FRAMEBUFFER, framebuffer);
        DRAW(3, 1, glDrawArrays, GL_TRIANGLES, 0, 3);
        glBindFramebufferOES_(GL_FRAMEBUFFER, 0);
        OTHER(glClear, GL_COLOR_BUFFER_BIT);
        DRAW(6, 1, glDrawArrays, GL_TRIANGLES, 0, 6);
        DRAW(6, 1, glDrawElements, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices);
        want("glDrawTexiOES", 4, 1, NO, 4);
        glDrawTexiOES_(0, 0, 0, 16, 16);
        OTHER(glTexSubImage2D, GL_TEXTURE_2D, 0, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        OTHER(glCopyTexSubImage2D, GL_TEXTURE_2D, 0, 0, 0, 0, 0, 8, 8);
        OTHER(glReadPixels, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        eglSwapBuffers(egl.display, surface);
    }
    glDeleteTextures(1, &name);
}

static const char *const es_vertex = "attribute vec4 at;\nvoid main() { gl_Position = at; }\n";
static const char *const es_fragment =
    "precision mediump float;\nvoid main() { gl_FragColor = vec4(0.3); }\n";

static void
case_es2(EGLSurface surface)
{
    PROC(PFNGLDRAWARRAYSINSTANCEDEXTPROC, glDrawArraysInstancedEXT);
    PROC(PFNGLDRAWELEMENTSINSTANCEDEXTPROC, glDrawElementsInstancedEXT);
    PROC(PFNGLMULTIDRAWARRAYSEXTPROC, glMultiDrawArraysEXT);
    const GLsizei counts[] = {3, 3};
    const GLint firsts[] = {0, 3};
    glUseProgram(program(es_vertex, es_fragment, NULL));
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    GLuint name = texture(GL_TEXTURE_2D, GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE);
    for (frame = 0; frame < FRAMES; frame++) {
        OTHER(glClear, GL_COLOR_BUFFER_BIT);
        DRAW(6, 1, glDrawArrays, GL_TRIANGLES, 0, 6);
        DRAW(6, 1, glDrawElements, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices);
        want("glDrawArraysInstancedEXT", 3, 2, NO, 6);
        glDrawArraysInstancedEXT_(GL_TRIANGLES, 0, 3, 2);
        want("glDrawElementsInstancedEXT", 6, 3, NO, 18);
        glDrawElementsInstancedEXT_(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices, 3);
        want("glMultiDrawArraysEXT", 6, 1, NO, 6);
        glMultiDrawArraysEXT_(GL_TRIANGLES, firsts, counts, 2);
        OTHER(glGenerateMipmap, GL_TEXTURE_2D);
        OTHER(glReadPixels, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        eglSwapBuffers(egl.display, surface);
    }
    glDeleteTextures(1, &name);
}

/* 3.0 to 3.2: `minor`. */
static void
es3(EGLSurface surface, int minor)
{
    const GLuint commands[] = {3, 4, 0, 0, 0};
    const void *none = NULL;
    GLuint array;
    glUseProgram(program(
        "#version 300 es\nvoid main() { gl_Position = vec4(float(gl_VertexID & 1) - 0.5, "
        "float(gl_VertexID & 2) - 0.5, 0.0, 1.0); }\n",
        "#version 300 es\nprecision mediump float;\nout vec4 c;\nvoid main() { c = vec4(0.3); }\n", NULL));
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
    if (minor > 0)
        buffer(GL_DRAW_INDIRECT_BUFFER, sizeof(commands), commands);
    for (frame = 0; frame < FRAMES; frame++) {
        OTHER(glClear, GL_COLOR_BUFFER_BIT);
        DRAW(3, 1, glDrawArrays, GL_TRIANGLES, 0, 3);
        DRAW(6, 1, glDrawElements, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, none);
        DRAW(6, 1, glDrawRangeElements, GL_TRIANGLES, 0, 3, 6, GL_UNSIGNED_SHORT, none);
        DRAW(3, 5, glDrawArraysInstanced, GL_TRIANGLES, 0, 3, 5);
        DRAW(6, 2, glDrawElementsInstanced, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, none, 2);
        if (minor > 0) {
            OPAQUE(12, glDrawArraysIndirect, GL_TRIANGLES, none);
            OPAQUE(12, glDrawElementsIndirect, GL_TRIANGLES, GL_UNSIGNED_SHORT, none);
        }
        if (minor > 1) {
            DRAW(6, 1, glDrawElementsBaseVertex, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, (void *)none, 1);
            DRAW(6, 3, glDrawElementsInstancedBaseVertex, GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, none, 3, 1);
        }
        OTHER(glClearBufferfv, GL_COLOR, 0, corners);
        OTHER(glBlitFramebuffer, 0, 0, 8, 8, 8, 8, 16, 16, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        (void)glGetError();
        eglSwapBuffers(egl.display, surface);
    }
}

static void
case_es30(EGLSurface surface)
{
    es3(surface, 0);
}

static void
case_es31(EGLSurface surface)
{
    es3(surface, 1);
}

static void
case_es32(EGLSurface surface)
{
    es3(surface, 2);
}

/* Where passes begin and end, and what they load and store. */

static GLuint
target_of(const GLuint *color, int colors, GLuint depth)
{
    static const GLenum all[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    GLuint made;
    glGenFramebuffers(1, &made);
    glBindFramebuffer(GL_FRAMEBUFFER, made);
    for (int i = 0; i < colors; i++)
        glFramebufferTexture2D(GL_FRAMEBUFFER, all[i], GL_TEXTURE_2D, color[i], 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    glDrawBuffers(colors, all);
    return made;
}

static void
draw(int draws)
{
    for (int i = 0; i < draws; i++)
        glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
one_target(GLuint framebuffer, GLuint other, const GLuint *color, GLuint image)
{
    static const GLenum depth[] = {GL_DEPTH_ATTACHMENT}, both[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT};
    /* bound again, with another one in between that nothing is drawn to: one pass */
    want_pass("render 64x64 color0=RGBA8:clear/,depth=DEPTH_COMPONENT24:clear/discard 3 0 0");
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw(1);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    draw(1);
    glBindFramebuffer(GL_FRAMEBUFFER, other);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color[0], 0);
    draw(1);
    glFlush(); /* handed over and then invalidated: still part of this pass */
    glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, depth);
    /* a read-back is a pass of its own, and ends the pass whose image it reads */
    want_pass("transfer - - 0 0 2");
    glReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glReadPixels(8, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    /* a clear after the first draw is no load */
    want_pass("render 64x64 color0=RGBA8,depth=DEPTH_COMPONENT24:discard/ 2 0 0");
    draw(1);
    glFlush();
    glClear(GL_COLOR_BUFFER_BIT);
    draw(1);
    /* another attachment */
    want_pass("render 64x64 color0=RGBA16F,depth=DEPTH_COMPONENT24 1 0 0");
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color[1], 0);
    draw(1);
    want_pass("render 64x64 color0=RGBA8:discard/,depth=DEPTH_COMPONENT24:discard/discard 1 0 0");
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color[0], 0);
    glInvalidateFramebuffer(GL_FRAMEBUFFER, 2, both);
    draw(1);
    /* actions after an invalidation load nothing; invalidating a part has no effect */
    glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, depth);
    want_pass("render 64x64 color0=RGBA8,depth=DEPTH_COMPONENT24:discard/ 2 0 0");
    draw(1);
    glInvalidateSubFramebuffer(GL_FRAMEBUFFER, 2, both, 0, 0, 4, 4);
    draw(1);
    /* an image that is defined again while it is attached */
    want_pass("render 64x64 color0=RGBA8,depth=DEPTH_COMPONENT16 1 0 0");
    glBindTexture(GL_TEXTURE_2D, image);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT16, SIZE, SIZE, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
                 NULL);
    draw(1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, SIZE, SIZE, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
                 NULL);
}

/* Another layer of the same image is another target. */
static void
layers(void)
{
    static GLuint framebuffer, image;
    if (!framebuffer) {
        glGenTextures(1, &image);
        glBindTexture(GL_TEXTURE_2D_ARRAY, image);
        glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, SIZE, SIZE, 2);
        glGenFramebuffers(1, &framebuffer);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    for (int layer = 0; layer < 2; layer++) {
        want_pass("render 64x64 color0=RGBA8 1 0 0");
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, image, 0, layer);
        draw(1);
    }
}

/* A framebuffer without images has its default size. */
static void
without_images(void)
{
    static GLuint framebuffer;
    if (!framebuffer) {
        glGenFramebuffers(1, &framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, 100);
        glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, 50);
    }
    want_pass("render 100x50 - 1 0 0");
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    draw(1);
}

static void
case_passes(EGLSurface surface)
{
    static const GLenum first[] = {GL_COLOR_ATTACHMENT0}, second[] = {GL_NONE, GL_COLOR_ATTACHMENT1};
    const GLfloat color[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    const GLuint colors[] = {texture(GL_TEXTURE_2D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
                             texture(GL_TEXTURE_2D, GL_RGBA16F, GL_RGBA, GL_FLOAT)};
    GLuint array, depth = texture(GL_TEXTURE_2D, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT);
    GLuint one = target_of(colors, 1, depth), two = target_of(colors, 2, depth);
    GLuint drawer = program(vertex_text, fragment_text, NULL);
    GLuint dispatcher = glCreateProgram();
    glAttachShader(dispatcher,
                   shader(GL_COMPUTE_SHADER, "#version 430\nlayout(local_size_x = 8) in;\nvoid main() {}\n"));
    glLinkProgram(dispatcher);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    (void)buffer(GL_ARRAY_BUFFER, sizeof(color), color);
    for (frame = 0; frame < FRAMES; frame++) {
        glUseProgram(drawer);
        one_target(one, two, colors, depth);
        /* the same attachments, other draw buffers */
        want_pass("render 64x64 color0=RGBA8,color1=RGBA16F:clear/,depth=DEPTH_COMPONENT24 1 0 0");
        glBindFramebuffer(GL_FRAMEBUFFER, two);
        glDrawBuffers(2, (const GLenum[]){GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1});
        glClearBufferfv(GL_COLOR, 1, color);
        draw(1);
        want_pass("render 64x64 color0=RGBA8,depth=DEPTH_COMPONENT24 2 0 1");
        glDrawBuffers(1, first);
        draw(1);
        glFinish(); /* uploading a buffer after the pass or before it belongs to the pass */
        glBufferData(GL_ARRAY_BUFFER, sizeof(color), color, GL_STREAM_DRAW);
        draw(1);
        want_pass("render 64x64 color1=RGBA16F,depth=DEPTH_COMPONENT24 1 0 0");
        glDrawBuffers(2, second);
        draw(1);
        /* blits and copies; a barrier ends nothing */
        want_pass("transfer - - 0 0 2");
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, one);
        glBlitFramebuffer(0, 0, 8, 8, 8, 8, 16, 16, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 0, 0);
        want_pass("compute - - 0 2 0");
        glUseProgram(dispatcher);
        glDispatchCompute(1, 1, 1);
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
        glDispatchCompute(1, 1, 1);
        glUseProgram(drawer);
        without_images();
        layers();
        want_pass("render 64x64 color0=RGBA8,depth_stencil=DEPTH24_STENCIL8:clear/ 2 0 0");
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        draw(1);
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
        draw(1);
        eglSwapBuffers(egl.display, surface);
    }
}

static unsigned
image_hash(void)
{
    unsigned hash = 2166136261U;
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (size_t i = 0; i < sizeof(pixels); i++)
        hash = (hash ^ pixels[i]) * 16777619U;
    return hash;
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(EGLSurface surface);
        int es, major, minor;
    } cases[] = {
        {"compat", case_compat, 0, 1, 0}, {"core", case_core, 0, 4, 5}, {"passes", case_passes, 0, 4, 5},
        {"es1", case_es1, 1, 1, 0},       {"es2", case_es2, 1, 2, 0},   {"es30", case_es30, 1, 3, 0},
        {"es31", case_es31, 1, 3, 1},     {"es32", case_es32, 1, 3, 2},
    };
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        const struct egl_open_want wanted = {
            .es = cases[i].es,
            .major = cases[i].major,
            .minor = cases[i].minor,
            .profile = cases[i].major > 3 ? EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT : 0,
            .depth_bits = 24,
            .stencil_bits = 8,
            .width = SIZE,
            .height = SIZE,
        };
        if (egl_open(&egl, &wanted)) {
            puts("no context");
            return 77;
        }
        glClear(GL_COLOR_BUFFER_BIT);
        cases[i].run(egl.surface);
        printf("image %x\n", image_hash());
        printf("error %x\n", glGetError());
        return 0;
    }
    return 2;
}
