/** @file
 * Module: frames whose end is a guess. An application that has not presented yet, but may present, ends
 * frames with waits, submissions or marks (PP_END_WAIT). The frame of its first present then contains
 * everything before, so that an application that presents has as many frames as presents. Until then such
 * frames are held in memory.
 *
 * Held frames become frames when the application ends, or when passprobe decides that the application never
 * presents. It decides so if the series has at least pp_frame_times.waits_min held frames, and PP_HELD_MAX
 * frames are held, or they hold a quarter of the bytes that may wait for the collector, or ten seconds have
 * passed. Collector thread only. */
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

#endif
