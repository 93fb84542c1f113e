/** @file
 * See pool.h. Drivers hand out the lowest free names first: we generate more than we need, keep the highest
 * and delete the rest at once. */
#include "hooks/pool.h"

#include <stdlib.h>

#include "hooks/context.h"

/* Names left below ours for the program. */
#define HEADROOM 2048U
/* Slots generated at first, and in steps. */
#define STEP      64U
#define SLOTS_MAX (1U << 18)

static void
generate(const struct pp_gl_context *ctx, GLsizei count, GLuint *name)
{
    if (ctx->es)
        pp_glGenQueriesEXT(count, name);
    else
        pp_glGenQueries(count, name);
}

static void
drop(const struct pp_gl_context *ctx, GLsizei count, const GLuint *name)
{
    if (ctx->es)
        pp_glDeleteQueriesEXT(count, name);
    else
        pp_glDeleteQueries(count, name);
}

static int
compare_names(const void *a, const void *b)
{
    GLuint x = *(const GLuint *)a;
    GLuint y = *(const GLuint *)b;
    return (x > y) - (x < y);
}

/* Generate `want` names above the headroom into `out`. */
static bool
generate_high(struct pp_gl_pool *pool, const struct pp_gl_context *ctx, uint32_t want, GLuint *out)
{
    uint32_t count = want + HEADROOM;
    GLuint *name = calloc(count, sizeof(*name));
    if (!name)
        return false;
    generate(ctx, (GLsizei)count, name);
    qsort(name, count, sizeof(*name), compare_names);
    bool ok = name[HEADROOM] != 0;
    for (uint32_t i = 0; i < want; i++)
        out[i] = name[HEADROOM + i];
    drop(ctx, (GLsizei)HEADROOM, name);
    if (ok && (!pool->slots || out[0] < pool->lowest))
        pool->lowest = out[0];
    free(name);
    return ok;
}

static bool
grow(struct pp_gl_context *ctx)
{
    struct pp_gl_pool *pool = &ctx->pool;
    uint32_t more = pool->slots < STEP ? STEP : pool->slots;
    if (pool->failed || pool->slots + more > SLOTS_MAX)
        return false;
    size_t total = (size_t)(pool->slots + more) * PP_GL_SLOT_NAMES;
    GLuint *name = realloc(pool->name, total * sizeof(*name));
    if (!name)
        return false;
    pool->name = name;
    uint32_t *spare = realloc(pool->free, (pool->slots + more) * sizeof(*spare));
    if (!spare)
        return false;
    pool->free = spare;
    if (!generate_high(pool, ctx, more * PP_GL_SLOT_NAMES, &name[(size_t)pool->slots * PP_GL_SLOT_NAMES])) {
        pool->failed = true;
        return false;
    }
    for (uint32_t i = more; i > 0; i--)
        pool->free[pool->frees++] = pool->slots + i - 1;
    pool->slots += more;
    return true;
}

uint32_t
pp_gl_pool_take(struct pp_gl_context *ctx)
{
    struct pp_gl_pool *pool = &ctx->pool;
    if (pool->frees == 0 && !grow(ctx))
        return UINT32_MAX;
    return pool->free[--pool->frees];
}

void
pp_gl_pool_give(struct pp_gl_pool *pool, uint32_t slot)
{
    pool->free[pool->frees++] = slot;
}
