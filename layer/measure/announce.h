/** @file
 * Announces a device to the session: its name, its driver, its counter sources, and what cannot be measured
 * on it. ../frame/frame.h calls it. */
#ifndef PP_LAYER_MEASURE_ANNOUNCE_H
#define PP_LAYER_MEASURE_ANNOUNCE_H

#include "layer/base/device.h"

/**
 * Announce a device, its sources and what it lacks to the session; sets dev->core. Call it once for each
 * device, with dev->frames.lock.
 *
 * @retval 0.
 * @retval -ENOMEM The device is stopped: it is not measured.
 */
__attribute__((warn_unused_result)) int pp_vk_announce(struct pp_vk_device *dev);

#endif
