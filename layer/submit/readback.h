/** @file
 * What one instrumented batch of a submission needs on the GPU, and its way back. A slot holds
 * memory for the results and, where they are needed, a command buffer that resets before and one that copies
 * behind. Slots are pending in the queue's order; a fence of ours, or a wait of the program's, says up to
 * which one they are done. See also core's batches. */
#ifndef PP_LAYER_SUBMIT_READBACK_H
#define PP_LAYER_SUBMIT_READBACK_H

#include "layer/dispatch/device.h"
#include "layer/record/indirect.h"
#include "layer/record/query_pool.h"
#include "layer/submit/result_memory.h"

/** Result of one timestamp: value and availability. */
#define PP_TIME_BYTES 16U

#define PP_NO_OFFSET  UINT32_MAX

/** Most bytes of results; more are refused. */
#define PP_SLOT_BYTES (1U << 30)

/** Where a bracket's timestamps land, in bytes; PP_NO_OFFSET: not written. */
struct pp_landing {
    uint32_t begin;
    uint32_t end;
    uint8_t want;    /**< enum pp_status of statistics if none land: not measured here, or in the draws */
    bool incomplete; /**< part of the work was not counted: no statistics, whatever lands */
    bool perf_incomplete; /**< the same of counters */
    bool perf_begun;      /**< some work of it was recorded: in the way that follows */
    bool perf_lands;      /**< its counters were measured */
    bool perf_actions;    /**< they were in the actions */
    uint8_t perf_set;     /**< of this set */
};

/** Where a statistics query lands, and for which bracket. */
struct pp_stat_landing {
    uint32_t bracket;
    uint32_t offset;
    VkQueryPipelineStatisticFlags mask;
    uint8_t values; /**< bits in it */
    bool more;      /**< the query in front has another view's part of the same */
};

/** Queries to reset before the work and to read behind it. */
struct pp_slot_copy {
    struct pp_query_run run;
    struct pp_queries *owner; /**< the command buffer's, until submitted */
    bool shared;              /**< which keeps its share: it may be submitted again */
    bool read;                /**< the host has; guarded by the slot's lock */
    enum pp_query_kind kind;
    uint32_t offset;
    uint32_t stride; /**< 0: only reset */
};

/** A part of a command buffer, as brackets of the batch; PP_NO_BRACKET: none. */
struct pp_slot_part {
    uint32_t bracket; /**< that it is all of */
    uint32_t around;  /**< of a pass that it is a part of (struct pp_split_part) */
};

/** One instrumented batch. */
struct pp_vk_slot {
    struct pp_vk_slot *next; /**< free or pending list of the queue */
    uint64_t serial;
    VkCommandPool pool; /**< of the two; VK_NULL_HANDLE: it is for counts only */
    VkCommandBuffer before;
    VkCommandBuffer behind;
    bool recorded; /**< one of the two may be, since the pool was reset */
    bool has_before;
    bool has_behind;
    bool plain; /**< nothing of ours was submitted: counts only */
    bool host;  /**< the host reads the queries, which nobody resets before: no copies by the GPU; with it the
                       two of `own` */
    bool holds; /**< it has a share in the query pools until they are read */
    struct pp_results piece; /**< where the GPU copies to */
    uint8_t *own_memory;     /**< where the host reads to */
    uint32_t own_size;
    uint8_t *results;    /**< one of the two */
    uint32_t bytes;      /**< used */
    struct pp_chunk own; /**< two timestamps around the batch; pool made at first use */
    bool own_used;
    VkQueryPool bias_pool; /**< empty brackets; VK_NULL_HANDLE: not in this slot */
    uint32_t bias_offset;
    bool own_read;            /**< the last two have been read by the host; guarded by lock */
    struct pp_batch *batch;   /**< NULL: nothing is read, queries are only kept reset */
    struct pp_cmdbuf *lender; /**< whose program the batch has; valid until submitted; NULL: a copy */
    struct pp_landing *landing;
    uint32_t landings, landing_cap;
    struct pp_stat_landing *stat;
    uint32_t stats, stat_cap;
    struct pp_slot_copy *copy;
    uint32_t copies, copy_cap;
    pthread_mutex_t lock;       /**< over reading by the host; innermost */
    uint64_t turn;              /**< guarded by lock: how often it has been used */
    struct pp_perf_fill *fills; /**< counters on their way */
    struct pp_slot_part *part;  /**< of the program's command buffers, in order (cmdbuf_split.h) */
    uint32_t parts, part_cap;
    struct pp_slot_args args; /**< indirect arguments on theirs */
};

/** Fence that covers all slots of a queue up to a serial. */
struct pp_vk_fence {
    struct pp_vk_fence *next;
    VkFence fence;
    uint64_t serial;
    uint64_t loose; /**< and submissions that were not waited for */
};

/** A slot from the queue's free list, else a new one; empty. @param needed Also past PP_VK_MAX_SLOTS: without
 * it, the program's buffers could not run. @return NULL: limit or no memory. The submitting thread's. */
struct pp_vk_slot *pp_slot_get(struct pp_vk_queue *queue, bool needed);

/** Back to the free list, unsubmitted or done. */
void pp_slot_put(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Room in the result memory for slot->bytes. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_slot_memory(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Where its empty brackets were not read, another slot is to have some. The slot is done, or never ran. */
void pp_slot_no_bias(struct pp_vk_device *dev, struct pp_vk_slot *slot);

/** Read what the GPU does not copy and nobody has read so far; the slot is done. */
void pp_slot_read(struct pp_vk_device *dev, struct pp_vk_slot *slot);

/** Read what the host is to read of all that was submitted; the driver waits for it, as it does in each call:
 * pp_vk_quirk_results_wait(). */
void pp_slot_read_pending(struct pp_vk_queue *queue);

/**
 * A command buffer is about to be submitted again, which resets its queries: what its last run left in them
 * is read now, if the host is to read it. That run is over, or the program might not submit it; secondaries
 * too.
 */
void pp_slot_settle(struct pp_cmdbuf *cb);

/** It is about to be submitted: take a share in the query pools that the host will read. As soon as the
 * driver has the submission, another thread may see it complete and record its buffers anew, or submit them
 * again: they are not looked at any more. */
void pp_slot_hold(struct pp_vk_slot *slot);

/** It was not: the command buffers have them back. */
void pp_slot_unhold(struct pp_vk_slot *slot);

/** Give them back. */
void pp_slot_release(struct pp_vk_slot *slot);

/** Its own timestamp pool. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_slot_own(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Record both command buffers for what the slot lists. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_slot_record(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Empty brackets whose lengths are the resolution of a time; odd. */
#define PP_BIAS_BRACKETS 101U

/** It was submitted: it waits at the end of the pending list. */
void pp_slot_pend(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** A plain one was submitted: nothing will land, its counts go on at once. */
void pp_slot_land_plain(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Take back what has landed, of one queue. Any thread; never waits for the GPU. */
void pp_slot_collect(struct pp_vk_queue *queue);

/** All work of the queue has completed (the program waited for it): take everything back. */
void pp_slot_collect_all(struct pp_vk_queue *queue);

/** Hand on what never came: the device was lost. */
void pp_slot_abandon(struct pp_vk_queue *queue);

/** The program's fence was submitted behind all slots so far. */
void pp_fence_note(struct pp_vk_queue *queue, VkFence fence);

/** Up to which slot a fence of the program covers a queue; 0: none. Ask before waiting: afterwards another
 * thread may have submitted the same fence again. */
uint64_t pp_fence_noted(struct pp_vk_queue *queue, VkFence fence);

/** The program has seen that slots up to @p serial have completed. */
void pp_slot_done(struct pp_vk_queue *queue, uint64_t serial);

/** Is nothing of the queue pending any more, as far as we have been told? */
bool pp_slot_all_done(struct pp_vk_queue *queue);

/** A fence for the slots submitted so far; the submitting thread's. @return NULL: none can be made. */
struct pp_vk_fence *pp_fence_get(struct pp_vk_queue *queue);

/** It was submitted behind all slots so far (@p submitted), or not at all. */
void pp_fence_put(struct pp_vk_queue *queue, struct pp_vk_fence *fence, bool submitted);

/** Destroy all that a queue owns. Its work has completed. */
void pp_slot_destroy_all(struct pp_vk_queue *queue);

#endif
