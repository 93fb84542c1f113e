/** @file
 * Room: what ends a frame, and the CPU's times in it. A frame is a present; for devices that never present,
 * their frame markers, else a submission with work. Next room: core's timelines. */
#ifndef PP_LAYER_FRAME_H
#define PP_LAYER_FRAME_H

#include "layer/device.h"

/** A submission was accepted. @p begin_ns, @p end_ns: CLOCK_MONOTONIC around the program's call. */
void pp_vk_frame_submitted(struct pp_vk_queue *queue, bool work, uint64_t begin_ns, uint64_t end_ns);

/** Ends the open frame if the program has called pp_annotate_frame() since this was asked last. Only for
 * devices with a session. */
void pp_vk_frame_marked(struct pp_vk_device *dev);

/** The open frame of a device without windows ends. */
void pp_vk_frame_end_now(struct pp_vk_device *dev);

/** Say why an event is not measured; also before the device is announced to the session. */
void pp_vk_frame_missing(struct pp_vk_device *dev, const char *event, const char *reason);

/** The device ends: wait for its work, take everything back, close its timeline. */
void pp_vk_frames_finish(struct pp_vk_device *dev);

#endif
