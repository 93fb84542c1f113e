/** @file
 * Pool of query object names that do not disturb the application. The names are high, for two reasons. An
 * application that invents names hardly ever chooses one of the pool; app_object.c handles those that it does
 * choose. And where the driver hands out the lowest free names, the application gets the same names from
 * glGenQueries as without passprobe. Mesa counts up, so the application's names are higher there. */
#ifndef PP_HOOKS_MEASURE_QUERY_POOL_H
#define PP_HOOKS_MEASURE_QUERY_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "hooks/base/gl_types.h"
#include "hooks/base/measured.h"

struct pp_gl_context;

/** Take a free slot; more names are generated when none is left. @return UINT32_MAX: the driver gave none. */
uint32_t pp_gl_pool_take(struct pp_gl_context *ctx);

/** Give back a slot whose results were read. */
void pp_gl_pool_give(struct pp_gl_pool *pool, uint32_t slot);

/**
 * Give back a slot whose results were read last. It rests while PP_GL_RESTS newer ones do not.
 *
 * Source: lp_fence_signal() of Mesa 22.3 to 25.0, llvmpipe. A query keeps the fence of the scene in which it
 * ended, until it begins again. lp_fence_signalled() takes no lock: it may say yes while a thread of the
 * driver is still in lp_fence_signal(), about to unlock the fence. If the last reference goes then, the
 * thread writes into freed memory, and malloc() crashes later (hooks_driver_faults_freed_fences). Once
 * results of a newer scene are there, all threads have left the older fence. Scenes without a query, which
 * a call of the application may make (glReadPixels), are not kept so.
 */
void pp_gl_pool_rest(struct pp_gl_pool *pool, uint32_t slot);

/** Give up a slot whose results are not available and are no longer needed. The slot must not be used again
 * before its results have arrived: an old result could be taken for a new one. @p overdue Which queries of
 * the slot were written. */
void pp_gl_pool_give_overdue(struct pp_gl_pool *pool, struct pp_gl_overdue overdue);

/** Get the slot that was given up first. @return false: there is none. */
bool pp_gl_pool_oldest_overdue(const struct pp_gl_pool *pool, struct pp_gl_overdue *ret);

/** Free the slot that pp_gl_pool_oldest_overdue() returns: its results have arrived. */
void pp_gl_pool_free_overdue(struct pp_gl_pool *pool);

/** Is @p name in the pool? Takes a few comparisons and one binary search. */
bool pp_gl_pool_has(const struct pp_gl_pool *pool, uint32_t name);

/** Record how many slots the frame needed. Call it at a frame's end, before results are read. */
void pp_gl_pool_note(struct pp_gl_pool *pool);

/** Give slots back to the driver that were not needed for some seconds. Call it once a frame, with the
 * context current. */
void pp_gl_pool_shrink(struct pp_gl_context *ctx);

/** Free the pool's memory. The driver deletes the names. */
void pp_gl_pool_finish(struct pp_gl_context *ctx);

#endif
