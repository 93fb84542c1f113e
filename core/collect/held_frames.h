/** @file
 * Module: frames whose end is a guess. An application that has not presented, but may, ends frames with
 * waits, submissions or marks (PP_END_WAIT). The frame of its first present takes in all that came before, so
 * that an application that presents, be it once, has as many frames as presents. Until then these frames are
 * held in memory. They are let go, and are frames, when the application ends, or when it is taken for one
 * that never presents: with PP_HELD_MAX frames held, with a quarter of the bytes that may wait for the
 * collector, or after ten seconds, if there are pp_frame_times.waits_min of them. Collector thread only. */
#ifndef PP_CORE_COLLECT_HELD_FRAMES_H
#define PP_CORE_COLLECT_HELD_FRAMES_H

#include "core/collect/frame_queue.h"

/** Hold a frame that pp_frame_queue_is_held() and whose batches are all back. */
void pp_held_add(struct pp_frame_queue *list, struct pp_queued_frame *queued);

/**
 * An end came, and is not yet given to its frame: take in what is held for it, or let it go, or number the
 * frame.
 *
 * @return Frames that were held are under way again, and may be complete.
 */
bool pp_held_take_end(struct pp_frame_queue *list, struct pp_queued_frame *queued, struct pp_frame_item *end);

/** Let go of what is held if that is too much, or for too long. @return As pp_held_take_end(). */
bool pp_held_let_go(struct pp_frame_queue *list, const struct pp_session *session, uint64_t now);

/** The application ends: what is held become frames; where that is less than pp_frame_times.waits_min, work
 * without a frame. All of it is under way again. */
void pp_held_end(struct pp_frame_queue *list);

#endif
