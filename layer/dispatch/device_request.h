/** @file
 * What the layer adds to the application's request for a device, and what happens if the driver refuses it.
 *
 * Extensions and features that counters need, requested before the device is created. See also perf.h. */
#ifndef PP_LAYER_DISPATCH_DEVICE_REQUEST_H
#define PP_LAYER_DISPATCH_DEVICE_REQUEST_H

#include "core/config/config.h"
#include "layer/base/chain.h"
#include "layer/base/device.h"

/** Does a physical device offer an extension? */
bool pp_vk_device_request_offered(const struct pp_vk_instance *inst, VkPhysicalDevice physical,
                                  const char *name);

/** Decide what to add to the application's request: only what the physical device supports. */
struct pp_vk_device_request pp_vk_device_request_choose(const struct pp_vk_instance *inst,
                                                        VkPhysicalDevice physical,
                                                        const VkDeviceCreateInfo *info,
                                                        struct pp_session *session);

/** Create the device with all requests; if that is refused, with fewer; at last as the application asked.
 * Sets what
 * @p dev got of the request. @return The driver's answer. */
VkResult pp_vk_device_request_create(struct pp_vk_device *dev, PFN_vkCreateDevice create,
                                     VkLayerDeviceCreateInfo *link, const VkDeviceCreateInfo *info,
                                     const VkAllocationCallbacks *allocator, VkDevice *device,
                                     struct pp_vk_device_request *request);

struct pp_vk_instance;

/** Find out which extensions and features of a device the user's counters need. Fills the counter members of
 * the request. */
void pp_perf_request(const struct pp_vk_instance *inst, VkPhysicalDevice physical,
                     const VkDeviceCreateInfo *info, const struct pp_config *config,
                     struct pp_vk_device_request *request);

#endif
