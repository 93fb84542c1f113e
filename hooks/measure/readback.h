/** @file
 * Readbacks: frames whose queries wait for their results. Query objects belong to one context; they are
 * created, written and read only while it is current. bracket.h writes the queries, retire.h decides when the
 * results are read. */
#ifndef PP_HOOKS_MEASURE_QUERY_READBACK_H
#define PP_HOOKS_MEASURE_QUERY_READBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/tracker.h"
#include "core/model/batch.h"
#include "counters/sources/builtin.h"
#include "hooks/base/gl_types.h"
#include "hooks/base/measured.h"
#include "hooks/base/perf.h"
#include "hooks/measure/query_pool.h"

struct pp_gl_context;

/** The waiting readback number @p i, the oldest first. @p i is less than PP_GL_PENDING_MAX. */
static inline struct pp_gl_readback *
pp_gl_readback_at(struct pp_gl_pending *pending, uint32_t i)
{
    return &pending->readback[(pending->first + i) % PP_GL_PENDING_MAX];
}

/** Begin to fill @p batch. @retval 0 done. @retval -ENOMEM no memory. */
__attribute__((warn_unused_result)) int pp_gl_readback_open(struct pp_gl_context *ctx,
                                                            struct pp_batch *batch);

/** Queue the full batch until its results are available. The tracker must have ended its passes. */
void pp_gl_readback_seal(struct pp_gl_context *ctx);

/** Read the next bracket of pending.reading and free its slot. Hot. */
void pp_gl_readback_read_next(struct pp_gl_context *ctx);

/** Read the brackets of a readback from the first unread one to before @p end, where that takes one step, and
 * free their slots. Their results are available. */
void pp_gl_readback_read_until(struct pp_gl_context *ctx, struct pp_gl_readback *readback, uint32_t end);

/** Read the rest of the oldest readback, hand its batch to the collector and remove it from the ring. */
void pp_gl_readback_read_oldest(struct pp_gl_context *ctx);

/** Result of query object @p name. It must be available. */
uint64_t pp_gl_readback_result(const struct pp_gl_context *ctx, GLuint name);

/** Is the result of query object @p name available? */
bool pp_gl_readback_has_result(const struct pp_gl_context *ctx, GLuint name);

/** Hand all waiting batches to the collector as lost: the context is gone. Makes no call into OpenGL. */
void pp_gl_readback_abandon(struct pp_gl_context *ctx);

/** Free the memory of the pool and of the batches. The driver frees the query objects with the context. */
void pp_gl_readback_finish(struct pp_gl_context *ctx);

#endif
