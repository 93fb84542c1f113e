/** @file
 * Frame queue: frames that wait until all their batches have arrived. A queued frame holds its batches in
 * order, and its end when it has arrived. Collector thread only. */
#ifndef PP_CORE_COLLECT_FRAMES_FRAME_QUEUE_H
#define PP_CORE_COLLECT_FRAMES_FRAME_QUEUE_H

#include "core/collect/rows/stable_id.h"
#include "core/engine/session_private.h"

/** State of the draft rows of a held frame (frame_output.h). */
enum pp_drafted {
    PP_DRAFTED_NOT,   /**< the frame has no draft rows */
    PP_DRAFTED_REST,  /**< the draft rows belong to no frame */
    PP_DRAFTED_FRAME, /**< the draft rows belong to a frame */
};

/** One frame in the queue. */
struct pp_queued_frame {
    struct pp_queued_frame *next; /* pp_frame_queue.first or held */
    struct pp_timeline *timeline;
    uint64_t frame; /**< key of the frame */
    bool merged;    /**< the frame has taken in frames of other keys, whose batches may still come */
    struct pp_batch_item *batches; /* pp_batch_item.next, by order */
    size_t bytes;                  /**< bytes of the batches */
    uint32_t held;                 /**< number of batches in the queue */
    uint32_t arrived; /**< number of batches that have arrived, including those that were freed since */
    bool given_up;    /**< the frame held too much before it ended: its rows belong to no frame */
    struct pp_frame_item *end; /**< NULL until the frame's end arrives */
    enum pp_drafted drafted;   /**< state of the draft rows of a held frame */
    bool drafted_fine;         /**< the draft has its fine rows, too */
    uint64_t passed_ns;        /**< time during which newer frames of the same series have become complete */
    uint64_t passed_at_ns;     /**< when passed_ns was last updated; 0: not yet */
    uint64_t waited_ns;        /**< time for which the frame has been complete and waited for its streams */
    uint64_t waited_at_ns;     /**< when waited_ns was last updated; 0: not yet */
    bool keep;                 /**< with --keep-slower-than: its fine rows are written (held_frames.h) */
    struct pp_row_ids ids;     /**< of its rows, while the frame waits in pp_frame_queue.waiting */
};

/** All queued frames, oldest first. */
struct pp_frame_queue {
    struct pp_queued_frame *first;
    uint32_t count;
    size_t open_bytes;  /**< bytes of the batches of frames without an end */
    uint32_t open_held; /**< number of these batches */
    /* Frames that end with a wait, while it is not decided whether waits end frames: pp_frame_item.held */
    struct pp_queued_frame *held; /**< complete frames, oldest first */
    struct pp_queued_frame *held_last;
    size_t held_bytes;   /**< bytes of the batches of held frames */
    uint32_t held_count; /**< number of held frames */
    /* Frames whose row in frames.csv is written and whose fine rows wait: held_frames.h */
    struct pp_queued_frame *waiting; /**< oldest first */
    size_t waiting_bytes;            /**< bytes of their batches */
    uint32_t waiting_batches;        /**< number of these batches */
};

/** Is there a frame with this key in the queue? */
bool pp_frame_queue_has(const struct pp_frame_queue *list, uint64_t key);

/** Find the frame with this key, or make it. @return NULL: no memory. */
struct pp_queued_frame *pp_frame_queue_find(struct pp_frame_queue *list, uint64_t key,
                                            struct pp_timeline *timeline);

/** Must the frame be held: does it end with a wait while it is not decided whether waits end frames? See
 * held_frames.h. */
bool pp_frame_queue_is_held(const struct pp_queued_frame *queued);

/** Remove a frame from the list of queued frames. */
void pp_frame_queue_unlist(struct pp_frame_queue *list, struct pp_queued_frame *queued);

/** Append a frame to the list of queued frames. */
void pp_frame_queue_enlist(struct pp_frame_queue *list, struct pp_queued_frame *queued);

/** Insert a batch into a frame, sorted by order. */
void pp_frame_queue_add(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                        struct pp_batch_item *item);

/** Give a frame its end. The frame owns the end from now on. */
void pp_frame_queue_end(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                        struct pp_frame_item *end);

/** Stop counting a frame's batches as those of an open frame, because the frame has an end or is removed. */
void pp_frame_queue_close(struct pp_frame_queue *list, const struct pp_queued_frame *queued);

/** Give up the frame that holds most batches of all frames without an end. @return The frame with its
 * batches; NULL: there is none. */
struct pp_queued_frame *pp_frame_queue_give_up(struct pp_frame_queue *list);

/** Return a frame's batches to the session's free list. */
void pp_frame_queue_empty(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                          struct pp_session *session);

/** Make an end for a frame that has none, to write its batches as rows without a frame. @return NULL: the
 * frame has no actions, or there is no memory. Free with pp_frame_item_destroy(). */
struct pp_frame_item *pp_frame_queue_make_end(const struct pp_queued_frame *queued);

/** Remove older frames of a series that have no end. Frames of a series end in order, so their ends were
 * lost because the ring was full. */
void pp_frame_queue_forget_older(struct pp_frame_queue *list, const struct pp_queued_frame *than,
                                 struct pp_session *session);

/** Is the frame complete: has it ended, and have all its batches arrived? */
bool pp_frame_queue_complete(const struct pp_queued_frame *queued);

/** Note at time @p now that a frame is complete: older frames of its series have been passed by it. */
void pp_frame_queue_pass(struct pp_frame_queue *list, const struct pp_queued_frame *complete, uint64_t now);

/** Note at time @p now that a complete frame still waits for its streams. Only time in which the collector
 * runs counts, because the process may be stopped. @return How long the frame has waited, in nanoseconds. */
uint64_t pp_frame_queue_wait(struct pp_queued_frame *queued, uint64_t now);

/** Find the oldest frame that has ended, lacks batches, and has been passed for @p passed_ns. @return
 * NULL: none. */
struct pp_queued_frame *pp_frame_queue_passed(const struct pp_frame_queue *list, uint64_t passed_ns);

/** Sum the bytes of frames that have ended and lack batches. @return The oldest of these frames that holds
 * any batch; NULL: none. */
struct pp_queued_frame *pp_frame_queue_incomplete(const struct pp_frame_queue *list, size_t *ret_bytes,
                                                  uint32_t *ret_held);

/** Remove a frame from the queue, and free it and its end. Its batches return to the session's free list. */
void pp_frame_queue_remove(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                           struct pp_session *session);

#endif
