/** @file
 * Extensions and features that counters need, requested before the device is created. See also perf.h. */
#ifndef PP_LAYER_DISPATCH_PERF_REQUEST_H
#define PP_LAYER_DISPATCH_PERF_REQUEST_H

#include "core/config/config.h"
#include "layer/base/chain.h"

struct pp_vk_instance;

/** Find out which extensions and features of a device the user's counters need. Fills the counter members of
 * the request. */
void pp_perf_request(const struct pp_vk_instance *inst, VkPhysicalDevice physical,
                     const VkDeviceCreateInfo *info, const struct pp_config *config,
                     struct pp_vk_device_request *request);

#endif
