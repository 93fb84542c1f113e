/** @file
 * Brackets as OpenGL queries. A bracket is two TIMESTAMP counters with the pipeline statistics between them.
 * TIME_ELAPSED is never used, because the application may have such a query active. Neighbouring draws do not
 * share a timestamp: time between two draws, such as the GPU's wait for the driver's next submission, would
 * count as time of the later draw. Neighbouring passes share one: the first ends in the call that begins the
 * second, so nothing is between them. With statistics or hardware counters, their queries do. readback.h
 * reads the queries that are written here. */
#ifndef PP_HOOKS_MEASURE_BRACKET_H
#define PP_HOOKS_MEASURE_BRACKET_H

#include "hooks/base/context.h"

/** The query objects of a slot, in this order: begin, end, one per statistic. */
static inline const GLuint *
pp_gl_names(const struct pp_gl_context *ctx, uint32_t slot)
{
    return &ctx->pool.name[(size_t)slot * ctx->pool.names];
}

/** Core's interface: write the begin or the end of bracket @p number in the current context. */
void pp_gl_bracket_begin(void *user, uint32_t number, enum pp_pass_kind kind);
void pp_gl_bracket_end(void *user, uint32_t number, enum pp_pass_kind kind);

/** Write the begin (@p end 0) or the end (@p end 1) of an open bracket as a query in the current context. */
void pp_gl_bracket_stamp(struct pp_gl_context *ctx, uint32_t number, unsigned end);

/** Write a timestamp into query object @p name. */
void pp_gl_timestamp(const struct pp_gl_context *ctx, GLuint name);

/** Mesa collects the vertices of glBegin, and draws them when state changes or its buffer is full. A
 * timestamp is no such change: it would come before the draw. So make the driver draw what it has collected.
 */
void pp_gl_submit_collected(struct pp_gl_context *ctx);

/** Do brackets of actions have timestamps? Not on deferred renderers, where two timestamps in one scene would
 * be equal: see deferred_renderer.h. */
bool pp_gl_actions_have_times(const struct pp_gl_device *device);

/** End the statistics queries that run, if any. */
void pp_gl_statistics_end(struct pp_gl_context *ctx);

/** Under --serialize: wait for the work of this context that no bracket waited for, so that this work does
 * not overlap with passes of other contexts later. The context must be current. */
void pp_gl_wait_unwaited(struct pp_gl_context *ctx);

/** Time of the GPU's clock, now. */
uint64_t pp_gl_clock(const struct pp_gl_context *ctx);

#endif
