/** @file
 * Random sequences of calls, the same for the same seed: `random_calls compat|core|es FIRST COUNT STEPS`.
 * Each makes a context, calls OpenGL, rightly and wrongly, and prints all that an application can see of it.
 * Knows nothing of passprobe. Undefined results and times are left out: feedback loops, contents that were
 * never written. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/egl_open.h"

#define SIZE    32
#define QUERIES 6
#define LISTS   6
#define SOURCE  GL_DEBUG_SOURCE_APPLICATION

enum { COMPAT = 1, CORE = 2, DESKTOP = COMPAT | CORE, ES = 4, ALL = 7 };

static const GLenum target[] = {
    GL_ANY_SAMPLES_PASSED,
    GL_ANY_SAMPLES_PASSED_CONSERVATIVE,
    GL_PRIMITIVES_GENERATED,
    GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
    GL_SAMPLES_PASSED,
    GL_VERTICES_SUBMITTED,
    GL_PRIMITIVES_SUBMITTED,
    GL_VERTEX_SHADER_INVOCATIONS,
    GL_CLIPPING_INPUT_PRIMITIVES,
    GL_CLIPPING_OUTPUT_PRIMITIVES,
    GL_COMPUTE_SHADER_INVOCATIONS,
    0x1234,
};

#define TARGETS (sizeof(target) / sizeof(target[0]))

/* State of one sequence. */
static struct {
    int mode;
    uint64_t random;
    struct egl_open egl;
    GLuint array, framebuffer, texture[2], buffer[3], program[2], feedback, query[QUERIES], lists;
    int compiled;       /* the list that is being compiled, else -1 */
    GLenum of[QUERIES]; /* the target for which each was last begun */
} my;

static unsigned
pick(unsigned below)
{
    my.random = my.random * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(my.random >> 33) % below;
}

static GLenum
primitive(void)
{
    static const GLenum mode[] = {GL_POINTS, GL_LINES, GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_PATCHES, 0x77};
    return mode[pick(8) ? pick(4) : pick(6)];
}

static uint32_t
hash(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint32_t sum = 2166136261U;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ byte[i]) * 16777619U;
    return sum;
}

/* Work. */

static void
draw(void)
{
    GLsizei count = pick(12) ? (GLsizei)pick(10) : -1;
    switch (pick(5)) {
    case 0:
        glDrawArrays(primitive(), (GLint)pick(4), count);
        break;
    case 1:
        glDrawElements(primitive(), count, pick(8) ? GL_UNSIGNED_SHORT : GL_FLOAT, NULL);
        break;
    case 2:
        glDrawArraysInstanced(primitive(), 0, count, (GLsizei)pick(4));
        break;
    case 3:
        glDrawArraysIndirect(primitive(), NULL);
        break;
    default:
        glDrawRangeElements(primitive(), 0, 9, count, GL_UNSIGNED_SHORT, NULL);
    }
}

static void
draw_desktop(void)
{
    const GLint first[2] = {0, 3};
    const GLsizei count[2] = {(GLsizei)pick(5), (GLsizei)pick(5)};
    if (pick(2))
        glMultiDrawArrays(primitive(), first, count, pick(9) ? 2 : -1);
    else
        glDrawTransformFeedback(primitive(), my.feedback);
}

static void
rectangle(void)
{
    glRectf(-0.5f, -0.5f, 0.1f * (float)pick(10), 0.5f);
}

static void
clear(void)
{
    const GLfloat color[4] = {0.1f * (float)pick(10), 0, 1, 1};
    if (pick(3))
        glClear(pick(8) ? GL_COLOR_BUFFER_BIT : 0x1);
    else
        glClearBufferfv(GL_COLOR, pick(6) ? 0 : 77, color);
}

static void
dispatch(void)
{
    glUseProgram(my.program[1]);
    glDispatchCompute(pick(8) ? 1 + pick(3) : 100000, 1, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glUseProgram(my.program[0]);
}

/* Lists and glBegin. */

static void
call_list(void)
{
    GLuint first = my.compiled < 0 ? 0 : (GLuint)my.compiled + 1;
    GLubyte some[3];
    if (first >= LISTS)
        return;
    for (int i = 0; i < 3; i++)
        some[i] = (GLubyte)(first + pick(LISTS - first));
    if (pick(3)) {
        glCallList(my.lists + some[0]);
    } else {
        glListBase(my.lists);
        glCallLists((GLsizei)pick(4), pick(8) ? GL_UNSIGNED_BYTE : 0x99, some);
    }
}

static void
new_list(void)
{
    unsigned list = pick(LISTS);
    if (my.compiled < 0)
        my.compiled = (int)list;
    glNewList(pick(9) ? my.lists + list : 0, pick(9) ? GL_COMPILE + pick(2) : 3);
}

static void
end_list(void)
{
    glEndList();
    my.compiled = -1;
}

static void
delete_list(void)
{
    if (pick(3) == 0)
        glDeleteLists(my.lists + pick(LISTS), 1);
}

static void finish(void);
static void begin_query(void);
static void end_query(void);

static void
inside(void)
{
    switch (pick(14)) {
    case 0:
        call_list();
        break;
    case 1:
        glClear(GL_COLOR_BUFFER_BIT);
        break;
    case 2:
        finish();
        break;
    case 3:
        draw();
        break;
    case 4:
        begin_query();
        break;
    case 5:
        end_query();
        break;
    case 6:
        if (my.compiled < 0)
            new_list();
        break;
    default:
        glVertex2f(0.2f * (float)pick(10) - 1, 0.2f * (float)pick(10) - 1);
    }
}

static void
begin_end(void)
{
    bool wrong = pick(3) == 0;
    glBegin(primitive());
    for (unsigned i = pick(8); i > 0; i--)
        if (wrong)
            inside();
        else
            glVertex2f(0.2f * (float)pick(10) - 1, 0.2f * (float)pick(10) - 1);
    if (pick(6))
        glEnd();
}

static void
end(void)
{
    glEnd();
}

/* Queries. */

static void
begin_query(void)
{
    unsigned i = pick(QUERIES), kind = pick(TARGETS);
    my.of[i] = target[kind];
    if (my.mode != ES && pick(3) == 0)
        glBeginQueryIndexed(target[kind], pick(3), my.query[i]);
    else
        glBeginQuery(target[kind], my.query[i]);
}

static void
end_query(void)
{
    unsigned kind = pick(TARGETS);
    if (my.mode != ES && pick(3) == 0)
        glEndQueryIndexed(target[kind], pick(3));
    else
        glEndQuery(target[kind]);
}

static void
query_result(void)
{
    unsigned i = pick(QUERIES);
    GLuint value = 77;
    glGetQueryObjectuiv(my.query[i], pick(9) ? GL_QUERY_RESULT : 0x99, &value);
    printf(" %x %u", my.of[i], value);
}

static void
current_query(void)
{
    unsigned kind = pick(TARGETS), of = 0;
    GLint value = 0;
    glGetQueryiv(target[kind], GL_CURRENT_QUERY, &value);
    while (of < QUERIES && my.query[of] != (GLuint)value)
        of++;
    printf(" %x %s%u", target[kind], value ? "some " : "none ", of);
}

static void
stamp(void)
{
    unsigned i = pick(QUERIES);
    glQueryCounter(my.query[i], pick(9) ? GL_TIMESTAMP : GL_TIME_ELAPSED);
    /* its result is a time, so the sequence uses it no more */
    glDeleteQueries(1, &my.query[i]);
    glGenQueries(1, &my.query[i]);
    my.of[i] = 0;
}

static void
conditional(void)
{
    if (my.compiled >= 0 || pick(2))
        glEndConditionalRender();
    else
        glBeginConditionalRender(my.query[pick(QUERIES)], GL_QUERY_WAIT);
}

static void
feedback(void)
{
    switch (pick(5)) {
    case 0:
    case 1:
        glBeginTransformFeedback(pick(2) ? GL_TRIANGLES : GL_POINTS);
        break;
    case 2:
        glPauseTransformFeedback();
        break;
    case 3:
        glResumeTransformFeedback();
        break;
    default:
        glEndTransformFeedback();
    }
}

/* Frames, waits, read-backs. */

static void
finish(void)
{
    if (pick(2))
        glFinish();
    else
        glFlush();
}

static void
swap(void)
{
    printf(" %d", (int)eglSwapBuffers(my.egl.display, my.egl.surface));
}

static void
release(void)
{
    if (pick(3))
        return;
    printf(" %d", (int)eglMakeCurrent(my.egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    printf(" %d", (int)eglMakeCurrent(my.egl.display, my.egl.surface, my.egl.surface, my.egl.context));
}

static void
read_pixels(void)
{
    uint32_t pixel[16 * 16] = {0};
    glReadPixels((GLint)pick(8), 0, 16, 16, pick(9) ? GL_RGBA : 0x12, GL_UNSIGNED_BYTE, pixel);
    printf(" %x", hash(pixel, sizeof(pixel)));
}

static void
copy(void)
{
    glBindTexture(GL_TEXTURE_2D, my.texture[1]);
    if (pick(2))
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 8, pick(8) ? 8 : 999);
    else
        glGenerateMipmap(pick(8) ? GL_TEXTURE_2D : 0x55);
}

static void
bind_framebuffer(void)
{
    glBindFramebuffer(pick(2) ? GL_FRAMEBUFFER : GL_DRAW_FRAMEBUFFER, pick(2) ? my.framebuffer : 0);
}

static void
blit(void)
{
    glBlitFramebuffer(0, 0, 8, 8, 8, 8, 16, pick(8) ? 16 : 24, GL_COLOR_BUFFER_BIT,
                      pick(8) ? GL_NEAREST : 0x77);
}

static void
groups(void)
{
    if (pick(2))
        glPushDebugGroup(pick(8) ? SOURCE : GL_DEBUG_SOURCE_API, 1, pick(8) ? -1 : 3, "group");
    else
        glPopDebugGroup();
}

static void
use_program(void)
{
    glUseProgram(pick(4) ? my.program[0] : pick(2) ? 0 : 999);
}

static void
get(void)
{
    static const GLenum what[] = {GL_DRAW_FRAMEBUFFER_BINDING,  GL_CURRENT_PROGRAM, GL_QUERY_BUFFER_BINDING,
                                  GL_DEBUG_GROUP_STACK_DEPTH,   GL_LIST_INDEX,      GL_LIST_MODE,
                                  GL_TRANSFORM_FEEDBACK_ACTIVE, GL_RENDER_MODE,     GL_DEBUG_LOGGED_MESSAGES,
                                  GL_PIXEL_PACK_BUFFER_BINDING};
    unsigned i = pick(sizeof(what) / sizeof(what[0]));
    GLint value = -7;
    glGetIntegerv(what[i], &value);
    printf(" %x %d", what[i], value);
}

static void
render_mode(void)
{
    static GLfloat words[1024];
    static GLuint names[256];
    if (pick(3))
        return;
    glFeedbackBuffer(1024, GL_2D, words);
    glSelectBuffer(256, names);
    printf(" %d", glRenderMode(pick(2) ? GL_RENDER : pick(2) ? GL_FEEDBACK : GL_SELECT));
}

static const struct {
    const char *name;
    int modes;
    void (*run)(void);
} calls[] = {
    {"draw", ALL, draw},
    {"draw", ALL, draw},
    {"draw_desktop", DESKTOP, draw_desktop},
    {"rectangle", COMPAT, rectangle},
    {"clear", ALL, clear},
    {"dispatch", ALL, dispatch},
    {"begin_end", COMPAT, begin_end},
    {"begin_end", COMPAT, begin_end},
    {"end", COMPAT, end},
    {"call_list", COMPAT, call_list},
    {"call_list", COMPAT, call_list},
    {"new_list", COMPAT, new_list},
    {"end_list", COMPAT, end_list},
    {"end_list", COMPAT, end_list},
    {"delete_list", COMPAT, delete_list},
    {"begin_query", ALL, begin_query},
    {"begin_query", ALL, begin_query},
    {"end_query", ALL, end_query},
    {"end_query", ALL, end_query},
    {"query_result", ALL, query_result},
    {"current_query", ALL, current_query},
    {"stamp", DESKTOP, stamp},
    {"conditional", DESKTOP, conditional},
    {"feedback", ALL, feedback},
    {"finish", ALL, finish},
    {"swap", ALL, swap},
    {"swap", ALL, swap},
    {"release", ALL, release},
    {"read_pixels", ALL, read_pixels},
    {"copy", ALL, copy},
    {"bind_framebuffer", ALL, bind_framebuffer},
    {"blit", ALL, blit},
    {"groups", ALL, groups},
    {"use_program", ALL, use_program},
    {"get", ALL, get},
    {"render_mode", COMPAT, render_mode},
};

/* The application that runs the sequences. */

static GLuint
shader(GLenum kind, const char *text)
{
    const GLchar *const part[] = {
        my.mode == ES ? "#version 320 es\nprecision highp float;\nprecision highp int;\n" : "#version 430\n",
        text};
    GLuint made = glCreateShader(kind);
    glShaderSource(made, 2, part, NULL);
    glCompileShader(made);
    return made;
}

static GLuint
program(GLuint first, GLuint second)
{
    const GLchar *out = "where";
    GLuint made = glCreateProgram();
    glAttachShader(made, first);
    if (second) {
        glAttachShader(made, second);
        glTransformFeedbackVaryings(made, 1, &out, GL_INTERLEAVED_ATTRIBS);
    }
    glLinkProgram(made);
    return made;
}

static void
fill_buffers(void)
{
    GLfloat point[32][2];
    GLushort number[16];
    static const GLubyte zeros[4096];
    const GLuint indirect[4] = {3, 2, 0, 0};
    for (int i = 0; i < 32; i++) {
        point[i][0] = (GLfloat)(i * 37 % 21 - 10) / 8;
        point[i][1] = (GLfloat)(i * 53 % 21 - 10) / 8;
    }
    for (int i = 0; i < 16; i++)
        number[i] = (GLushort)(i % 9);
    glGenBuffers(3, my.buffer);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, my.buffer[0]);
    glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof(indirect), indirect, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, my.buffer[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(number), number, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, my.buffer[2]);
    glBufferData(GL_ARRAY_BUFFER, sizeof(point), point, GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    GLuint more[2];
    glGenBuffers(2, more);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, more[0]);
    glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(zeros), zeros, GL_STATIC_DRAW);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, more[1]);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof(zeros), zeros, GL_STATIC_DRAW);
}

static void
set_up(void)
{
    static const uint32_t pixels[SIZE * SIZE];
    glGenVertexArrays(1, &my.array);
    glBindVertexArray(my.array);
    glGenTransformFeedbacks(1, &my.feedback);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, my.feedback);
    fill_buffers();
    glGenTextures(2, my.texture);
    for (int i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, my.texture[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    glGenFramebuffers(1, &my.framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, my.framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, my.texture[0], 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glGenQueries(QUERIES, my.query);
    my.program[0] = program(
        shader(GL_VERTEX_SHADER,
               "layout(location = 0) in vec4 at; out vec4 where;\n"
               "void main() { gl_Position = vec4(at.xy, 0.0, 1.0); gl_PointSize = 2.0; where = at; }"),
        shader(GL_FRAGMENT_SHADER, "in vec4 where; layout(location = 0) out vec4 color;\n"
                                   "void main() { color = vec4(1.0, 0.5, where.x * 0.0, 1.0); }"));
    my.program[1] =
        program(shader(GL_COMPUTE_SHADER,
                       "layout(local_size_x = 4) in; layout(std430, binding = 0) buffer B { uint sum[]; };\n"
                       "void main() { sum[gl_GlobalInvocationID.x] += 1u; }"),
                0);
    if (my.mode == COMPAT)
        my.lists = glGenLists(LISTS);
    glUseProgram(my.program[0]);
    printf("set up: error %x\n", glGetError());
}

static void
leave(void)
{
    uint32_t pixel[SIZE * SIZE] = {0};
    if (my.mode == COMPAT) {
        glEnd();
        while (glGetError())
            ;
        glEndList();
        (void)glRenderMode(GL_RENDER);
    }
    glEndTransformFeedback();
    for (size_t i = 0; i < TARGETS; i++)
        glEndQuery(target[i]);
    if (my.mode != ES)
        glEndConditionalRender();
    while (glGetError())
        ;
    for (unsigned i = 0; i < QUERIES; i++) {
        GLuint value = 77;
        glGetQueryObjectuiv(my.query[i], GL_QUERY_RESULT, &value);
        printf("query %u: %x %u error %x\n", i, my.of[i], value, glGetError());
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    printf("image %x error %x\n", hash(pixel, sizeof(pixel)), glGetError());
    eglMakeCurrent(my.egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(my.egl.display, my.egl.context);
    eglDestroySurface(my.egl.display, my.egl.surface);
}

static void
play(const struct egl_open_want *want, unsigned seed, int steps)
{
    my.random = seed * 7919U + 13U;
    my.compiled = -1;
    memset(my.of, 0, sizeof(my.of));
    my.egl.surface = egl_open_surface(&my.egl, want);
    my.egl.context = egl_open_context(&my.egl, want, EGL_NO_CONTEXT);
    if (!eglMakeCurrent(my.egl.display, my.egl.surface, my.egl.surface, my.egl.context)) {
        puts("no context");
        exit(77);
    }
    printf("seed %u\n", seed);
    set_up();
    for (int step = 0; step < steps;) {
        unsigned i = pick(sizeof(calls) / sizeof(calls[0]));
        if (!(calls[i].modes & my.mode))
            continue;
        printf("%d %s:", step++, calls[i].name);
        calls[i].run();
        if (pick(3))
            printf(" error %x", glGetError());
        puts("");
    }
    leave();
    printf("end %u\n", seed);
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    my.mode = strcmp(argv[1], "es") == 0 ? ES : strcmp(argv[1], "core") == 0 ? CORE : COMPAT;
    const struct egl_open_want want = {
        .es = my.mode == ES,
        .major = my.mode == ES ? 3 : 4,
        .minor = my.mode == ES ? 2 : 5,
        .profile = my.mode == ES     ? 0
                   : my.mode == CORE ? EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT
                                     : EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
        .width = SIZE,
        .height = SIZE,
    };
    if (egl_open_display(&my.egl, &want)) {
        puts("no EGL");
        return 77;
    }
    unsigned first = (unsigned)strtoul(argv[2], NULL, 10), seeds = (unsigned)strtoul(argv[3], NULL, 10);
    for (unsigned i = 0; i < seeds; i++)
        play(&want, first + i, atoi(argv[4]));
    return 0;
}
