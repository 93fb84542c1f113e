/** @file
 * What may keep a submission from ending: values of timeline semaphores, which the host or a later
 * submission may signal, events, semaphores from elsewhere. See also serialize.h, slot.h. */
#ifndef PP_LAYER_SUBMIT_HOST_WAIT_H
#define PP_LAYER_SUBMIT_HOST_WAIT_H

#include "layer/dispatch/device.h"

/** A call of vkQueueSubmit or vkQueueSubmit2. */
struct pp_hold_call {
    uint32_t count;
    const VkSubmitInfo *submits;
    const VkSubmitInfo2 *submits2; /**< one of the two */
};

/**
 * With --serialize: does it wait for a value of a timeline semaphore that nothing before it, nor an earlier
 * batch of its own, has signalled by now? Waiting for it would be in vain.
 */
bool pp_hold_waits(struct pp_vk_device *dev, const struct pp_hold_call *call);

#endif
