/** @file
 * Module: frames whose end is a guess. An application that has not presented yet, but may present, ends
 * frames with waits, submissions or marks (PP_END_WAIT). The frame of its first present then contains
 * everything before, so that an application that presents has as many frames as presents. Until then such
 * frames are held in memory.
 *
 * Held frames become frames when the application ends, or when passprobe decides that the application never
 * presents. It decides so if the series has at least pp_frame_times.waits_min held frames, and PP_HELD_MAX
 * frames are held, or they hold a quarter of the bytes that may wait for the collector, or ten seconds have
 * passed. Collector thread only.
 *
 * Module: frames whose fine rows are kept (--keep-slower-than): frames slower than a limit, and a number of
 * frames of the series before and after each. Every frame has its row in frames.csv at once. The fine rows of
 * a frame that is not slow wait: its batches stay in the queue until this many frames of its series have
 * ended that no slow one can be near. Frames that wait are lost at a kill; none of them was near a slow frame
 * so far. Collector thread only. */
#ifndef PP_CORE_COLLECT_FRAMES_HELD_FRAMES_H
#define PP_CORE_COLLECT_FRAMES_HELD_FRAMES_H

#include "core/collect/frames/frame_queue.h"

/** Hold a frame for which pp_frame_queue_is_held() is true and whose batches have all arrived. */
void pp_held_add(struct pp_frame_queue *list, struct pp_queued_frame *queued);

/**
 * Handle an end that has arrived and is not yet given to its frame. The frame takes in what is held for it,
 * or held frames are released, or the frame gets its number.
 *
 * @return True: held frames are in the queue again and may be complete.
 */
bool pp_held_handle_end(struct pp_frame_queue *list, struct pp_queued_frame *queued,
                        struct pp_frame_item *end);

/** Release held frames if they hold too much memory or are held for too long. @return As
 * pp_held_handle_end(). */
bool pp_held_let_go(struct pp_frame_queue *list, const struct pp_session *session, uint64_t now);

/** End the application's held frames: they become frames, or, if there are fewer than
 * pp_frame_times.waits_min, rows without a frame. All of them are in the queue again. */
void pp_held_end(struct pp_frame_queue *list);

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
