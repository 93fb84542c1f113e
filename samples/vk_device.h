/** @file
 * A Vulkan device without display, its one queue, and memory for images and buffers. See also
 * vk_scene.h. */
#ifndef SAMPLES_VK_DEVICE_H
#define SAMPLES_VK_DEVICE_H

#include <stdbool.h>
#include <vulkan/vulkan.h>

/** An open device. */
struct vk_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    float timestamp_period; /**< nanoseconds per tick */
    bool dynamic;           /**< Vulkan 1.3's dynamic rendering and vkQueueSubmit2 */
    /* NULL without labels */
    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
    PFN_vkCmdEndDebugUtilsLabelEXT end_label;
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
};

/** What to open. */
struct vk_device_want {
    const char *program;
    bool labels;     /**< VK_EXT_debug_utils */
    bool dynamic;    /**< Vulkan 1.3 features dynamicRendering and synchronization2 */
    bool statistics; /**< feature pipelineStatisticsQuery */
    bool counters;   /**< VK_KHR_performance_query, its queries reset by the host */
    bool raw;        /**< VK_INTEL_performance_query, likewise */
};

/** A buffer with its own host-visible memory, mapped for its life. */
struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *mapped;
};

/** A 2D image of one level with its own memory and view. */
struct vk_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkFormat format;
    VkImageAspectFlags aspect;
};

/** Say on stderr that @p what failed, unless @p result is VK_SUCCESS. @return whether it failed. */
bool vk_failed(VkResult result, const char *what);

/** Open the first device. @return 0, or -1 after a message; vk_device_finish() is due in both cases. */
int vk_device_init(struct vk_device *it, const struct vk_device_want *want);

/** Close what vk_device_init() opened. */
void vk_device_finish(struct vk_device *it);

/** Create a buffer of @p size bytes. @return 0, or -1 after a message; finish is due in both cases. */
int vk_buffer_init(const struct vk_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                   struct vk_buffer *ret);
void vk_buffer_finish(const struct vk_device *device, struct vk_buffer *it);

/** Create an image. @return 0, or -1 after a message; finish is due in both cases. */
int vk_image_init(const struct vk_device *device, VkFormat format, VkExtent2D size, VkImageUsageFlags usage,
                  struct vk_image *ret);
void vk_image_finish(const struct vk_device *device, struct vk_image *it);

/** Name an object for debuggers; does nothing without labels. */
void vk_name(const struct vk_device *device, VkObjectType type, uint64_t handle, const char *name);

#endif
