/** @file
 * What a driver does differently from what its API promises, as a table. Each row says what it is keyed
 * on, why, and where that was measured; a row goes when its driver is mended. */
#ifndef PP_LAYER_DISPATCH_QUIRKS_H
#define PP_LAYER_DISPATCH_QUIRKS_H

#include <stdbool.h>
#include <vulkan/vulkan_core.h>

/** Why timestamps between the draws of one pass say nothing about those draws on this device; NULL: they do.
 */
const char *pp_vk_quirk_draw_times(const VkPhysicalDeviceProperties *props);

/** Does the driver crash in a statistics query that begins when graphics constants were pushed and no
 * graphics pipeline was bound yet? Seen: lavapipe of Mesa 22.3.6, with and without passprobe. */
bool pp_vk_quirk_needs_pipeline(const VkPhysicalDeviceProperties *props);

/** Does the driver take a timestamp outside of render passes only with the next scene that it draws, although
 * it does dispatches and copies at once? Then a barrier must stand between the two. Seen: lavapipe of Mesa
 * 22.3.6, where a dispatch of 2 ms read 20 us and the pass in front of it 2 ms more. */
bool pp_vk_quirk_late_times(const VkPhysicalDeviceProperties *props);

/** Does vkGetQueryPoolResults wait for all that was submitted, with and without VK_QUERY_RESULT_WAIT_BIT?
 * Then an application that would end that wait next never comes to it. Seen: lavapipe of Mesa 22.3.6. */
bool pp_vk_quirk_results_wait(const VkPhysicalDeviceProperties *props);

#endif
