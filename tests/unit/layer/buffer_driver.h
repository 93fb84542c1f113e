/** @file
 * A fake driver with buffers and memory, for the modules of the layer that allocate them. It counts objects,
 * and refuses where a test asks for it. */
#ifndef PP_TESTS_UNIT_LAYER_BUFFER_DRIVER_H
#define PP_TESTS_UNIT_LAYER_BUFFER_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/base/device.h"

/** State of the driver; buffer_driver_open() clears it. */
extern struct buffer_driver {
    _Atomic(uintptr_t) buffers,
        memories; /**< number of buffers made; a buffer's handle is its number, from 1 */
    _Atomic(int) live_buffers, live_memories;
    bool refuse_buffer, refuse_memory, refuse_bind;
    /* of the newest buffer */
    _Atomic(VkDeviceSize) size;
    _Atomic(VkSharingMode) mode;
    _Atomic(uint32_t) families;
} buffer_driver;

/** Use the driver for @p dev: functions and one type of memory, which the host can map. */
void buffer_driver_open(struct pp_vk_device *dev);

#endif
