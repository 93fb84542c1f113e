/** @file
 * Announces a device to the session: its name, its driver, its counter sources, and what cannot be measured
 * on it. ../frame/frame.h calls it. */
#ifndef PP_LAYER_DISPATCH_ANNOUNCE_H
#define PP_LAYER_DISPATCH_ANNOUNCE_H

#include "core/util/log.h"
#include "layer/dispatch/device.h"

/**
 * Announce a device, its sources and what it lacks to the session; sets dev->core. Call it once for each
 * device, with dev->frames.lock.
 *
 * @retval 0.
 * @retval -ENOMEM The device is stopped: it is not measured.
 */
__attribute__((warn_unused_result)) int pp_vk_announce(struct pp_vk_device *dev);

/**
 * Report why an event is not measured, once for each device and event; also before the device is announced to
 * the session. Call it as pp_vk_announce_missing(dev, PP_EVENT_x, PP_MSG_x, ...). Any thread; further calls
 * cost one read.
 *
 * @param event Lives as long as @p dev.
 */
__attribute__((format(printf, 4, 5))) void pp_vk_announce_missing(struct pp_vk_device *dev, const char *event,
                                                                  enum pp_message id, const char *format,
                                                                  ...);

#endif
