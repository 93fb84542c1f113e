/** @file
 * The layer in a process with privileges that its caller does not have: every call goes on to the next
 * layer. Reads no variable, opens no file, writes no message, starts no thread. */
#ifndef PP_LAYER_DISPATCH_NEGOTIATE_H
#define PP_LAYER_DISPATCH_NEGOTIATE_H

#include <vulkan/vk_layer.h>

/**
 * Look up an instance function.
 *
 * Only vkCreateInstance and vkDestroyInstance are functions of the layer: the chain must be advanced, and
 * look-ups of an instance must reach the next layer of that instance. The layer gives the loader no
 * vkGetDeviceProcAddr, so that devices are created and used without the layer.
 *
 * Why the layer does not refuse the negotiation instead: the loader would drop the layer with an error
 * ("Failed to find 'vkGetInstanceProcAddr' in layer"), which applications with a debug messenger receive.
 * Source: Vulkan-Loader v1.3.239 and v1.4.360, loader_create_instance_chain() and
 * loader_create_device_chain().
 */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL pp_pass_through_instance_proc(VkInstance instance,
                                                                       const char *pName);

#endif
