/** @file
 * Decides when the results of readbacks are read: when the driver has them, oldest frame first. readback.h
 * reads them. Only the thread that has the context current calls these functions. */
#ifndef PP_HOOKS_MEASURE_RETIRE_H
#define PP_HOOKS_MEASURE_RETIRE_H

#include "hooks/base/context.h"

/** Read the results that are available, oldest first, and hand them to the collector. The context is current,
 * outside glBegin..glEnd and display lists. @p wait_ns How long to wait for the other results; 0: not at all.
 */
void pp_gl_retire(struct pp_gl_context *ctx, uint64_t wait_ns);

/** pp_gl_retire() at a frame's end: some results may be left for the draws of the next frame to read. */
void pp_gl_retire_frame(struct pp_gl_context *ctx);

/** Is the last query that @p readback wrote available? Results of one kind become available in order. Does
 * not consider hardware counters. */
bool pp_gl_retire_has_queries(struct pp_gl_context *ctx, const struct pp_gl_readback *readback);

/** Free slots of the open frame, if it is long and many of its results are available. Does not wait. @return
 * false: no slot was freed. */
bool pp_gl_retire_early(struct pp_gl_context *ctx);

/** Free slots of the oldest frame that waits, if some of its results are available. Does not wait. @return
 * false: no slot was freed. */
bool pp_gl_retire_oldest(struct pp_gl_context *ctx);

#endif
