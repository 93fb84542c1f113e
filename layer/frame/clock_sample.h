/** @file
 * Samples of the GPU's clock, from which core maps ticks to nanoseconds. ../readback/readback.h measures the
 * empty brackets. */
#ifndef PP_LAYER_FRAME_CLOCK_SAMPLE_H
#define PP_LAYER_FRAME_CLOCK_SAMPLE_H

#include "layer/base/device.h"

/** Read the CPU and the GPU clock at the same time, where the device can; at most every 100 ms. */
void pp_vk_sample_clock(struct pp_vk_device *dev);

#endif
