/** @file
 * Batches on their way to the collector and back: they are recycled, so that after a few frames none is
 * allocated. This file knows no graphics API. */
#ifndef PP_CORE_ENGINE_BATCH_POOL_H
#define PP_CORE_ENGINE_BATCH_POOL_H

#include <stdbool.h>

#include "core/model/batch.h"

struct pp_session;

/** Kind of an item in the ring; the first member of each item. */
enum pp_item_kind { PP_ITEM_BATCH, PP_ITEM_FRAME_END, PP_ITEM_TIMELINE_END };
struct pp_item {
    enum pp_item_kind kind;
};

/** A batch as the ring carries it. */
struct pp_batch_item {
    struct pp_item head;
    struct pp_batch_item *next; /* pp_queued_frame.batches, by order */
    size_t bytes;               /**< of its arrays, while it waits or is free */
    uint32_t small_uses;        /**< consecutive uses that needed little memory */
    struct pp_batch batch;
};

/** Get an unused batch item, or a new one. @return NULL at a limit or without memory. */
struct pp_batch_item *pp_batch_item_get(struct pp_session *session);

/** Give a batch item to the collector. @return false: the ring is full; recycle the item. */
__attribute__((warn_unused_result)) bool pp_batch_item_put(struct pp_session *session,
                                                           struct pp_batch_item *item);

/** Keep a batch item for its next use. */
void pp_batch_item_recycle(struct pp_session *session, struct pp_batch_item *item);

/** Free a batch item. */
void pp_batch_item_destroy(struct pp_batch_item *item);

/** Free batches that wait for their next use, until they have no more than @p needed bytes or a small fixed
 * number. @return Some were freed. Any thread. */
bool pp_batch_items_shrink(struct pp_session *session, size_t needed);

#endif
