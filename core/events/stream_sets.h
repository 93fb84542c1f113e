/** @file
 * Which counter set the streaming sources of a device measure (PP_READ_STREAM: the kernel's OA unit). A
 * source loses what the kernel has not delivered when its set changes, and the GPU works on frames long after
 * their end. So a set is measured for some frames, and changes when all their rows are done. Frames that
 * begin between are measured with no set. */
#ifndef PP_CORE_EVENTS_STREAM_SETS_H
#define PP_CORE_EVENTS_STREAM_SETS_H

#include <stdint.h>

struct pp_device;
struct pp_stream_sets;

/** Prepare the state. */
void pp_stream_sets_init(struct pp_stream_sets *sets);

/** Counterpart of pp_stream_sets_init(). */
void pp_stream_sets_finish(struct pp_stream_sets *sets);

/** A frame begins. Called on the presenting thread. @param set The counter set that is the frame's in the
 * rotation; replaced by the current one while that has its turn. @return The set's turn, for
 * pp_stream_sets_done(); 0: the frame is measured with no set. */
uint32_t pp_stream_sets_begin(struct pp_device *device, uint8_t *set);

/** The rows of a frame are done, or the frame has none. @p turn Of pp_stream_sets_begin(). Any thread. */
void pp_stream_sets_done(struct pp_device *device, uint32_t turn);

#endif
