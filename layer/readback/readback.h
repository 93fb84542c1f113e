/** @file
 * Readbacks: GPU objects that one measured batch of a submission needs, and the way by which its results
 * return. A readback has memory for the results. If needed, it also has a command buffer that resets queries
 * before the batch and one that copies results after it. Readbacks are pending in the queue's order. A fence
 * of the layer, or a wait of the application, shows up to which readback they are done. See also core's
 * batches, and layer/record/bracket.h, which measures most frames. Also the memory of readbacks: how much the
 * results of submissions may take, and when memory and objects are given back. */
#ifndef PP_LAYER_READBACK_READBACK_H
#define PP_LAYER_READBACK_READBACK_H

#include <stdint.h>
#include <vulkan/vulkan.h>

#include "layer/base/cmdbuf.h"
#include "layer/base/device.h"
#include "layer/base/query_pool.h"

/* Memory to which the GPU copies results and from which the CPU reads them. A queue has a few blocks; each
 * is one allocation, one buffer and one mapping, and its readbacks take parts of it. A block for each
 * readback would make hundreds of small allocations, which count against the application's limit. Blocks
 * count against --max-memory. result_memory.c does not know what the results are. */

/** Bytes of a block at least; a larger piece gets a block of its size. */
#define PP_RESULT_MEMORY_BLOCK 0x100000U

struct pp_result_memory_block;
struct pp_vk_queue;

/** A part of a block. All zero: none. */
struct pp_result_memory {
    struct pp_result_memory_block *block;
    VkBuffer buffer;
    uint32_t offset, size; /**< bytes of the buffer */
    uint8_t *mapped;       /**< address at which the CPU reads the piece */
};

/**
 * Make a piece hold at least @p size bytes; if it grows, its contents are lost. Called by the submitting
 * thread, while the GPU does not use the piece.
 *
 * @retval 0.
 * @retval -ENOMEM The driver has no memory; the piece holds nothing.
 * @retval -ENOSPC --max-memory does not allow it; the piece holds nothing.
 */
__attribute__((warn_unused_result)) int pp_result_memory_grow(struct pp_vk_queue *queue,
                                                              struct pp_result_memory *piece, uint32_t size);

/** Give a piece back, which may hold nothing. Called by the submitting thread, while the GPU does not use the
 * piece. */
void pp_result_memory_give(struct pp_vk_queue *queue, struct pp_result_memory *piece);

/** Result of one timestamp: value and availability. */
#define PP_TIME_BYTES 16U

#define PP_NO_OFFSET  UINT32_MAX

/** Most bytes of results; a batch with more is refused. */
#define PP_READBACK_BYTES (1U << 30)

/** Result slot of a bracket's timestamps, as offsets in bytes; PP_NO_OFFSET: not written. */
struct pp_result_slot {
    uint32_t begin;
    uint32_t end;
    uint8_t want;         /**< enum pp_status of statistics without results: not measured here, or measured in
                               the draws */
    bool incomplete;      /**< a part of the work was not counted: no statistics, whatever the results are */
    bool perf_incomplete; /**< a part of the work was not counted: no counters */
    bool perf_begun;      /**< some work of the bracket was recorded; the next members say how */
    bool perf_measured;   /**< the bracket's counters were measured */
    bool perf_actions;    /**< the bracket's counters were measured in the actions */
    uint8_t perf_set;     /**< counter set of the bracket */
};

/** Result slot of a statistics query, and the bracket that the query counts for. */
struct pp_statistics_slot {
    uint32_t bracket;
    uint32_t offset;
    VkQueryPipelineStatisticFlags mask;
    uint8_t values; /**< number of bits in the mask */
    bool more;      /**< the query counts another view of the bracket of the query before it */
};

/** Queries to reset before the work and to read after it. */
struct pp_readback_copy {
    struct pp_query_run run;
    struct pp_queries *owner; /**< belongs to the command buffer until submitted */
    bool shared;              /**< the command buffer keeps its share: it may be submitted again */
    bool read;                /**< the CPU has read it; guarded by the readback's lock */
    bool reset_by_host;       /**< the CPU resets the queries before the submission */
    enum pp_query_kind kind;
    uint32_t offset;
    uint32_t stride; /**< 0: only reset */
};

/** A part of a command buffer, as brackets of the batch; PP_NO_BRACKET: none. */
struct pp_readback_part {
    uint32_t bracket; /**< bracket that the part contains completely */
    uint32_t around;  /**< bracket of a pass that contains the part (struct pp_split_part) */
};

/** Indirect arguments of a readback that are not available yet. An empty one is all zero. */
struct pp_readback_args {
    struct {
        VkBuffer from;
        uint32_t offset, size, to;
    } * copy;
    uint32_t copies, copy_cap;
    struct {
        struct pp_vk_args args;
        uint32_t action, at, count_at; /**< action of the batch; offsets in the readback's memory */
    } * slot;
    uint32_t slots, slot_cap;
};

/** A readback; see the begin of this file. */
struct pp_vk_readback {
    struct pp_vk_readback *next; /**< free or pending list of the queue */
    uint64_t serial;
    VkCommandPool pool; /**< pool of the two command buffers; VK_NULL_HANDLE: the readback only counts */
    VkCommandBuffer before;
    VkCommandBuffer after;
    bool recorded; /**< one of the two command buffers may have been recorded since the pool was reset */
    bool has_before;
    bool has_after;
    bool unchained_before,
        unchained_after; /**< the driver must not chain `before` or `after` to its neighbour */
    bool plain;          /**< nothing of the layer was submitted: counts only */
    bool host;   /**< the CPU reads the queries, and no other submission resets them first: no copies by the
                      GPU; includes the two queries of `times` */
    bool shares; /**< the readback shares the query pools until the queries are read */
    struct pp_result_memory piece; /**< memory that the GPU copies results to */
    uint8_t *host_memory;          /**< memory that the CPU reads results to */
    uint32_t host_size;
    size_t counted;   /**< bytes of its arrays, counted against --max-memory; `piece` is not among them */
    uint8_t *results; /**< `piece` or `host_memory` */
    uint32_t bytes;   /**< used bytes of `results` */
    struct pp_query_chunk times; /**< two timestamps around the batch; pool made at first use */
    bool times_used;
    VkQueryPool bias_pool; /**< empty brackets; VK_NULL_HANDLE: not in this readback */
    uint32_t bias_offset;
    bool times_read;          /**< the CPU has read `times` and `bias_pool`; guarded by lock */
    struct pp_batch *batch;   /**< NULL: nothing is read, queries are only kept reset */
    struct pp_cmdbuf *lender; /**< the command buffer whose action list the batch borrows; valid until
                                   submitted; NULL: a copy */
    struct pp_result_slot *slot;
    uint32_t slots, slot_cap;
    struct pp_statistics_slot *stat;
    uint32_t stats, stat_cap;
    struct pp_readback_copy *copy;
    uint32_t copies, copy_cap;
    pthread_mutex_t lock;          /**< held while the CPU reads; innermost */
    uint64_t uses;                 /**< guarded by lock: number of times that the readback was used */
    struct pp_perf_fill *fills;    /**< results of counters that are not available yet */
    struct pp_readback_part *part; /**< parts of the application's command buffers, in order (split.h) */
    uint32_t parts, part_cap;
    struct pp_readback_args args; /**< indirect arguments that are not available yet */
};

/**
 * Get an empty readback: from the queue's free list, else a new one. Called by the submitting thread.
 *
 * @param needed Exceed PP_VK_MAX_READBACKS if necessary: without the readback, the application's buffers
 * could not run.
 * @return NULL: limit reached or no memory.
 */
struct pp_vk_readback *pp_readback_get(struct pp_vk_queue *queue, bool needed);

/** Put a readback that is done, or was not submitted, back to the free list. */
void pp_readback_put(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

/** Let another readback measure empty brackets if those of this readback were not read. The readback is done,
 * or never ran. */
void pp_readback_no_bias(struct pp_vk_device *dev, struct pp_vk_readback *readback);

/** Read the queries of a readback that the GPU does not copy and that are still unread. The readback is done.
 */
void pp_readback_read(struct pp_vk_device *dev, struct pp_vk_readback *readback);

/** Read all submitted queries that the CPU has to read. The driver waits for them, as it does in each call:
 * pp_vk_quirk_results_wait(). */
void pp_readback_read_pending(struct pp_vk_queue *queue);

/** Read the results of a command buffer's last run, if the CPU has to read them, because the next submission
 * resets its queries. The last run is complete, or the application could not lawfully submit the buffer.
 * Includes secondaries. */
void pp_readback_read_last_run(struct pp_cmdbuf *cb);

/** Let a readback share the query pools that the CPU will read, before it is submitted. Do not use its
 * command buffers afterwards: as soon as the driver has the submission, another thread may see it complete
 * and record or submit them again. */
void pp_readback_share_queries(struct pp_vk_readback *readback);

/** Undo pp_readback_share_queries() for a readback that was not submitted: the queries belong to the command
 * buffers again. */
void pp_readback_unshare_queries(struct pp_vk_readback *readback);

/** Give up a readback's share in the query pools. */
void pp_readback_release_queries(struct pp_vk_readback *readback);

/** Make a readback's own timestamp pool. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_readback_make_times(struct pp_vk_queue *queue,
                                                               struct pp_vk_readback *readback);

/** Record both command buffers of a readback, for the queries that the readback lists. @retval 0. @retval
 * -ENOMEM. @retval -ENOSPC --max-memory does not allow the memory for results. */
__attribute__((warn_unused_result)) int pp_readback_record(struct pp_vk_queue *queue,
                                                           struct pp_vk_readback *readback);

/** Number of empty brackets, whose lengths are the resolution of a time; odd. */
#define PP_BIAS_BRACKETS 101U

/** Destroy everything that a queue owns. Its work has completed. */
void pp_readback_destroy_all(struct pp_vk_queue *queue);

/** Count the arrays of a readback against --max-memory, after they may have grown.
 *
 * @param needed Count them even beyond the limit: without the readback, the application's buffers could not
 * run.
 * @retval 0. @retval -ENOSPC The limit is reached; the arrays are not counted. */
__attribute__((warn_unused_result)) int pp_readback_count(struct pp_vk_queue *queue,
                                                          struct pp_vk_readback *readback, bool needed);

/** Free the memory of a readback that is done, or was not submitted. Called by the submitting thread. */
void pp_readback_free_memory(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

/** Destroy the Vulkan objects of a readback that is done, or was not submitted. pp_readback_get() makes new
 * ones. Called by the submitting thread. */
void pp_readback_free_objects(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

/** Once in two seconds: let free readbacks give back what the queue does not need. Called by the submitting
 * thread. */
void pp_readback_shrink(struct pp_vk_queue *queue);

/** Make result memory for readback->bytes. @retval 0. @retval -ENOMEM. @retval -ENOSPC --max-memory does not
 * allow it. */
__attribute__((warn_unused_result)) int pp_readback_memory(struct pp_vk_queue *queue,
                                                           struct pp_vk_readback *readback);

#endif
