/** @file
 * Hardware counters of a Vulkan device. */
#ifndef PP_CLI_PROBE_VK_COUNTERS_H
#define PP_CLI_PROBE_VK_COUNTERS_H

#include <stdint.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/** Add the hardware counters of a physical device to context @p probe (pp_probe_counter_add()). */
void pp_probe_vk_counters(PFN_vkGetInstanceProcAddr get, VkInstance instance, VkPhysicalDevice physical,
                          uint32_t probe);

#endif
