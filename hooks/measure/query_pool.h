/** @file
 * Names of query objects, taken where the application does not look: high, so that names that it makes up
 * itself are hardly ever ours (state_tracking.c sees to the others), nor those that it gets from glGenQueries
 * others than without us, where the driver hands out the lowest free ones. Mesa counts up: there they are
 * higher. */
#ifndef PP_HOOKS_MEASURE_QUERY_POOL_H
#define PP_HOOKS_MEASURE_QUERY_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct pp_gl_context;
struct pp_gl_late;
struct pp_gl_pool;

/** A free slot; more names are generated when none is left. @return UINT32_MAX: none to be had. */
uint32_t pp_gl_pool_take(struct pp_gl_context *ctx);

/** Give a slot back whose results were read. */
void pp_gl_pool_give(struct pp_gl_pool *pool, uint32_t slot);

/** A slot whose results have not come and that nobody waits for any more. It must not be used again before
 * they have: a late result could be taken for a new one. @p late what was written of it. */
void pp_gl_pool_give_late(struct pp_gl_pool *pool, struct pp_gl_late late);

/** The slot that was given late first. @return false: there is none. */
bool pp_gl_pool_oldest_late(const struct pp_gl_pool *pool, struct pp_gl_late *ret);

/** Its results have come: it is free. */
void pp_gl_pool_free_late(struct pp_gl_pool *pool);

/** Is @p name one of ours? A few comparisons and one binary search. */
bool pp_gl_pool_has(const struct pp_gl_pool *pool, uint32_t name);

/** Before results are read at a frame's end: so many slots were needed. */
void pp_gl_pool_note(struct pp_gl_pool *pool);

/** Give slots back to the driver that were not needed for some seconds. Once a frame, with the context
 * current. */
void pp_gl_pool_shrink(struct pp_gl_context *ctx);

/** Free the memory; the names are the driver's to delete. */
void pp_gl_pool_finish(struct pp_gl_context *ctx);

#endif
