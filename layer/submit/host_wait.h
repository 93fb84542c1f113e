/** @file
 * Objects that may keep a submission from ending: values of timeline semaphores, which the CPU or a later
 * submission may signal; events; imported semaphores. See also serialize.h and readback.h. */
#ifndef PP_LAYER_SUBMIT_HOST_WAIT_H
#define PP_LAYER_SUBMIT_HOST_WAIT_H

#include "layer/base/device.h"

/** A call of vkQueueSubmit or vkQueueSubmit2. */
struct pp_submit_call {
    uint32_t count;
    const VkSubmitInfo *submits;
    const VkSubmitInfo2 *submits2; /**< one of the two */
};

/** With --serialize: does the submission wait for a value of a timeline semaphore that neither an earlier
 * submission nor an earlier batch of this one has signalled? Then the layer must not wait for the
 * submission. */
bool pp_host_wait_needed(struct pp_vk_device *dev, const struct pp_submit_call *call);

#endif
