/** @file
 * Hand-written queries; see gl_query.h. */
#include "samples/gl_query.h"

#include <stdio.h>
#include <string.h>

static const GLenum target[SCENE_COUNTS] = {
    [SCENE_VERTICES] = GL_VERTICES_SUBMITTED_ARB,
    [SCENE_PRIMITIVES] = GL_PRIMITIVES_SUBMITTED_ARB,
    [SCENE_VERTEX_INVOCATIONS] = GL_VERTEX_SHADER_INVOCATIONS_ARB,
    [SCENE_GEOMETRY_INVOCATIONS] = GL_GEOMETRY_SHADER_INVOCATIONS,
    [SCENE_GEOMETRY_PRIMITIVES] = GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED_ARB,
    [SCENE_CLIPPING_INVOCATIONS] = GL_CLIPPING_INPUT_PRIMITIVES_ARB,
    [SCENE_CLIPPING_PRIMITIVES] = GL_CLIPPING_OUTPUT_PRIMITIVES_ARB,
    [SCENE_FRAGMENT_INVOCATIONS] = GL_FRAGMENT_SHADER_INVOCATIONS_ARB,
    [SCENE_TESS_CONTROL_PATCHES] = GL_TESS_CONTROL_SHADER_PATCHES_ARB,
    [SCENE_TESS_EVALUATION_INVOCATIONS] = GL_TESS_EVALUATION_SHADER_INVOCATIONS_ARB,
    [SCENE_COMPUTE_INVOCATIONS] = GL_COMPUTE_SHADER_INVOCATIONS_ARB,
};

int
gl_query_init(struct gl_query *it, bool es)
{
    const char *missing = NULL;
    memset(it, 0, sizeof(*it));
    it->es = es;
    if (es && !epoxy_has_gl_extension("GL_EXT_disjoint_timer_query"))
        missing = "GL_EXT_disjoint_timer_query";
    else if (!es && !epoxy_has_gl_extension("GL_ARB_pipeline_statistics_query"))
        missing = "GL_ARB_pipeline_statistics_query";
    if (missing) {
        fprintf(stderr, "--query: the driver has no %s\n", missing);
        return -1;
    }
    glGenQueries(sizeof(it->time) / sizeof(GLuint), &it->time[0][0][0]);
    glGenQueries(sizeof(it->count) / sizeof(GLuint), &it->count[0][0][0]);
    return 0;
}

static uint64_t
result(const struct gl_query *it, GLuint query)
{
    GLuint64 value = 0;
    if (it->es)
        glGetQueryObjectui64vEXT(query, GL_QUERY_RESULT, &value);
    else
        glGetQueryObjectui64v(query, GL_QUERY_RESULT, &value);
    return value;
}

static void
read_pass(struct gl_query *it, unsigned slot, int pass)
{
    uint64_t length_ns = result(it, it->time[slot][pass][1]) - result(it, it->time[slot][pass][0]);
    if (it->frames == 0 || length_ns < it->least_ns[pass])
        it->least_ns[pass] = length_ns;
    for (int i = 0; i < SCENE_COUNTS && !it->es; i++) {
        uint64_t value = result(it, it->count[slot][pass][i]);
        if (it->frames == 0)
            it->counted[pass][i] = value;
        else if (it->counted[pass][i] != value)
            it->unequal = true;
    }
    if (pass == SCENE_PASSES - 1)
        it->frames++;
}

static void
stamp(const struct gl_query *it, GLuint query)
{
    if (it->es)
        glQueryCounterEXT(query, GL_TIMESTAMP);
    else
        glQueryCounter(query, GL_TIMESTAMP);
}

void
gl_query_begin(struct gl_query *it, unsigned frame, enum scene_pass pass)
{
    unsigned slot = frame % GL_QUERY_FRAMES;
    if (frame >= GL_QUERY_FRAMES)
        read_pass(it, slot, (int)pass);
    stamp(it, it->time[slot][pass][0]);
    for (int i = 0; i < SCENE_COUNTS && !it->es; i++)
        glBeginQuery(target[i], it->count[slot][pass][i]);
}

void
gl_query_end(struct gl_query *it, unsigned frame, enum scene_pass pass)
{
    unsigned slot = frame % GL_QUERY_FRAMES;
    for (int i = 0; i < SCENE_COUNTS && !it->es; i++)
        glEndQuery(target[i]);
    stamp(it, it->time[slot][pass][1]);
}

void
gl_query_drain(struct gl_query *it, unsigned frames)
{
    while (it->frames < frames) {
        unsigned slot = it->frames % GL_QUERY_FRAMES;
        for (int pass = 0; pass < SCENE_PASSES; pass++)
            read_pass(it, slot, pass);
    }
}

void
gl_query_finish(struct gl_query *it)
{
    glDeleteQueries(sizeof(it->time) / sizeof(GLuint), &it->time[0][0][0]);
    glDeleteQueries(sizeof(it->count) / sizeof(GLuint), &it->count[0][0][0]);
}
