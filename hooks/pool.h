/** @file
 * Names of query objects, taken where the program does not look: high, so that the names that it gets from
 * glGenQueries, or makes up itself (compatibility profile), are the ones that it would have without us. */
#ifndef PP_HOOKS_POOL_H
#define PP_HOOKS_POOL_H

#include <stdint.h>

struct pp_gl_context;
struct pp_gl_pool;

/** A free slot; more names are generated when none is left. @return UINT32_MAX: none to be had. */
uint32_t pp_gl_pool_take(struct pp_gl_context *ctx);

/** Give a slot back whose results were read. */
void pp_gl_pool_give(struct pp_gl_pool *pool, uint32_t slot);

#endif
