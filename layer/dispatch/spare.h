/** @file
 * Records of instances, devices and queues. Static records are used when memory is short. Therefore an
 * allocation of the layer never decides whether the application gets an instance, a device or a queue. An
 * object with a spare record is not measured, and one message says so. This file does not know
 * what a record contains. See also device.h. */
#ifndef PP_LAYER_DISPATCH_SPARE_H
#define PP_LAYER_DISPATCH_SPARE_H

#include "layer/base/device.h"

/** An empty record of an instance. @return NULL: no memory, and the spare ones are all in use. Any thread. */
struct pp_vk_instance *pp_vk_instance_new(void);
void pp_vk_instance_free(struct pp_vk_instance *inst);

/** An empty record of a device. @return NULL: no memory, and the spare ones are all in use. Any thread. */
struct pp_vk_device *pp_vk_device_new(void);
void pp_vk_device_free(struct pp_vk_device *dev);

/** An empty record of a queue, with the scratch of its submissions. @param ret_spare Is it a spare one?
 * @return NULL: no memory, and the spare ones are all in use. Any thread. */
struct pp_vk_queue *pp_vk_queue_new(bool *ret_spare);
void pp_vk_queue_free(struct pp_vk_queue *queue);

#endif
