/** @file
 * Names of formats, generated from the registry. */
#ifndef PP_LAYER_BASE_FORMATS_H
#define PP_LAYER_BASE_FORMATS_H

#include <vulkan/vulkan_core.h>

/** "R8G8B8A8_UNORM"; "unknown" for formats newer than the registry built with. Static. */
const char *pp_vk_format_name(VkFormat format);

#endif
