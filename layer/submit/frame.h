/** @file
 * What ends a frame, and the CPU's times in it. A frame is a present; for devices that never present,
 * their frame markers, else a submission with work. See also core's timelines. */
#ifndef PP_LAYER_SUBMIT_FRAME_H
#define PP_LAYER_SUBMIT_FRAME_H

#include "core/util/log.h"
#include "layer/dispatch/device.h"

/** A submission was accepted. @p begin_ns, @p end_ns: CLOCK_MONOTONIC around the application's call. */
void pp_vk_frame_submitted(struct pp_vk_queue *queue, bool action, uint64_t begin_ns, uint64_t end_ns);

/** Ends the open frame if the application has called pp_annotate_frame() since this was asked last. Only for
 * devices with a session. */
void pp_vk_frame_marked(struct pp_vk_device *dev);

/** The open frame of a device without windows ends. */
void pp_vk_frame_end_now(struct pp_vk_device *dev);

/** Give a reason why an event is not measured, once for each device and id; also before the device is
 * announced to the session. Call it as pp_vk_missing_once(dev, PP_EVENT_x, PP_MSG_x, ...). @param event Lives
 * as long as @p dev. Any thread; further calls cost one read. */
__attribute__((format(printf, 4, 5))) void pp_vk_missing_once(struct pp_vk_device *dev, const char *event,
                                                              enum pp_message id, const char *format, ...);

/** The device ends: wait for its work, take everything back, close its timeline. */
void pp_vk_frames_finish(struct pp_vk_device *dev);

#endif
