/** @file
 * See query_pool.h. */
#include "layer/base/query_pool.h"

#include <errno.h>
#include <stdlib.h>

#include "core/engine/clock.h"
#include "core/engine/memory.h"
#include "core/util/heap.h"
#include "layer/base/cmdbuf.h"

enum { FIRST_CHUNK = 64, NEXT_CHUNK = 512, MOST_CHUNK = 32768 };

/* A command pool with fewer free queries keeps all of them. */
#define SHRINK_QUERIES 1024U
/* A chunk this many times as large as needed is too large. */
#define LARGE_FACTOR 8U
/* Interval of the checks for unneeded chunks. */
#define LOOK_NS 2000000000U

#define COMPUTE_STATISTICS                                                                                   \
    ((VkQueryPipelineStatisticFlags)VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT)

VkQueryPipelineStatisticFlags
pp_query_statistics(const struct pp_vk_device *dev, uint32_t family)
{
    VkQueryPipelineStatisticFlags mask = dev->measured.statistics;
    if (!(dev->gpu.family[family].flags & VK_QUEUE_GRAPHICS_BIT))
        mask &= COMPUTE_STATISTICS;
    if (!(dev->gpu.family[family].flags & VK_QUEUE_COMPUTE_BIT))
        mask &= ~COMPUTE_STATISTICS;
    return mask;
}

VkQueryPipelineStatisticFlags
pp_query_mask(enum pp_query_kind kind, VkQueryPipelineStatisticFlags statistics)
{
    if (kind == PP_QUERY_TIME)
        return 0;
    return kind == PP_QUERY_GRAPHICS ? statistics & ~COMPUTE_STATISTICS : statistics;
}

/* Estimated bytes that a driver keeps for @p queries queries. */
static size_t
bytes_of(uint32_t queries)
{
    return (size_t)queries * PP_MEMORY_QUERY;
}

static struct pp_query_chunk *
chunk_create(const struct pp_cmdpool *pool, enum pp_query_kind kind, uint32_t size)
{
    struct pp_vk_device *dev = pool->dev;
    if (!pp_memory_take_queries(dev->session, bytes_of(size)))
        return NULL;
    struct pp_query_chunk *chunk = calloc(1, sizeof(*chunk));
    if (!chunk) {
        pp_memory_give(dev->session, bytes_of(size));
        return NULL;
    }
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = kind == PP_QUERY_TIME ? VK_QUERY_TYPE_TIMESTAMP : VK_QUERY_TYPE_PIPELINE_STATISTICS,
        .queryCount = size,
        .pipelineStatistics = pp_query_mask(kind, pool->statistics),
    };
    if (dev->next.CreateQueryPool(dev->handle, &info, NULL, &chunk->pool) != VK_SUCCESS) {
        pp_memory_give(dev->session, bytes_of(size));
        free(chunk);
        return NULL;
    }
    chunk->size = size;
    chunk->returns = pool->returns;
    atomic_init(&chunk->users, 0);
    return chunk;
}

/* Find the smallest chunk of at least @p want queries in a list. @return The link to it; NULL: there is
 * none. */
static struct pp_query_chunk **
find_chunk(struct pp_query_chunk **link, uint32_t want)
{
    struct pp_query_chunk **best = NULL;
    for (; *link; link = &(*link)->next)
        if ((*link)->size >= want && (!best || (*link)->size < (*best)->size))
            best = link;
    return best;
}

/* Put a chunk at the head of the pool's free list. Therefore chunks that are not needed stay at its end. */
static void
put_free(struct pp_cmdpool *pool, enum pp_query_kind kind, struct pp_query_chunk *chunk)
{
    chunk->look = pool->look;
    chunk->next = pool->free_chunks[kind];
    pool->free_chunks[kind] = chunk;
    pool->free_queries += chunk->size;
}

/* Move returned chunks into the pool's free list. */
static void
take_returned(struct pp_cmdpool *pool, enum pp_query_kind kind)
{
    if (!atomic_load_explicit(&pool->returns->back[kind], memory_order_relaxed))
        return;
    struct pp_query_chunk *chunk =
        atomic_exchange_explicit(&pool->returns->back[kind], NULL, memory_order_acquire);
    while (chunk) {
        struct pp_query_chunk *next = chunk->next;
        put_free(pool, kind, chunk);
        chunk = next;
    }
}

/* Destroy chunks of a kind that were free for two checks. */
static void
shrink_kind(struct pp_cmdpool *pool, enum pp_query_kind kind)
{
    struct pp_query_chunk **link = &pool->free_chunks[kind], *spare = NULL;
    while (*link) {
        struct pp_query_chunk *chunk = *link;
        if (pool->look - chunk->look < 2) {
            link = &chunk->next;
            continue;
        }
        *link = chunk->next;
        pool->free_queries -= chunk->size;
        chunk->next = spare;
        spare = chunk;
    }
    if (spare)
        pp_memory_trim(pool->dev->session);
    pp_query_chunks_destroy(pool->dev, spare);
}

void
pp_query_chunks_shrink(struct pp_cmdpool *pool)
{
    for (int kind = 0; kind < PP_QUERY_KINDS; kind++)
        take_returned(pool, (enum pp_query_kind)kind);
    uint64_t now = pool->free_queries < SHRINK_QUERIES ? 0 : pp_now_ns();
    if (now == 0 || now - pool->looked_ns < LOOK_NS)
        return;
    pool->looked_ns = now;
    pool->look++;
    for (int kind = 0; kind < PP_QUERY_KINDS; kind++)
        shrink_kind(pool, (enum pp_query_kind)kind);
}

/* Get a chunk of at least @p want queries: a free or returned one, else a new one. Take a much larger chunk
 * only if no new one can be made: command buffers that need a large chunk shall find it. */
static struct pp_query_chunk *
chunk_get(struct pp_cmdpool *pool, enum pp_query_kind kind, uint32_t want)
{
    take_returned(pool, kind);
    struct pp_query_chunk **link = find_chunk(&pool->free_chunks[kind], want);
    uint32_t size = FIRST_CHUNK;
    while (size < want)
        size *= 2;
    struct pp_query_chunk *chunk =
        link && (*link)->size / LARGE_FACTOR <= size ? NULL : chunk_create(pool, kind, size);
    if (!chunk && link) {
        chunk = *link;
        *link = chunk->next;
        pool->free_queries -= chunk->size;
    }
    if (chunk)
        atomic_store_explicit(&chunk->users, 1, memory_order_relaxed);
    else
        pp_memory_refused(pool->dev->session, 1);
    return chunk;
}

/* Add a run that begins at query @p first of @p chunk. @return NULL: no memory. */
static struct pp_query_run *
add_run(struct pp_queries *queries, struct pp_query_chunk *chunk, uint32_t first)
{
    if (pp_array_grow(&queries->run, &queries->run_cap, (size_t)queries->runs + 1, sizeof(*queries->run)) !=
        0)
        return NULL;
    queries->run[queries->runs] = (struct pp_query_run){.chunk = chunk, .first = first};
    return &queries->run[queries->runs++];
}

/* Find a run that has @p slots free queries at its end. */
static struct pp_query_run *
find_run(struct pp_queries *queries, struct pp_cmdpool *pool, enum pp_query_kind kind, uint32_t slots)
{
    struct pp_query_run *run = queries->runs == 0 ? NULL : &queries->run[queries->runs - 1];
    uint32_t next = !run ? 0 : run->first + run->reserved;
    if (run && run->chunk->size - next >= slots) {
        uint32_t reset = run->reset > run->reserved ? run->reset - run->reserved : 0;
        if (run->reserved != run->used && (run = add_run(queries, run->chunk, next)))
            run->reset = reset;
        return run;
    }
    struct pp_query_chunk *chunk = chunk_get(pool, kind, queries->runs == 0 ? FIRST_CHUNK : NEXT_CHUNK);
    run = !chunk ? NULL : add_run(queries, chunk, 0);
    if (!run && chunk)
        put_free(pool, kind, chunk);
    return run;
}

int
pp_query_take_more(struct pp_queries *queries, struct pp_cmdpool *pool, enum pp_query_kind kind,
                   uint32_t slots, struct pp_query *ret_query)
{
    struct pp_query_run *run = find_run(queries, pool, kind, slots);
    uint32_t numbered = kind == PP_QUERY_TIME ? 1 : slots;
    if (!run)
        return -ENOMEM;
    *ret_query = (struct pp_query){run->chunk->pool, run->first + run->used, queries->count};
    run->used += numbered;
    run->reserved += slots;
    queries->count += numbered;
    return 0;
}

void
pp_query_prepare(struct pp_cmdbuf *cb, enum pp_query_kind kind)
{
    struct pp_queries *queries = &cb->queries[kind];
    uint32_t want = queries->expected < MOST_CHUNK ? queries->expected : MOST_CHUNK;
    struct pp_query_chunk *chunk = want == 0 || queries->runs > 0 ? NULL : chunk_get(cb->pool, kind, want);
    struct pp_query_run *run = !chunk ? NULL : add_run(queries, chunk, 0);
    if (!run && chunk)
        put_free(cb->pool, kind, chunk);
    if (!run)
        return;
    cb->next->CmdResetQueryPool(cb->handle, chunk->pool, 0, want);
    run->reset = want;
}

bool
pp_query_need_reset(const struct pp_queries *queries)
{
    for (uint32_t i = 0; i < queries->runs; i++)
        if (queries->run[i].reserved > queries->run[i].reset)
            return true;
    return false;
}

/* Give up a share. @return true: it was the last. */
static bool
give_up(struct pp_query_chunk *chunk)
{
    return atomic_fetch_sub_explicit(&chunk->users, 1, memory_order_acq_rel) == 1;
}

void
pp_query_reset(struct pp_queries *queries, struct pp_cmdpool *pool, enum pp_query_kind kind)
{
    for (uint32_t i = 0; i < queries->runs; i++) {
        struct pp_query_chunk *chunk = queries->run[i].chunk;
        if (queries->run[i].first != 0 || !give_up(chunk))
            continue;
        put_free(pool, kind, chunk);
    }
    if (queries->count > 0)
        queries->expected = queries->count;
    queries->runs = 0;
    queries->count = 0;
}

struct pp_query_chunk_returns *
pp_query_chunk_returns_create(struct pp_vk_device *dev)
{
    struct pp_query_chunk_returns *returns = calloc(1, sizeof(*returns));
    if (!returns)
        return NULL;
    returns->dev = dev;
    atomic_init(&returns->holders, 1);
    return returns;
}

void
pp_query_chunk_returns_release(struct pp_query_chunk_returns *returns)
{
    if (atomic_fetch_sub_explicit(&returns->holders, 1, memory_order_acq_rel) != 1)
        return;
    for (int kind = 0; kind < PP_QUERY_KINDS; kind++)
        pp_query_chunks_destroy(returns->dev, atomic_load(&returns->back[kind]));
    free(returns);
}

void
pp_query_hand_over(struct pp_queries *queries)
{
    for (uint32_t i = 0; i < queries->runs; i++)
        if (queries->run[i].first == 0)
            atomic_fetch_add_explicit(&queries->run[i].chunk->returns->holders, 1, memory_order_relaxed);
    queries->runs = 0;
}

void
pp_query_chunk_share(const struct pp_query_run *run)
{
    if (run->first != 0)
        return;
    atomic_fetch_add_explicit(&run->chunk->users, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&run->chunk->returns->holders, 1, memory_order_relaxed);
}

void
pp_query_hand_back(struct pp_queries *queries, const struct pp_query_run *run)
{
    queries->run[queries->runs++] = *run; /* the run's memory is still there */
    if (run->first == 0)
        pp_query_chunk_returns_release(run->chunk->returns);
}

void
pp_query_chunk_return(const struct pp_query_run *run, enum pp_query_kind kind)
{
    struct pp_query_chunk *chunk = run->chunk;
    if (run->first != 0)
        return; /* the first run of a chunk returns it */
    struct pp_query_chunk_returns *returns = chunk->returns;
    if (!give_up(chunk)) {
        pp_query_chunk_returns_release(returns);
        return;
    }
    struct pp_query_chunk *next = atomic_load_explicit(&returns->back[kind], memory_order_relaxed);
    do
        chunk->next = next;
    while (!atomic_compare_exchange_weak_explicit(&returns->back[kind], &next, chunk, memory_order_release,
                                                  memory_order_relaxed));
    pp_query_chunk_returns_release(returns);
}

void
pp_query_chunks_destroy(struct pp_vk_device *dev, struct pp_query_chunk *list)
{
    while (list) {
        struct pp_query_chunk *next = list->next;
        dev->next.DestroyQueryPool(dev->handle, list->pool, NULL);
        pp_memory_give(dev->session, bytes_of(list->size));
        free(list);
        list = next;
    }
}
