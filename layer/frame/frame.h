/** @file
 * Ends of frames, and the CPU's times in them. A present ends a frame. On devices that never present, a
 * frame marker ends it, else a submission with actions. See also core's timelines. */
#ifndef PP_LAYER_FRAME_FRAME_H
#define PP_LAYER_FRAME_FRAME_H

#include "core/util/log.h"
#include "layer/dispatch/device.h"

/** Note that a submission was accepted. @p begin_ns, @p end_ns: CLOCK_MONOTONIC before and after the
 * application's call. */
void pp_vk_frame_submitted(struct pp_vk_queue *queue, bool has_actions, uint64_t begin_ns, uint64_t end_ns);

/** End the open frame if the application called pp_annotate_frame() since the last call of this function.
 * Only for devices with a session. */
void pp_vk_frame_marked(struct pp_vk_device *dev);

/** End the open frame of a device without windows. */
void pp_vk_frame_end_now(struct pp_vk_device *dev);

/**
 * Report why an event is not measured, once for each device and event; also before the device is announced to
 * the session. Call it as pp_vk_missing_once(dev, PP_EVENT_x, PP_MSG_x, ...). Any thread; further calls cost
 * one read.
 *
 * @param event Lives as long as @p dev.
 */
__attribute__((format(printf, 4, 5))) void pp_vk_missing_once(struct pp_vk_device *dev, const char *event,
                                                              enum pp_message id, const char *format, ...);

/** End a device: wait for its work, take all results back, close its timeline. */
void pp_vk_frames_finish(struct pp_vk_device *dev);

/**
 * Announce the device to the session, and open a timeline for one of its series of frames, if that has not
 * happened. The first submission calls this function, so an application that only looks at devices leaves no
 * trace.
 *
 * @return NULL: profiling is off for this device (reported once).
 */
struct pp_timeline *pp_vk_device_timeline(struct pp_vk_device *dev, struct pp_vk_surface *surface);

/** Read the CPU and the GPU clock at the same time, where the device can; at most every 100 ms. */
void pp_vk_sample_clock(struct pp_vk_device *dev);

#endif
