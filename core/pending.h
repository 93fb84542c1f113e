/** @file
 * Room: frames that are not complete yet: their batches in order, and their end once it came. Collector
 * thread only. */
#ifndef PP_CORE_PENDING_H
#define PP_CORE_PENDING_H

#include "core/session_private.h"

/** One frame under way. */
struct pp_pending {
    struct pp_pending *next; /* pp_pending_list.first */
    const struct pp_timeline *timeline;
    uint64_t frame;
    struct pp_batch_item *batches; /* pp_batch_item.next, by order */
    size_t bytes;                  /**< of the batches */
    uint32_t held;                 /**< batches */
    uint32_t arrived;              /**< batches, those that were let go too */
    bool given_up;                 /**< it held too much before it ended: its work stands in no frame */
    struct pp_frame_item *end;     /**< NULL until it came */
};

/** All of them, oldest first. */
struct pp_pending_list {
    struct pp_pending *first;
    uint32_t count;
    size_t open_bytes;  /**< of the batches of frames without an end */
    uint32_t open_held; /**< those batches */
};

/** The frame of this number, made if it is not there. @return NULL: no memory. */
struct pp_pending *pp_pending_find(struct pp_pending_list *list, uint64_t frame,
                                   const struct pp_timeline *timeline);

/** Put a batch into its place by order. */
void pp_pending_add(struct pp_pending_list *list, struct pp_pending *pending, struct pp_batch_item *item);

/** The frame's end came; owned from now on. */
void pp_pending_end(struct pp_pending_list *list, struct pp_pending *pending, struct pp_frame_item *end);

/** Give up the frame without an end that holds most. @return It, with its batches; NULL: there is none. */
struct pp_pending *pp_pending_give_up(struct pp_pending_list *list);

/** Its batches go back to the session's free ones. */
void pp_pending_empty(struct pp_pending_list *list, struct pp_pending *pending, struct pp_session *session);

/** The end of a frame that has none: what is there becomes rows without a frame. @return NULL: it has no
 * work, or there is no memory. Free with pp_frame_item_destroy(). */
struct pp_frame_item *pp_pending_without_end(const struct pp_pending *pending);

/** Has it ended, and are all its batches back? */
bool pp_pending_complete(const struct pp_pending *pending);

/** Take it off the list and free it, its end and its batches (to the session's free ones). */
void pp_pending_remove(struct pp_pending_list *list, struct pp_pending *pending, struct pp_session *session);

#endif
