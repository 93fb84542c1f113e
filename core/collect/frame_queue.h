/** @file
 * Frames that are not complete yet: their batches in order, and their end once it came. Collector
 * thread only. */
#ifndef PP_CORE_COLLECT_FRAME_QUEUE_H
#define PP_CORE_COLLECT_FRAME_QUEUE_H

#include "core/engine/session_private.h"

/** The rows of a held frame in the files' tail (draft.h). */
enum pp_drafted {
    PP_DRAFTED_NOT,   /**< it has none */
    PP_DRAFTED_REST,  /**< they stand in no frame */
    PP_DRAFTED_FRAME, /**< they stand in a frame */
};

/** One frame under way. */
struct pp_queued_frame {
    struct pp_queued_frame *next; /* pp_frame_queue.first or held */
    struct pp_timeline *timeline;
    uint64_t frame;                /**< its key */
    bool merged;                   /**< it took in frames of other keys, whose batches may still come */
    struct pp_batch_item *batches; /* pp_batch_item.next, by order */
    size_t bytes;                  /**< of the batches */
    uint32_t held;                 /**< batches */
    uint32_t arrived;              /**< batches, those that were let go too */
    bool given_up;                 /**< it held too much before it ended: its work stands in no frame */
    struct pp_frame_item *end;     /**< NULL until it came */
    enum pp_drafted drafted;       /**< of a held frame */
    uint64_t passed_ns;            /**< for which newer frames of its series have been completed */
    uint64_t passed_at_ns;         /**< when that was counted last; 0: not yet */
    uint64_t waited_ns;            /**< for which it has been complete and looked at, for its streams */
    uint64_t waited_at_ns;         /**< when that was counted last; 0: not yet */
};

/** All of them, oldest first. */
struct pp_frame_queue {
    struct pp_queued_frame *first;
    uint32_t count;
    size_t open_bytes;  /**< of the batches of frames without an end */
    uint32_t open_held; /**< those batches */
    /* frames that end with a wait, while it is open whether waits end frames: pp_frame_item.held */
    struct pp_queued_frame *held; /**< complete ones, oldest first */
    struct pp_queued_frame *held_last;
    size_t held_bytes;   /**< of their batches */
    uint32_t held_count; /**< of these frames */
};

/** Is there a frame of this key? */
bool pp_frame_queue_has(const struct pp_frame_queue *list, uint64_t key);

/** The frame of this key, made if it is not there. @return NULL: no memory. */
struct pp_queued_frame *pp_frame_queue_find(struct pp_frame_queue *list, uint64_t key,
                                            struct pp_timeline *timeline);

/** Does it end with a wait, and is it open whether that ends a frame? See held.h. */
bool pp_frame_queue_is_held(const struct pp_queued_frame *queued);

/** Take a frame off the list of those under way. */
void pp_frame_queue_unlist(struct pp_frame_queue *list, struct pp_queued_frame *queued);

/** Put a frame behind those under way. */
void pp_frame_queue_enlist(struct pp_frame_queue *list, struct pp_queued_frame *queued);

/** Put a batch into its place by order. */
void pp_frame_queue_add(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                        struct pp_batch_item *item);

/** The frame's end came; owned from now on. */
void pp_frame_queue_end(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                        struct pp_frame_item *end);

/** It has an end, or is gone: what it holds does not count as an open frame's any more. */
void pp_frame_queue_close(struct pp_frame_queue *list, const struct pp_queued_frame *queued);

/** Give up the frame without an end that holds most. @return It, with its batches; NULL: there is none. */
struct pp_queued_frame *pp_frame_queue_give_up(struct pp_frame_queue *list);

/** Its batches go back to the session's free ones. */
void pp_frame_queue_empty(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                          struct pp_session *session);

/** The end of a frame that has none: what is there becomes rows without a frame. @return NULL: it has no
 * work, or there is no memory. Free with pp_frame_item_destroy(). */
struct pp_frame_item *pp_frame_queue_without_end(const struct pp_queued_frame *queued);

/** Frames of a series end in order: older ones than this without an end lost it, with a full ring. They go.
 */
void pp_frame_queue_forget_older(struct pp_frame_queue *list, const struct pp_queued_frame *than,
                                 struct pp_session *session);

/** Has it surely ended, and are all its batches back? */
bool pp_frame_queue_complete(const struct pp_queued_frame *queued);

/** A frame has become complete @p now: older ones of its series have been passed by it. */
void pp_frame_queue_pass(struct pp_frame_queue *list, const struct pp_queued_frame *complete, uint64_t now);

/** A complete frame is looked at @p now, and its streams have not come as far. Time in which nobody looks
 * does not count: the application may be stopped. @return For how long it has waited. */
uint64_t pp_frame_queue_wait(struct pp_queued_frame *queued, uint64_t now);

/** The oldest frame that has ended, lacks batches, and has been passed for @p passed_ns. @return NULL: none.
 */
struct pp_queued_frame *pp_frame_queue_passed(const struct pp_frame_queue *list, uint64_t passed_ns);

/** What frames hold that have ended and lack batches. @return The oldest of them that holds any; NULL: none.
 */
struct pp_queued_frame *pp_frame_queue_incomplete(const struct pp_frame_queue *list, size_t *ret_bytes,
                                                  uint32_t *ret_held);

/** Take it off the list and free it, its end and its batches (to the session's free ones). */
void pp_frame_queue_remove(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                           struct pp_session *session);

#endif
