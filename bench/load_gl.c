/** @file
 * passprobe-load-gl: many tiny draws in each frame of OpenGL, without display; the call-bound load. */
#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/load.h"
#include "bench/load_annotate.h"
#include "bench/load_gl_perf.h"
#include "bench_shaders.h"
#include "samples/gl_context.h"
#include "samples/gl_program.h"

#define FRAMES_UNDER_WAY 4

static const GLenum statistic[LOAD_STATISTICS] = {
    GL_VERTICES_SUBMITTED_ARB,
    GL_PRIMITIVES_SUBMITTED_ARB,
    GL_VERTEX_SHADER_INVOCATIONS_ARB,
    GL_TESS_CONTROL_SHADER_PATCHES_ARB,
    GL_TESS_EVALUATION_SHADER_INVOCATIONS_ARB,
    GL_GEOMETRY_SHADER_INVOCATIONS,
    GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED_ARB,
    GL_FRAGMENT_SHADER_INVOCATIONS_ARB,
    GL_COMPUTE_SHADER_INVOCATIONS_ARB,
    GL_CLIPPING_INPUT_PRIMITIVES_ARB,
    GL_CLIPPING_OUTPUT_PRIMITIVES_ARB,
};

/* Objects to draw with, and the hand-written queries. */
struct load {
    const struct load_options *options;
    GLuint program, array;
    GLuint texture[LOAD_PASSES_MAX], target[LOAD_PASSES_MAX];
    GLuint time[FRAMES_UNDER_WAY][LOAD_PASSES_MAX][2];
    GLuint count[FRAMES_UNDER_WAY][LOAD_PASSES_MAX][LOAD_STATISTICS];
    unsigned times, counts;         /* queries of a draw: its begin and end, statistics */
    GLuint *draw[FRAMES_UNDER_WAY]; /* queries for each draw, where draws are measured */
    GLuint64 *got; /* results of the last frame that was read; a measuring tool keeps them, too */
    GLuint64 sum;  /* so that results are used */
};

/* Does the load use the vendors' extensions by hand? */
static bool
monitors(const struct load_options *options)
{
    return options->query == LOAD_QUERY_AMD || options->query == LOAD_QUERY_INTEL;
}

static size_t
names_of_draw(const struct load *it)
{
    return (size_t)it->times + it->counts;
}

/* Make queries for every draw of all frames in flight. */
static int
create_draws(struct load *it)
{
    it->times = it->options->query != LOAD_QUERY_DRAW_COUNT ? 2 : 0;
    it->counts = it->options->query != LOAD_QUERY_DRAW_TIME ? LOAD_STATISTICS : 0;
    size_t names = (size_t)it->options->draws * names_of_draw(it);
    it->got = calloc(names, sizeof(*it->got));
    for (int slot = 0; slot < FRAMES_UNDER_WAY; slot++) {
        it->draw[slot] = calloc(names, sizeof(GLuint));
        if (!it->got || !it->draw[slot])
            return -1;
        glGenQueries((GLsizei)names, it->draw[slot]);
    }
    return 0;
}

static int
create(struct load *it)
{
    const struct gl_stage stage[] = {
        {GL_VERTEX_SHADER, shader_post_vert}, {GL_FRAGMENT_SHADER, shader_plain_frag}, {0, NULL}};
    GLsizei passes = (GLsizei)it->options->passes;
    it->program = gl_program_create(false, stage);
    if (!it->program)
        return -1;
    glUseProgram(it->program);
    glGenVertexArrays(1, &it->array);
    glBindVertexArray(it->array);
    glViewport(0, 0, LOAD_SIZE, LOAD_SIZE);
    glGenTextures(passes, it->texture);
    glGenFramebuffers(passes, it->target);
    for (GLsizei i = 0; i < passes; i++) {
        glBindTexture(GL_TEXTURE_2D, it->texture[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, LOAD_SIZE, LOAD_SIZE);
        glBindFramebuffer(GL_FRAMEBUFFER, it->target[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, it->texture[i], 0);
    }
    if (monitors(it->options) && load_perf_create(it->options->query == LOAD_QUERY_AMD, FRAMES_UNDER_WAY) < 0)
        return -1;
    if (it->options->query == LOAD_QUERY_NONE)
        return 0;
    glGenQueries(sizeof(it->time) / sizeof(GLuint), &it->time[0][0][0]);
    glGenQueries(sizeof(it->count) / sizeof(GLuint), &it->count[0][0][0]);
    return it->options->query >= LOAD_QUERY_DRAW ? create_draws(it) : 0;
}

static GLuint64
result(GLuint query)
{
    GLuint64 value = 0;
    glGetQueryObjectui64v(query, GL_QUERY_RESULT, &value);
    return value;
}

static void
query_begin(struct load *it, unsigned slot, unsigned pass, bool reused)
{
    bool counts = it->options->query == LOAD_QUERY_PASS;
    if (reused)
        it->sum += result(it->time[slot][pass][1]) - result(it->time[slot][pass][0]);
    for (int i = 0; i < LOAD_STATISTICS && counts && reused; i++)
        it->sum += result(it->count[slot][pass][i]);
    glQueryCounter(it->time[slot][pass][0], GL_TIMESTAMP);
    for (int i = 0; i < LOAD_STATISTICS && counts; i++)
        glBeginQuery(statistic[i], it->count[slot][pass][i]);
}

static void
query_end(const struct load *it, unsigned slot, unsigned pass)
{
    for (int i = 0; i < LOAD_STATISTICS && it->options->query == LOAD_QUERY_PASS; i++)
        glEndQuery(statistic[i]);
    glQueryCounter(it->time[slot][pass][1], GL_TIMESTAMP);
}

/* A draw with the queries that passprobe makes of it at level draw: their results of four frames ago are kept
 * in memory, then they are written again. Nothing is written to a file. */
static void
measured_draw(const struct load *it, const GLuint *name, GLuint64 *got, bool reused)
{
    unsigned times = it->times, counts = it->counts;
    for (unsigned i = 0; i < times + counts && reused; i++)
        got[i] = result(name[i]);
    for (unsigned i = 0; i < counts; i++)
        glBeginQuery(statistic[i], name[times + i]);
    if (times)
        glQueryCounter(name[0], GL_TIMESTAMP);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (times)
        glQueryCounter(name[1], GL_TIMESTAMP);
    for (unsigned i = 0; i < counts; i++)
        glEndQuery(statistic[i]);
}

static void
frame(struct load *it, unsigned number)
{
    unsigned slot = number % FRAMES_UNDER_WAY;
    bool reused = number >= FRAMES_UNDER_WAY;
    bool perf = monitors(it->options);
    bool times = it->options->query >= LOAD_QUERY_PASS && (!perf || it->options->times);
    size_t at = 0, step = names_of_draw(it);
    if (it->options->query == LOAD_QUERY_FRAME)
        query_begin(it, slot, 0, reused);
    for (unsigned pass = 0; pass < it->options->passes; pass++) {
        unsigned draws = load_share(it->options, pass);
        glBindFramebuffer(GL_FRAMEBUFFER, it->target[pass]);
        if (times)
            query_begin(it, slot, pass, reused);
        if (perf)
            it->sum += load_perf_begin(slot, pass, reused);
        for (unsigned i = 0; i < draws && !it->draw[slot]; i++)
            glDrawArrays(GL_TRIANGLES, 0, 3);
        for (unsigned i = 0; i < draws && it->draw[slot]; i++, at += step)
            measured_draw(it, &it->draw[slot][at], &it->got[at], reused);
        if (perf)
            load_perf_end(slot, pass);
        if (times)
            query_end(it, slot, pass);
    }
    if (it->options->query == LOAD_QUERY_FRAME)
        query_end(it, slot, 0);
}

int
main(int argc, char **argv)
{
    static struct load load;
    static struct load_options options;
    struct load_clock clock = {0};
    const struct gl_context_want want = {.width = LOAD_SIZE, .height = LOAD_SIZE};
    struct gl_context context;
    int status = load_parse(false, argc, argv, &options);
    if (status >= 0)
        return status;
    load.options = &options;
    if (gl_context_init(&context, &want) < 0)
        return 1;
    if (create(&load) < 0)
        return 1;
    while (load_next(&clock, &options)) {
        frame(&load, clock.frame - 1);
        if (options.flush)
            glFlush();
        gl_context_end_frame(&context);
    }
    load_print(&clock, &options);
    if (options.annotate)
        load_annotate_print();
    for (int slot = 0; slot < FRAMES_UNDER_WAY; slot++)
        free(load.draw[slot]);
    for (size_t i = 0; load.got && i < options.draws * names_of_draw(&load); i++)
        load.sum += load.got[i];
    free(load.got);
    if (load.sum == 1) /* never true; the compiler must not drop the results */
        fprintf(stderr, "one nanosecond\n");
    gl_context_finish(&context);
    return 0;
}
