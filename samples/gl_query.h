/** @file
 * Measuring passes by hand, as a GL application would do it: two timestamps and every pipeline statistic
 * around each pass, read four frames later. The cost of a profiler is compared with the cost of these
 * queries. */
#ifndef SAMPLES_GL_QUERY_H
#define SAMPLES_GL_QUERY_H

#include <epoxy/gl.h>
#include <stdbool.h>

#include "samples/scene.h"

#define GL_QUERY_FRAMES 4 /**< frames under way before results are read */

/** Queries of the frames under way and what was read so far. */
struct gl_query {
    bool es;         /**< OpenGL ES: timestamps only, by GL_EXT_disjoint_timer_query */
    unsigned frames; /**< frames read */
    bool unequal;    /**< a frame had other counts than the first one */
    GLuint time[GL_QUERY_FRAMES][SCENE_PASSES][2];
    GLuint count[GL_QUERY_FRAMES][SCENE_PASSES][SCENE_COUNTS];
    uint64_t least_ns[SCENE_PASSES];              /**< shortest time of any frame */
    uint64_t counted[SCENE_PASSES][SCENE_COUNTS]; /**< of the first frame */
};

/** Create the queries. @return 0, or -1 after a message when the context lacks them. */
int gl_query_init(struct gl_query *it, bool es);

/** Begin to measure a pass of frame @p frame; reads what its slot held before. */
void gl_query_begin(struct gl_query *it, unsigned frame, enum scene_pass pass);

/** End the measurement of a pass. */
void gl_query_end(struct gl_query *it, unsigned frame, enum scene_pass pass);

/** Read all queries that are under way. @param frames Number of frames that were drawn. */
void gl_query_drain(struct gl_query *it, unsigned frames);

/** Delete the queries. */
void gl_query_finish(struct gl_query *it);

#endif
