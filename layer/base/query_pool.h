/** @file
 * Query slots of command buffers. Query pools ("chunks") belong to a command pool, which the application
 * synchronises, as Vulkan demands. Therefore taking a chunk needs no lock. A command buffer takes chunks from
 * its pool and gives them back when it is begun again. A submission whose results the CPU reads shares the
 * chunks until it has read them. The owner of the last share gives a chunk back; submissions do so through an
 * atomic list. Free chunks that are not needed for some seconds are destroyed. A command buffer itself resets
 * as many queries as its last recording took. A submission resets the others before it runs the command
 * buffer. */
#ifndef PP_LAYER_BASE_QUERY_POOL_H
#define PP_LAYER_BASE_QUERY_POOL_H

#include "core/util/compiler.h"
#include "layer/base/device.h"

/** The kinds of query that the layer makes. Graphics queries count all statistics that were asked for, except
 * compute ones. They exist only with pp_vk_quirks.needs_pipeline, because the driver's state for dispatches
 * does not matter to them. */
enum pp_query_kind { PP_QUERY_TIME, PP_QUERY_STATISTICS, PP_QUERY_GRAPHICS, PP_QUERY_KINDS };

/** One query pool. */
struct pp_query_chunk {
    struct pp_query_chunk *next; /**< next chunk in the pool's free list, or in the list of returned chunks */
    struct pp_query_chunk_returns *returns;
    VkQueryPool pool;
    uint32_t size;
    uint32_t look;           /**< pp_cmdpool.look when the chunk was last put into the free list */
    _Atomic(uint32_t) users; /**< number of shares: the command buffer's, and one for each submission whose
                                results the CPU will read */
};

/** The place to which the chunks of a command pool return. It outlives the pool while submissions hold
 * chunks. Any thread. */
struct pp_query_chunk_returns {
    _Atomic(struct pp_query_chunk *) back[PP_QUERY_KINDS]; /**< returned chunks; the pool takes all at once */
    _Atomic(uint32_t) holders;                             /**< the command pool, and chunks that have not
                                                                returned */
    struct pp_vk_device *dev;
};

/** Neighbouring queries of one chunk that a command buffer uses. */
struct pp_query_run {
    struct pp_query_chunk *chunk;
    uint32_t first;
    uint32_t used;     /**< queries to copy: first .. first + used - 1 */
    uint32_t reserved; /**< queries to reset: those beyond `used` are further views of a timestamp, which are
                          not copied */
    uint32_t reset;    /**< number of queries that the command buffer itself resets */
};

/** The bracket that a statistics query counts for. */
struct pp_vk_stat {
    uint32_t bracket;
    bool more; /**< a further view of the query before it */
};

/** All queries of one kind in one command buffer, with consecutive numbers. */
struct pp_queries {
    struct pp_query_run *run;
    uint32_t runs;
    uint32_t run_cap;
    uint32_t count;
    uint32_t expected;       /**< number that the last recording took */
    enum pp_query_kind kind; /**< immutable after create */
    /* for statistics only */
    uint32_t stat_cap;
    struct pp_vk_stat *stat; /**< indexed by query number */
};

/** A query as commands name it. */
struct pp_query {
    VkQueryPool pool;
    uint32_t index;  /**< number in the query pool */
    uint32_t number; /**< number in the command buffer */
};

struct pp_cmdpool;
struct pp_cmdbuf;

/** The slow path of pp_query_take(). */
__attribute__((warn_unused_result)) int pp_query_take_more(struct pp_queries *queries,
                                                           struct pp_cmdpool *pool, enum pp_query_kind kind,
                                                           uint32_t slots, struct pp_query *ret_query);

/**
 * Take @p slots consecutive queries: a multiview pass needs one for each view. All slots of a statistics
 * query get a number, because their sum counts. Of a timestamp, only the first slot gets a number.
 *
 * Hot, except where a query pool may be created: at the first query of a command buffer, after 64 queries,
 * and then after every 512.
 * @retval 0. @retval -ENOMEM none taken.
 */
__attribute__((warn_unused_result)) static inline int
pp_query_take(struct pp_queries *queries, struct pp_cmdpool *pool, enum pp_query_kind kind, uint32_t slots,
              struct pp_query *ret_query)
{
    struct pp_query_run *run = queries->runs == 0 ? NULL : &queries->run[queries->runs - 1];
    if (PP_UNLIKELY(!run || slots != 1 || run->reserved != run->used ||
                    run->first + run->used >= run->chunk->size))
        return pp_query_take_more(queries, pool, kind, slots, ret_query);
    *ret_query = (struct pp_query){run->chunk->pool, run->first + run->used, queries->count++};
    run->reserved = ++run->used;
    return 0;
}

/** Record here the reset of as many queries as the last recording of this buffer took; this recording takes
 * them first. Then a submission needs no command buffer of the layer before this one. Call before any query
 * is taken, and while no render pass is open or suspended. */
void pp_query_prepare(struct pp_cmdbuf *cb, enum pp_query_kind kind);

/** Are there queries that the command buffer does not reset itself? */
bool pp_query_need_reset(const struct pp_queries *queries);

/** Give all queries back to the pool. The executions of the command buffer are complete. */
void pp_query_reset(struct pp_queries *queries, struct pp_cmdpool *pool, enum pp_query_kind kind);

/** Once in two seconds: destroy chunks in the command pool's free lists that were not needed between the last
 * two checks. A pool with few free queries keeps them. Call it when a command buffer of the pool is begun. */
void pp_query_chunks_shrink(struct pp_cmdpool *pool);

/** Create the place to which the chunks of a command pool return. @return NULL: no memory. */
struct pp_query_chunk_returns *pp_query_chunk_returns_create(struct pp_vk_device *dev);

/** Drop one holder of @p returns. The call for the last holder destroys the returned chunks. */
void pp_query_chunk_returns_release(struct pp_query_chunk_returns *returns);

/** Move a command buffer's share of its queries to a submission, until pp_query_chunk_return() for each run.
 * The number of queries stays known. */
void pp_query_hand_over(struct pp_queries *queries);

/** Give a submission a share of one run, until pp_query_chunk_return(). The command buffer keeps its share
 * and may run again. */
void pp_query_chunk_share(const struct pp_query_run *run);

/** Undo pp_query_hand_over() for one run. Call for all runs, in order. */
void pp_query_hand_back(struct pp_queries *queries, const struct pp_query_run *run);

/** Give up a submission's share. After the last share, the queries can be used again. */
void pp_query_chunk_return(const struct pp_query_run *run, enum pp_query_kind kind);

/** Destroy the chunks in a free list. */
void pp_query_chunks_destroy(struct pp_vk_device *dev, struct pp_query_chunk *list);

/** Statistics that queries of a kind count: a part of pp_query_statistics() of their queue family. */
VkQueryPipelineStatisticFlags pp_query_mask(enum pp_query_kind kind,
                                            VkQueryPipelineStatisticFlags statistics);

/** Statistics that the query pools of a queue family count. Graphics statistics need a graphics family, the
 * compute statistic needs a compute family. */
VkQueryPipelineStatisticFlags pp_query_statistics(const struct pp_vk_device *dev, uint32_t family);

#endif
