/** @file
 * Plans the command buffers that one call of vkQueueSubmit will hold: the application's, with the layer's
 * before and after those that contain queries. Knows one form for vkQueueSubmit and vkQueueSubmit2. See
 * also submit.c. */
#ifndef PP_LAYER_SUBMIT_REWRITE_H
#define PP_LAYER_SUBMIT_REWRITE_H

#include "layer/submit/flatten.h"

/** One command buffer to submit. */
struct pp_rewrite_item {
    VkCommandBuffer handle;
    uint32_t source;            /**< index in the application's list; PP_REWRITE_ADDED: none */
    const struct pp_cmdbuf *cb; /**< the application's command buffer; NULL: the layer's, or unknown */
    const struct pp_vk_readback *readback; /**< readback that it belongs to; may be NULL */
    uint32_t part;                         /**< index of its first part in readback->part */
};

#define PP_REWRITE_ADDED UINT32_MAX

/** A queue's scratch memory for one submission; kept for the next. */
struct pp_rewrite {
    struct pp_flatten flatten;
    struct pp_rewrite_item *item;
    uint32_t items, item_cap;
    struct pp_cmdbuf **record; /**< records of the current batch; NULL for unknown buffers */
    uint32_t record_cap;
    struct pp_vk_readback *first, *last; /**< readbacks of this call */
    uint32_t *counts;                    /**< items of each batch */
    uint32_t count_cap;
    void *memory; /**< rewritten submit-infos */
    size_t memory_size;
    struct pp_vk_labels open;      /**< labels that are open on the queue after the batches so far */
    struct pp_vk_surface *surface; /**< gets the actions that no window's image identifies */
    bool resets_only;              /**< actions are only counted: the second attempt, after a refusal */
    bool has_passes;               /**< some buffers have passes */
    bool has_actions;              /**< some buffers have passes other than those of barriers */
    bool queries;  /**< some buffers have queries of the layer, which must not run without resets */
    bool measures; /**< a buffer of this call measures counters */
    bool added;    /**< an item is the layer's */
    bool failed;   /**< out of memory: do not submit the rewritten call */
};

/**
 * Begin to rewrite a call, in queue->rewrite.
 *
 * @param surface For pp_rewrite.surface.
 * @param resets_only Reset queries and count, but measure nothing.
 */
void pp_rewrite_begin(struct pp_vk_queue *queue, struct pp_vk_surface *surface, bool resets_only);

/**
 * Rewrite one batch; appends to rewrite->item.
 *
 * @param buffers Command buffers of the application, in order.
 * @param closed  Nothing may be added (protected, unknown structs): the buffers stay as they are and are only
 *                counted. If they have queries, the first item is a command buffer of the layer with
 *                the resets, for a separate batch before this one.
 * @return Number of items appended; meaningless if rewrite->failed is set now.
 */
uint32_t pp_rewrite_batch(struct pp_vk_queue *queue, struct pp_rewrite *rewrite,
                          const VkCommandBuffer *buffers, uint32_t count, bool closed);

/** Make the readbacks of a rewrite pending, after the driver accepted the submission. */
void pp_rewrite_commit(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, uint64_t issued_ns,
                       uint64_t overhead_ns);

/** Undo a rewrite whose submission the driver did not accept. */
void pp_rewrite_abort(struct pp_vk_queue *queue, struct pp_rewrite *rewrite);

/** Make memory for the number of items of each batch. @return NULL: no memory. */
uint32_t *pp_rewrite_counts(struct pp_rewrite *rewrite, uint32_t batches);

/** Get @p size bytes for rewritten structs, valid until the next rewrite. @return NULL: no memory. */
void *pp_rewrite_memory(struct pp_rewrite *rewrite, size_t size);

/** Free the scratch. */
void pp_rewrite_finish(struct pp_rewrite *rewrite);

#endif
