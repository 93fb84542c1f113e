/** @file
 * Calls that the driver refuses, and calls that change state without naming it: `driver_errors CASE`. Frames
 * end at glFinish. Prints what the application sees. Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/egl_open.h"
#include "spirv_frag.h"
#include "spirv_vert.h"

#define SIZE   64
#define FRAMES 4

static const char vertex_text[] = "#version 150\nvoid main() { gl_Position = vec4(gl_VertexID, 0, 0, 1); }";
static const char fragment_text[] = "#version 150\nout vec4 color; void main() { color = vec4(1); }";

static void
start(int core)
{
    const struct egl_open_want want = {.major = core ? 4 : 0, .minor = core ? 5 : 0};
    struct egl_open egl;
    if (egl_open(&egl, &want)) {
        puts("no context");
        exit(77);
    }
}

static void
show(const char *what)
{
    printf("%s: error %x\n", what, glGetError());
}

static GLuint
image(void)
{
    GLuint made;
    glGenTextures(1, &made);
    glBindTexture(GL_TEXTURE_2D, made);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    return made;
}

/* A framebuffer with a number of images; 0: an incomplete one. */
static GLuint
framebuffer(int images)
{
    GLuint made;
    glGenFramebuffers(1, &made);
    glBindFramebuffer(GL_FRAMEBUFFER, made);
    for (int i = 0; i < images; i++)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + (GLenum)i, GL_TEXTURE_2D, image(), 0);
    return made;
}

static GLuint
program(const char *feedback)
{
    const GLchar *const text[] = {vertex_text, fragment_text};
    GLuint made = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &text[i], NULL);
        glCompileShader(shader);
        glAttachShader(made, shader);
    }
    if (feedback)
        glTransformFeedbackVaryings(made, 1, &feedback, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(made);
    return made;
}

static void
triangle(void)
{
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 3; i++)
        glVertex2f((float)(i == 1), (float)(i == 2));
    glEnd();
}

/* A glBegin that is refused is never ended. */

static void
frames_of_one(int core)
{
    for (int frame = 0; frame < FRAMES; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        if (core)
            glDrawArrays(GL_TRIANGLES, 0, 3);
        else
            triangle();
        glFinish();
        show("frame");
    }
}

static void
case_begin_incomplete(void)
{
    start(0);
    GLuint good = framebuffer(1);
    (void)framebuffer(0);
    glBegin(GL_TRIANGLES);
    show("begin");
    glBindFramebuffer(GL_FRAMEBUFFER, good);
    frames_of_one(0);
}

static void
case_begin_core(void)
{
    start(1);
    GLuint array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    (void)framebuffer(1);
    glUseProgram(program(NULL));
    glBegin(GL_TRIANGLES);
    show("begin");
    glNewList(1, GL_COMPILE);
    show("list");
    frames_of_one(1);
}

/* The driver refuses glBegin for a reason that is invisible from outside. */
static void
case_begin_unseen(void)
{
    GLuint pipeline;
    start(0);
    (void)framebuffer(1);
    glGenProgramPipelines(1, &pipeline);
    glBindProgramPipeline(pipeline);
    const GLchar *text = vertex_text;
    GLuint separate = glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &text);
    glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, separate);
    /* a program that is not separable any more invalidates the pipeline */
    glProgramParameteri(separate, GL_PROGRAM_SEPARABLE, GL_FALSE);
    glLinkProgram(separate);
    glBegin(GL_TRIANGLES);
    show("begin");
    glBindProgramPipeline(0);
    frames_of_one(1); /* no call in these lists ends a glBegin */
    frames_of_one(1);
}

/* As above; a list is in the glBegin that was refused, and continues after the glEnd. */
static void
case_begin_list(void)
{
    GLuint buffer;
    start(0);
    (void)framebuffer(1);
    glUseProgram(program("gl_Position"));
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 4096, NULL, GL_STATIC_DRAW);
    triangle();
    for (GLuint i = 0; i < 4; i++) {
        glBeginTransformFeedback(GL_POINTS);
        glBegin(GL_TRIANGLES);
        show("begin");
        glNewList(1 + i, i % 2 ? GL_COMPILE_AND_EXECUTE : GL_COMPILE);
        glVertex2f(0, 0);
        glEnd();
        show("end");
        glEndTransformFeedback();
        glRectf(0, 0, 1, 1);
        glFinish();
        triangle();
        glEndList();
        show("list");
        if (i % 2 == 0)
            glCallList(1 + i);
        glRectf(0, 0, 1, 1);
        show("called");
        glFinish();
        show("frame");
    }
    frames_of_one(0);
}

static void
case_list(void)
{
    start(0);
    (void)framebuffer(1);
    glNewList(0, GL_COMPILE);
    show("no name");
    glNewList(1, GL_LINES);
    show("no mode");
    frames_of_one(0);
}

/* Programs. */

static void
case_programs(void)
{
    start(1);
    GLuint array, feedback, unlinked = glCreateProgram(), good = program(NULL),
                            other = program("gl_Position");
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(1, &feedback);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, feedback);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 4096, NULL, GL_STREAM_COPY);
    (void)framebuffer(1);
    glObjectLabel(GL_PROGRAM, good, -1, "good");
    glObjectLabel(GL_PROGRAM, other, -1, "other");
    for (int frame = 0; frame < FRAMES; frame++) {
        glUseProgram(good);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glUseProgram(unlinked);
        show("unlinked");
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glUseProgram(12345);
        show("made up");
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glUseProgram(other);
        glBeginTransformFeedback(GL_TRIANGLES);
        glUseProgram(good);
        show("while transform feedback is active");
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glEndTransformFeedback();
        glFinish();
    }
}

static void
case_deleted(void)
{
    start(1);
    GLuint array, made = program(NULL);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    (void)framebuffer(1);
    glUseProgram(made);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == 2)
            glDeleteProgram(made);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFinish();
    }
    glUseProgram(0);
    glUseProgram(made);
    show("deleted");
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glFinish();
}

/* Shaders are detached and linked again, an attachment is refused, sources are not compiled, a link fails:
 * the program in use stays the same. */
static void
case_relinked(void)
{
    start(1);
    const GLchar *const wrong = "nothing";
    GLuint array, shader[2], made = program(NULL);
    GLsizei shaders = 0;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    (void)framebuffer(1);
    glGetAttachedShaders(made, 2, &shaders, shader);
    glUseProgram(made);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == 1) {
            glDetachShader(made, shader[0]);
            glAttachShader(made, shader[0]);
            glLinkProgram(made);
        }
        if (frame == 2) {
            glAttachShader(made, shader[1]);
            show("attached twice");
            glLinkProgram(made);
            glShaderSource(shader[1], 1, &wrong, NULL);
            glLinkProgram(made);
        }
        if (frame == 3) {
            glCompileShader(shader[1]);
            glLinkProgram(made);
            show("failed");
        }
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFinish();
    }
}

/* A binary of a shader program, as engines keep it, and a binary that is none. */
static void
case_binary(void)
{
    static unsigned char bytes[1 << 20];
    start(1);
    GLuint array, made[3];
    GLint formats = 0;
    GLsizei length = 0;
    GLenum format = 0;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    (void)framebuffer(1);
    made[0] = program(NULL);
    glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
    if (formats)
        glGetProgramBinary(made[0], sizeof(bytes), &length, &format, bytes);
    if (!length) {
        puts("no binaries");
        exit(77);
    }
    glGetError();
    for (int i = 1; i < 3; i++) {
        made[i] = glCreateProgram();
        glProgramBinary(made[i], format, bytes, length);
    }
    for (int i = 0; i < 3; i++) {
        glUseProgram(made[i]);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFinish();
    }
    glProgramBinary(made[2], format, "none", 4);
    show("end");
}

/* Programs of SPIR-V modules. */

static GLuint
module_shader(GLenum kind, const void *words, size_t size, GLuint constants, GLuint green)
{
    static PFNGLSPECIALIZESHADERARBPROC specialize;
    const GLuint index = 3;
    GLuint made = glCreateShader(kind);
    if (!specialize)
        specialize = (PFNGLSPECIALIZESHADERARBPROC)eglGetProcAddress("glSpecializeShaderARB");
    glShaderBinary(1, &made, GL_SHADER_BINARY_FORMAT_SPIR_V, words, (GLsizei)size);
    specialize(made, "main", constants, &index, &green);
    return made;
}

/* `green`: the bits of a specialization constant; 0: as in the module; 1: as in another module, whose
 * generator is another tool. */
static GLuint
module_program(GLuint green)
{
    static uint32_t other[sizeof(spirv_frag) / sizeof(spirv_frag[0])];
    const uint32_t *words = green == 1 ? other : spirv_frag;
    GLuint made = glCreateProgram();
    memcpy(other, spirv_frag, sizeof(other));
    other[2] ^= 1;
    green = green == 1 ? 0 : green;
    glAttachShader(made, module_shader(GL_VERTEX_SHADER, spirv_vert, sizeof(spirv_vert), 0, 0));
    glAttachShader(made, module_shader(GL_FRAGMENT_SHADER, words, sizeof(spirv_frag), green != 0, green));
    glLinkProgram(made);
    return made;
}

static void
draw_modules(int backwards)
{
    static const GLuint green[] = {0, 0x3f800000, 0, 0x3f000000, 1};
    GLuint array, made[5];
    GLint count = 0, modules = 0, linked = 0;
    start(1);
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (int i = 0; i < count; i++)
        modules |= strcmp((const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i), "GL_ARB_gl_spirv") == 0;
    if (!modules) {
        puts("no SPIR-V");
        exit(77);
    }
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    (void)framebuffer(1);
    glViewport(0, 0, SIZE, SIZE);
    for (int i = 0; i < 5; i++) {
        int which = backwards ? 4 - i : i;
        made[which] = module_program(green[which]);
    }
    for (int i = 0; i < 5; i++) {
        unsigned char pixel[4] = {0};
        glUseProgram(made[i]);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        glGetProgramiv(made[i], GL_LINK_STATUS, &linked);
        printf("linked %d green %d\n", linked, pixel[1]);
        glFinish();
    }
    show("end");
}

static void
case_spirv(void)
{
    draw_modules(0);
}

static void
case_spirv_backwards(void)
{
    draw_modules(1);
}

/* Groups. */

static void
push(GLenum source, GLsizei length, const char *text)
{
    glPushDebugGroup(source, 1, length, text);
    printf("push %.8s: error %x\n", text, glGetError());
}

static void
case_groups(void)
{
    static char longest[8192];
    start(0);
    (void)framebuffer(1);
    memset(longest, 'x', sizeof(longest) - 1);
    for (int frame = 0; frame < FRAMES; frame++) {
        triangle();
        push(GL_DEBUG_SOURCE_APPLICATION, -1, "A");
        triangle();
        push(GL_DEBUG_SOURCE_API, -1, "of the driver");
        push(GL_DEBUG_SOURCE_APPLICATION, -1, longest);
        push(GL_DEBUG_SOURCE_APPLICATION, sizeof(longest), longest);
        triangle();
        push(GL_DEBUG_SOURCE_THIRD_PARTY, 1, "Bis cut");
        triangle();
        glPopDebugGroup();
        glPopDebugGroup();
        for (int i = 0; i < 70; i++)
            push(GL_DEBUG_SOURCE_APPLICATION, -1, "d");
        for (int i = 0; i < 63; i++)
            glPopDebugGroup();
        show("all closed");
        triangle();
        glPopDebugGroup();
        show("one too many");
        push(GL_DEBUG_SOURCE_APPLICATION, 0, "none of it");
        triangle();
        glPopDebugGroup();
        /* a list keeps no groups: they are opened at once */
        glNewList(1, GL_COMPILE);
        push(GL_DEBUG_SOURCE_APPLICATION, -1, "L");
        glEndList();
        GLint depth = 0;
        glGetIntegerv(GL_DEBUG_GROUP_STACK_DEPTH, &depth);
        printf("depth %d\n", depth);
        triangle();
        glPopDebugGroup();
        glFinish();
    }
}

/* State that is restored without being named. */

static void
case_buffers(void)
{
    start(0);
    (void)framebuffer(2);
    glNewList(1, GL_COMPILE);
    glDrawBuffer(GL_COLOR_ATTACHMENT1);
    glEndList();
    for (int frame = 0; frame < FRAMES; frame++) {
        glDrawBuffer(GL_COLOR_ATTACHMENT0);
        triangle();
        glPushAttrib(GL_COLOR_BUFFER_BIT);
        glDrawBuffer(GL_COLOR_ATTACHMENT1);
        triangle();
        glPopAttrib();
        triangle();
        glCallList(1);
        triangle();
        glFinish();
    }
    show("end");
}

static void
case_pixels(void)
{
    start(0);
    GLuint buffer;
    (void)framebuffer(1);
    for (int frame = 0; frame < FRAMES; frame++) {
        glGenBuffers(1, &buffer);
        triangle();
        glPushClientAttrib(GL_CLIENT_PIXEL_STORE_BIT);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
        glBufferData(GL_PIXEL_UNPACK_BUFFER, 4 * SIZE * SIZE, NULL, GL_STREAM_DRAW);
        glPopClientAttrib();
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
        glPushClientAttrib(GL_CLIENT_PIXEL_STORE_BIT);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        glPopClientAttrib();
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glDeleteBuffers(1, &buffer);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glFinish();
    }
    show("end");
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"begin_incomplete", case_begin_incomplete},
        {"begin_core", case_begin_core},
        {"begin_unseen", case_begin_unseen},
        {"begin_list", case_begin_list},
        {"list", case_list},
        {"programs", case_programs},
        {"deleted", case_deleted},
        {"relinked", case_relinked},
        {"binary", case_binary},
        {"spirv", case_spirv},
        {"spirv_backwards", case_spirv_backwards},
        {"groups", case_groups},
        {"buffers", case_buffers},
        {"pixels", case_pixels},
    };
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
