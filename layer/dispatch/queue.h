/** @file
 * The life of queues: the layer knows a queue from the moment when the application gets it, until its device
 * is destroyed. */
#ifndef PP_LAYER_DISPATCH_QUEUE_H
#define PP_LAYER_DISPATCH_QUEUE_H

#include "layer/base/device.h"

/** Take back all results of a device's queues, and destroy the queues. The device is idle. */
void pp_vk_queue_destroy_all(struct pp_vk_device *dev);

#endif
