/** @file
 * What one instrumented batch of a submission needs on the GPU, and how its results return. A slot holds
 * memory for the results. Where needed, it also holds a command buffer that resets queries before the work
 * and one that copies results after it. Slots are pending in the queue's order. A fence of the layer, or a
 * wait of the application, shows up to which slot they are done. See also core's batches. */
#ifndef PP_LAYER_SUBMIT_READBACK_H
#define PP_LAYER_SUBMIT_READBACK_H

#include "layer/dispatch/device.h"
#include "layer/record/indirect.h"
#include "layer/record/query_pool.h"
#include "layer/submit/result_memory.h"

/** Result of one timestamp: value and availability. */
#define PP_TIME_BYTES 16U

#define PP_NO_OFFSET  UINT32_MAX

/** Most bytes of results; a batch with more is refused. */
#define PP_SLOT_BYTES (1U << 30)

/** Result slot of a bracket's timestamps, as offsets in bytes; PP_NO_OFFSET: not written. */
struct pp_landing {
    uint32_t begin;
    uint32_t end;
    uint8_t want;         /**< enum pp_status of statistics without results: not measured here, or measured in
                               the draws */
    bool incomplete;      /**< a part of the work was not counted: no statistics, whatever the results are */
    bool perf_incomplete; /**< a part of the work was not counted: no counters */
    bool perf_begun;      /**< some work of the bracket was recorded; the next members say how */
    bool perf_lands;      /**< its counters were measured */
    bool perf_actions;    /**< its counters were measured in the actions */
    uint8_t perf_set;     /**< its counter set */
};

/** Result slot of a statistics query, and the bracket that the query counts for. */
struct pp_stat_landing {
    uint32_t bracket;
    uint32_t offset;
    VkQueryPipelineStatisticFlags mask;
    uint8_t values; /**< bits in it */
    bool more;      /**< the query before it has another view's part of the same count */
};

/** Queries to reset before the work and to read after it. */
struct pp_slot_copy {
    struct pp_query_run run;
    struct pp_queries *owner; /**< belongs to the command buffer until submitted */
    bool shared;              /**< the command buffer keeps its share: it may be submitted again */
    bool read;                /**< the CPU has read it; guarded by the slot's lock */
    enum pp_query_kind kind;
    uint32_t offset;
    uint32_t stride; /**< 0: only reset */
};

/** A part of a command buffer, as brackets of the batch; PP_NO_BRACKET: none. */
struct pp_slot_part {
    uint32_t bracket; /**< bracket that the part contains completely */
    uint32_t around;  /**< bracket of a pass that contains the part (struct pp_split_part) */
};

/** One instrumented batch. */
struct pp_vk_slot {
    struct pp_vk_slot *next; /**< free or pending list of the queue */
    uint64_t serial;
    VkCommandPool pool; /**< of the two command buffers; VK_NULL_HANDLE: the slot only counts */
    VkCommandBuffer before;
    VkCommandBuffer behind;
    bool recorded; /**< one of the two may be recorded since the pool was reset */
    bool has_before;
    bool has_behind;
    bool plain; /**< nothing of the layer was submitted: counts only */
    bool host;  /**< the CPU reads the queries, and no other submission resets them first: no copies by the
                     GPU; includes the two queries of `own` */
    bool holds; /**< the slot shares the query pools until the queries are read */
    struct pp_results piece; /**< where the GPU copies results to */
    uint8_t *own_memory;     /**< where the CPU reads results to */
    uint32_t own_size;
    uint8_t *results;    /**< `piece` or `own_memory` */
    uint32_t bytes;      /**< bytes of it that are used */
    struct pp_chunk own; /**< two timestamps around the batch; pool made at first use */
    bool own_used;
    VkQueryPool bias_pool; /**< empty brackets; VK_NULL_HANDLE: not in this slot */
    uint32_t bias_offset;
    bool own_read;            /**< the CPU has read `own` and `bias_pool`; guarded by lock */
    struct pp_batch *batch;   /**< NULL: nothing is read, queries are only kept reset */
    struct pp_cmdbuf *lender; /**< the command buffer whose action list the batch borrows; valid until
                                   submitted; NULL: a copy */
    struct pp_landing *landing;
    uint32_t landings, landing_cap;
    struct pp_stat_landing *stat;
    uint32_t stats, stat_cap;
    struct pp_slot_copy *copy;
    uint32_t copies, copy_cap;
    pthread_mutex_t lock;       /**< held while the CPU reads; innermost */
    uint64_t turn;              /**< guarded by lock: number of times that the slot was used */
    struct pp_perf_fill *fills; /**< results of counters that are not available yet */
    struct pp_slot_part *part;  /**< parts of the application's command buffers, in order (cmdbuf_split.h) */
    uint32_t parts, part_cap;
    struct pp_slot_args args; /**< indirect arguments that are not available yet */
};

/** A fence that covers all slots of a queue up to a serial. */
struct pp_vk_fence {
    struct pp_vk_fence *next;
    VkFence fence;
    uint64_t serial;
    uint64_t loose; /**< covers this many submissions that were not waited for, too */
};

/**
 * Get an empty slot: from the queue's free list, else a new one. Called by the submitting thread.
 *
 * @param needed Exceed PP_VK_MAX_SLOTS if necessary: without the slot, the application's buffers could not
 * run.
 * @return NULL: limit reached or no memory.
 */
struct pp_vk_slot *pp_slot_get(struct pp_vk_queue *queue, bool needed);

/** Put a slot that is done, or was not submitted, back to the free list. */
void pp_slot_put(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Make result memory for slot->bytes. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_slot_memory(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Let another slot measure empty brackets if those of this slot were not read. The slot is done, or never
 * ran. */
void pp_slot_no_bias(struct pp_vk_device *dev, struct pp_vk_slot *slot);

/** Read the queries of a slot that the GPU does not copy and that are still unread. The slot is done. */
void pp_slot_read(struct pp_vk_device *dev, struct pp_vk_slot *slot);

/** Read all submitted queries that the CPU has to read. The driver waits for them, as it does in each call:
 * pp_vk_quirk_results_wait(). */
void pp_slot_read_pending(struct pp_vk_queue *queue);

/** Read the results of a command buffer's last run, if the CPU has to read them, because the next submission
 * resets its queries. The last run is complete, or the application could not lawfully submit the buffer.
 * Includes secondaries. */
void pp_slot_settle(struct pp_cmdbuf *cb);

/** Let a slot share the query pools that the CPU will read, before it is submitted. Do not use its command
 * buffers afterwards: as soon as the driver has the submission, another thread may see it complete and record
 * or submit them again. */
void pp_slot_hold(struct pp_vk_slot *slot);

/** Undo pp_slot_hold() for a slot that was not submitted: the queries belong to the command buffers again. */
void pp_slot_unhold(struct pp_vk_slot *slot);

/** Give up a slot's share in the query pools. */
void pp_slot_release(struct pp_vk_slot *slot);

/** Make a slot's own timestamp pool. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_slot_own(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Record both command buffers of a slot, for the queries that the slot lists. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_slot_record(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Number of empty brackets, whose lengths are the resolution of a time; odd. */
#define PP_BIAS_BRACKETS 101U

/** Append a submitted slot to the pending list. */
void pp_slot_pend(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Retire a plain slot that was submitted: it has no results, so its counts go on at once. */
void pp_slot_land_plain(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

/** Take back the available results of one queue. Any thread; never waits for the GPU. */
void pp_slot_collect(struct pp_vk_queue *queue);

/** Take all results of a queue back: all its work has completed, because the application waited for it. */
void pp_slot_collect_all(struct pp_vk_queue *queue);

/** Hand on the batches of a lost device, whose results will never be available. */
void pp_slot_abandon(struct pp_vk_queue *queue);

/** Note that the application submitted a fence after all slots so far. */
void pp_fence_note(struct pp_vk_queue *queue, VkFence fence);

/** Serial of the last slot of a queue that a fence of the application covers; 0: none. Ask before the wait:
 * after it, another thread may have submitted the same fence again. */
uint64_t pp_fence_noted(struct pp_vk_queue *queue, VkFence fence);

/** Note that the application has seen the slots up to @p serial complete. */
void pp_slot_done(struct pp_vk_queue *queue, uint64_t serial);

/** Is nothing of the queue pending any more, as far as the layer knows? */
bool pp_slot_all_done(struct pp_vk_queue *queue);

/** Get a fence for the slots submitted so far. Called by the submitting thread. @return NULL: no fence can be
 * made. */
struct pp_vk_fence *pp_fence_get(struct pp_vk_queue *queue);

/** Put a fence back. @param submitted It was submitted after all slots so far; false: it was not submitted.
 */
void pp_fence_put(struct pp_vk_queue *queue, struct pp_vk_fence *fence, bool submitted);

/** Destroy everything that a queue owns. Its work has completed. */
void pp_slot_destroy_all(struct pp_vk_queue *queue);

#endif
