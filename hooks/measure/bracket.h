/** @file
 * Brackets as OpenGL queries. A bracket is two TIMESTAMP counters and the pipeline statistics between
 * them; never TIME_ELAPSED, which the application may have running. Neighbouring draws do not share one: what
 * lies between them, such as the GPU's wait for the driver's next submission, would count as the later one's
 * time. What is written here query_readback.h reads. */
#ifndef PP_HOOKS_MEASURE_BRACKET_H
#define PP_HOOKS_MEASURE_BRACKET_H

#include "hooks/state/context.h"

/** The query objects of a slot: begin, end, one per statistic. */
static inline const GLuint *
pp_gl_names(const struct pp_gl_context *ctx, uint32_t slot)
{
    return &ctx->pool.name[(size_t)slot * ctx->pool.names];
}

/** Core's interface: write the begin or the end of bracket @p number in the current context. */
void pp_gl_bracket_begin(void *user, uint32_t number, enum pp_pass_kind kind);
void pp_gl_bracket_end(void *user, uint32_t number, enum pp_pass_kind kind);

/** Write the begin (@p end 0) or end of an open bracket as a query here. */
void pp_gl_bracket_stamp(struct pp_gl_context *ctx, uint32_t number, unsigned end);

/** A timestamp into a query object. */
void pp_gl_timestamp(const struct pp_gl_context *ctx, GLuint name);

/** Do brackets of work have timestamps? Not where two in one scene would be one: see scene.h. */
bool pp_gl_times_action(const struct pp_gl_device *device);

/** End the statistics that run, if any. */
void pp_gl_statistics_end(struct pp_gl_context *ctx);

/** Under --serialize: wait for this context's work that was not waited for bracket by bracket, so that it is
 * beside nobody's passes later. With the context current. */
void pp_gl_drain(struct pp_gl_context *ctx);

/** The GPU's clock, now. */
uint64_t pp_gl_clock(const struct pp_gl_context *ctx);

#endif
