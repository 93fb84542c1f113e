/** @file
 * Module: frames whose fine rows are kept (--keep-slower-than): frames slower than a limit, and a number of
 * frames of the series before and after each. Every frame has its row in frames.csv at once. The fine rows of
 * a frame that is not slow wait: its batches stay in the queue until this many frames of its series have
 * ended that no slow one can be near. Frames that wait are lost at a kill; none of them was near a slow frame
 * so far. Collector thread only. */
#ifndef PP_CORE_COLLECT_FRAMES_KEPT_FRAMES_H
#define PP_CORE_COLLECT_FRAMES_KEPT_FRAMES_H

#include "core/collect/frames/frame_queue.h"

/**
 * Note that a frame has ended: it decides about the fine rows of the frames before. Ends of a series come in
 * order.
 *
 * @return How many frames should be kept now, but were given up before, because memory was short.
 */
uint64_t pp_kept_note_end(struct pp_frame_queue *list, const struct pp_session *session,
                          struct pp_queued_frame *queued);

/** Frames that have ended became a part of this one, which is one of the first frames: it is not slow. */
void pp_kept_forget(struct pp_queued_frame *queued, struct pp_frame_item *end);

/** Which rows of a frame are written when it is complete. @param is_frame false: its rows belong to no frame.
 */
enum pp_row_choice pp_kept_choice(const struct pp_session *session, const struct pp_queued_frame *queued,
                                  bool is_frame);

/** Must the fine rows of a complete frame, which pp_kept_choice() left out, wait? */
bool pp_kept_must_wait(const struct pp_session *session, const struct pp_queued_frame *queued);

/** Let a frame wait, whose row in frames.csv is written. */
void pp_kept_wait(struct pp_frame_queue *list, struct pp_queued_frame *queued);

/** Take a frame that need not wait any more, or the oldest one where too many wait. The caller writes its
 * fine rows if pp_queued_frame.keep is set, and removes it. @return NULL: none. */
struct pp_queued_frame *pp_kept_take(struct pp_frame_queue *list, const struct pp_session *session);

/** The application ends: remove all frames that wait. */
void pp_kept_end(struct pp_frame_queue *list, struct pp_session *session);

#endif
