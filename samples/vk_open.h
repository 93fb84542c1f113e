/** @file
 * Opens Vulkan: an instance, its first device, one queue, command buffers. samples/, bench/ and the
 * applications of the tests use this file; vk_device.h adds buffers and images. Must not know passprobe. */
#ifndef SAMPLES_VK_OPEN_H
#define SAMPLES_VK_OPEN_H

#include <stdbool.h>
#include <vulkan/vulkan.h>

/** What vk_open_instance() and vk_open_device() opened; NULL handles before. */
struct vk_open {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
};

/** Most queues. */
#define VK_OPEN_QUEUES 2U

/** What to open. All may be 0. */
struct vk_open_want {
    const char *application;
    uint32_t version; /**< of Vulkan, VK_API_VERSION_1_0 or later */
    const char *const *instance_extension;
    uint32_t instance_extensions;
    const char *const *device_extension;
    uint32_t device_extensions;
    const void *features; /**< pNext of VkDeviceCreateInfo */
    const VkPhysicalDeviceFeatures *core_features;
    VkQueueFlags queue; /**< what the queue's family must offer */
    uint32_t queues;    /**< of that family, at most VK_OPEN_QUEUES; 0: one */
};

/** Create the instance and find its first device. @return VK_ERROR_INITIALIZATION_FAILED if there is none,
 * with the instance in @p opened; else Vulkan's result. vk_close() is due in all cases. */
VkResult vk_open_instance(struct vk_open *opened, const struct vk_open_want *want);

/** Create the device with queues of the first family that offers what is wanted, after vk_open_instance().
 * @return VK_ERROR_FEATURE_NOT_PRESENT if there is no such family; else Vulkan's result. */
VkResult vk_open_device(struct vk_open *opened, const struct vk_open_want *want);

/** Destroy the device and the instance. */
void vk_close(struct vk_open *opened);

/** Create a pool of command buffers. @return Vulkan's result. */
VkResult vk_command_pool(VkDevice device, uint32_t family, VkCommandPoolCreateFlags flags,
                         VkCommandPool *ret);

/** Allocate @p count command buffers of @p pool into @p ret. @return Vulkan's result. */
VkResult vk_command_buffers(VkDevice device, VkCommandPool pool, VkCommandBufferLevel level, uint32_t count,
                            VkCommandBuffer *ret);

/** The first memory type of @p bits with all of @p flags. @return false if there is none; @p ret is untouched
 * then. */
bool vk_memory_type(VkPhysicalDevice physical, uint32_t bits, VkMemoryPropertyFlags flags, uint32_t *ret);

#endif
