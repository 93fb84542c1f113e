/** @file
 * See query_pool.h. The pool generates more names than it needs, keeps the highest ones and deletes the rest
 * at once. */
#include "hooks/measure/query_pool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/clock.h"
#include "core/engine/memory.h"
#include "hooks/base/context.h"
#include "hooks/base/measured.h"
#include "hooks/measure/retire.h"
#include "hooks/reach/driver_procs.h"

/* Number of names below those of the pool that are left for the application. */
#define HEADROOM 2048U
/* Slots of the first growth and, at most, of later growths. */
#define STEP     64U
#define STEP_MAX (1U << 14)
/* A pool with fewer slots keeps all of them. A larger pool is checked at this interval for slots that it does
 * not need. */
#define SHRINK_SLOTS 1024U
#define SHRINK_NS    2000000000U
/* With this many slots, results of a frame are read before the frame ends: on Mesa a slot takes 5 to 50 KiB
 * of the driver's memory. */
#define SLOTS_MANY (1U << 14)

static void
generate(const struct pp_gl_context *ctx, GLsizei count, GLuint *name)
{
    if (ctx->caps.es)
        pp_glGenQueriesEXT(count, name);
    else
        pp_glGenQueries(count, name);
}

static void
drop(const struct pp_gl_context *ctx, GLsizei count, const GLuint *name)
{
    if (ctx->caps.es)
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

/* Slots of the next growth: as many as there are, but at most STEP_MAX. pp_gl_pool_has() repeats the growths
 * by this rule. */
static uint32_t
next_growth(uint32_t slots)
{
    return slots < STEP ? STEP : slots < STEP_MAX ? slots : STEP_MAX;
}

/* Slots of the newest growth. */
static uint32_t
last_growth(uint32_t slots)
{
    return slots <= STEP ? slots : slots <= STEP_MAX ? slots / 2 : STEP_MAX;
}

static struct pp_session *
session_of(const struct pp_gl_context *ctx)
{
    return pp_device_session(ctx->device->device);
}

/* Estimated memory that the driver keeps for `slots` slots, in bytes. */
static size_t
bytes_of(const struct pp_gl_pool *pool, uint32_t slots)
{
    return (size_t)slots * pool->names * PP_MEMORY_QUERY;
}

/* Grow every array to `total` slots. */
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
    struct pp_gl_overdue *moved = calloc(total, sizeof(*moved));
    if (!moved)
        return -ENOMEM;
    for (uint32_t i = 0; i < pool->overdues; i++)
        moved[i] = pool->overdue[(pool->overdue_first + i) % pool->slots];
    free(pool->overdue);
    pool->overdue = moved;
    pool->overdue_first = 0;
    return 0;
}

static bool
grow(struct pp_gl_context *ctx)
{
    struct pp_gl_pool *pool = &ctx->pool;
    uint32_t more = next_growth(pool->slots);
    pool->names = 2 + ctx->device->statistics;
    if (pool->failed || !pp_memory_take(session_of(ctx), bytes_of(pool, more)))
        return false;
    if (reserve(pool, pool->slots + more)) {
        pp_memory_give(session_of(ctx), bytes_of(pool, more));
        return false;
    }
    if (!generate_high(ctx, more * pool->names, &pool->name[(size_t)pool->slots * pool->names])) {
        pp_memory_give(session_of(ctx), bytes_of(pool, more));
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
    bool some = pool->frees == 0 && pool->slots >= SHRINK_SLOTS;
    bool many = pool->frees == 0 && pool->slots >= SLOTS_MANY;
    if (pool->frees == 0 && !(some && pp_gl_retire_oldest(ctx)) && !(many && pp_gl_retire_early(ctx)) &&
        !grow(ctx)) {
        pp_memory_refused(session_of(ctx), 1);
        return UINT32_MAX;
    }
    return pool->free[--pool->frees];
}

/* Sort the free slots so that the lowest one is taken first: the highest slots then stay unused while fewer
 * slots are needed. @p mark One byte for each slot. @return How many free slots belong to the newest growth.
 */
static uint32_t
sort_free(struct pp_gl_pool *pool, uint8_t *mark)
{
    uint32_t first = pool->slots - last_growth(pool->slots), high = 0, at = 0;
    for (uint32_t i = 0; i < pool->frees; i++) {
        mark[pool->free[i]] = 1;
        high += pool->free[i] >= first;
    }
    for (uint32_t slot = pool->slots; slot-- > 0;)
        if (mark[slot])
            pool->free[at++] = slot;
    return high;
}

/* Delete the names of the newest growth. All its slots are free, and they come first in the sorted stack. */
static void
drop_newest(const struct pp_gl_context *ctx, struct pp_gl_pool *pool)
{
    uint32_t less = last_growth(pool->slots);
    pool->slots -= less;
    drop(ctx, (GLsizei)(less * pool->names), &pool->name[(size_t)pool->slots * pool->names]);
    pool->frees -= less;
    memmove(pool->free, pool->free + less, pool->frees * sizeof(*pool->free));
    pp_memory_give(session_of(ctx), bytes_of(pool, less));
}

void
pp_gl_pool_note(struct pp_gl_pool *pool)
{
    uint32_t used = pool->slots - pool->frees;
    pool->used_most = used > pool->used_most ? used : pool->used_most;
}

void
pp_gl_pool_shrink(struct pp_gl_context *ctx)
{
    struct pp_gl_pool *pool = &ctx->pool;
    uint64_t now = pp_now_ns();
    if (pool->slots < SHRINK_SLOTS || now - pool->looked_ns < SHRINK_NS)
        return;
    /* keep twice the slots that were needed; overdue slots are in a ring of `slots` places, which then cannot
     * shrink */
    bool spare = pool->used_most < pool->slots / 2 && pool->overdues == 0;
    pool->looked_ns = now;
    pool->used_most = 0;
    uint8_t *mark = spare ? calloc(pool->slots, 1) : NULL;
    if (!mark)
        return;
    if (sort_free(pool, mark) == last_growth(pool->slots)) {
        drop_newest(ctx, pool);
        pool->overdue_first = 0;
        pp_memory_trim(session_of(ctx));
    }
    free(mark);
}

void
pp_gl_pool_give(struct pp_gl_pool *pool, uint32_t slot)
{
    assert(slot < pool->slots && pool->frees < pool->slots);
    pool->free[pool->frees++] = slot;
}

void
pp_gl_pool_rest(struct pp_gl_pool *pool, uint32_t slot)
{
    uint32_t *oldest = &pool->rest[pool->rest_next];
    if (pool->rests == PP_GL_RESTS)
        pp_gl_pool_give(pool, *oldest);
    else
        pool->rests++;
    *oldest = slot;
    pool->rest_next = (pool->rest_next + 1) % PP_GL_RESTS;
}

void
pp_gl_pool_give_overdue(struct pp_gl_pool *pool, struct pp_gl_overdue overdue)
{
    assert(pool->overdues < pool->slots);
    pool->overdue[(pool->overdue_first + pool->overdues) % pool->slots] = overdue;
    pool->overdues++;
}

bool
pp_gl_pool_oldest_overdue(const struct pp_gl_pool *pool, struct pp_gl_overdue *ret)
{
    if (pool->overdues == 0)
        return false;
    *ret = pool->overdue[pool->overdue_first];
    return true;
}

void
pp_gl_pool_free_overdue(struct pp_gl_pool *pool)
{
    assert(pool->overdues > 0);
    uint32_t slot = pool->overdue[pool->overdue_first].slot;
    pool->overdue_first = (pool->overdue_first + 1) % pool->slots;
    pool->overdues--;
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
pp_gl_pool_finish(struct pp_gl_context *ctx)
{
    struct pp_gl_pool *pool = &ctx->pool;
    if (pool->slots)
        pp_memory_give(session_of(ctx), bytes_of(pool, pool->slots));
    free(pool->name);
    free(pool->free);
    free(pool->overdue);
}
