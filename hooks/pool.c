/** @file
 * See pool.h. We generate more names than we need, keep the highest and delete the rest at once. */
#include "hooks/pool.h"

#include <errno.h>
#include <stdlib.h>

#include "hooks/context.h"

/* Names left below ours for the program. */
#define HEADROOM 2048U
/* Slots generated at first, and in steps. */
#define STEP      64U
#define SLOTS_MAX (1U << 17)
/* With so many, a frame's own results are read before it ends: on Mesa a slot is 5 to 50 KiB of the driver's
 * memory. */
#define SLOTS_MANY (1U << 14)

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

/* Generate `want` names above the headroom into `out`, in order. */
static bool
generate_high(const struct pp_gl_context *ctx, uint32_t want, GLuint *out)
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
    free(name);
    return ok;
}

/* Slots of the next growth: as many as there are. pp_gl_pool_has() goes through the growths by this rule. */
static uint32_t
next_growth(uint32_t slots)
{
    return slots < STEP ? STEP : slots;
}

/* Make room for `total` slots in every array. */
static int
reserve(struct pp_gl_pool *pool, uint32_t total)
{
    GLuint *name = realloc(pool->name, (size_t)total * pool->names * sizeof(*name));
    if (!name)
        return -ENOMEM;
    pool->name = name;
    uint32_t *spare = realloc(pool->free, total * sizeof(*spare));
    if (!spare)
        return -ENOMEM;
    pool->free = spare;
    struct pp_gl_late *late = calloc(total, sizeof(*late));
    if (!late)
        return -ENOMEM;
    for (uint32_t i = 0; i < pool->lates; i++)
        late[i] = pool->late[(pool->late_first + i) % pool->slots];
    free(pool->late);
    pool->late = late;
    pool->late_first = 0;
    return 0;
}

static bool
grow(struct pp_gl_context *ctx)
{
    struct pp_gl_pool *pool = &ctx->pool;
    uint32_t more = next_growth(pool->slots);
    pool->names = 2 + ctx->device->statistics;
    if (pool->failed || pool->slots + more > SLOTS_MAX || reserve(pool, pool->slots + more))
        return false;
    if (!generate_high(ctx, more * pool->names, &pool->name[(size_t)pool->slots * pool->names])) {
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
    bool many = pool->frees == 0 && pool->slots >= SLOTS_MANY;
    if (pool->frees == 0 && !(many && pp_gl_flight_read_early(ctx)) && !grow(ctx))
        return UINT32_MAX;
    return pool->free[--pool->frees];
}

void
pp_gl_pool_give(struct pp_gl_pool *pool, uint32_t slot)
{
    pool->free[pool->frees++] = slot;
}

void
pp_gl_pool_give_late(struct pp_gl_pool *pool, struct pp_gl_late late)
{
    pool->late[(pool->late_first + pool->lates) % pool->slots] = late;
    pool->lates++;
}

bool
pp_gl_pool_oldest_late(const struct pp_gl_pool *pool, struct pp_gl_late *ret)
{
    if (pool->lates == 0)
        return false;
    *ret = pool->late[pool->late_first];
    return true;
}

void
pp_gl_pool_free_late(struct pp_gl_pool *pool)
{
    uint32_t slot = pool->late[pool->late_first].slot;
    pool->late_first = (pool->late_first + 1) % pool->slots;
    pool->lates--;
    pp_gl_pool_give(pool, slot);
}

bool
pp_gl_pool_has(const struct pp_gl_pool *pool, GLuint name)
{
    for (uint32_t first = 0; first < pool->slots; first += next_growth(first)) {
        const GLuint *block = &pool->name[(size_t)first * pool->names];
        size_t count = (size_t)next_growth(first) * pool->names;
        if (name >= block[0] && name <= block[count - 1] &&
            bsearch(&name, block, count, sizeof(*block), compare_names))
            return true;
    }
    return false;
}

void
pp_gl_pool_finish(struct pp_gl_pool *pool)
{
    free(pool->name);
    free(pool->free);
    free(pool->late);
}
