/** @file
 * Inside of vk.c and vk_counters.c. */
#ifndef PP_CLI_PROBE_VK_H
#define PP_CLI_PROBE_VK_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/** Hardware counters of a physical device, noted for context @p probe (pp_probe_counter_add()). */
void pp_probe_vk_counters(PFN_vkGetInstanceProcAddr get, VkInstance instance, VkPhysicalDevice physical,
                          uint32_t probe);

#endif
