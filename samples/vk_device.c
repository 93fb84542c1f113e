/** @file
 * Opening the device, and memory; see vk_device.h. */
#include "samples/vk_device.h"

#include <stdio.h>
#include <string.h>

#include "samples/vk_open.h"

bool
vk_failed(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return false;
    fprintf(stderr, "%s failed: VkResult %d\n", what, (int)result);
    return true;
}

/** Open the instance and the device, and say what failed. */
static int
open_device(struct vk_open *gpu, const struct vk_device_want *want)
{
    static const char *const labels = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkPhysicalDeviceVulkan13Features modern = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .dynamicRendering = VK_TRUE,
        .synchronization2 = VK_TRUE,
    };
    const char *const extension =
        want->raw ? VK_INTEL_PERFORMANCE_QUERY_EXTENSION_NAME : VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME;
    VkPhysicalDeviceHostQueryResetFeatures reset = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
        .pNext = want->dynamic ? &modern : NULL,
        .hostQueryReset = VK_TRUE,
    };
    VkPhysicalDevicePerformanceQueryFeaturesKHR counters = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
        .pNext = &reset,
        .performanceCounterQueryPools = VK_TRUE,
    };
    const void *chain = want->raw ? (const void *)&reset : want->dynamic ? &modern : NULL;
    const VkPhysicalDeviceFeatures features = {.pipelineStatisticsQuery = want->statistics};
    const struct vk_open_want open = {
        .application = want->program,
        .version = want->dynamic ? VK_API_VERSION_1_3 : VK_API_VERSION_1_2,
        .instance_extension = &labels,
        .instance_extensions = want->labels ? 1 : 0,
        .device_extension = &extension,
        .device_extensions = want->counters || want->raw ? 1 : 0,
        .features = want->counters ? &counters : chain,
        .core_features = &features,
        .queue = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT,
    };
    return vk_failed(vk_open_instance(gpu, &open), "opening a Vulkan instance with a device") ||
                   vk_failed(vk_open_device(gpu, &open), "opening a Vulkan device with graphics and compute")
               ? -1
               : 0;
}

int
vk_device_init(struct vk_device *it, const struct vk_device_want *want)
{
    VkPhysicalDeviceProperties properties;
    struct vk_open gpu;
    int failed = open_device(&gpu, want);
    *it = (struct vk_device){.instance = gpu.instance,
                             .physical = gpu.physical,
                             .device = gpu.device,
                             .queue = gpu.queue,
                             .family = gpu.family,
                             .dynamic = want->dynamic};
    if (failed < 0)
        return -1;
    vkGetPhysicalDeviceProperties(it->physical, &properties);
    it->timestamp_period = properties.limits.timestampPeriod;
    if (!want->labels)
        return 0;
    it->begin_label =
        (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(it->device, "vkCmdBeginDebugUtilsLabelEXT");
    it->end_label =
        (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(it->device, "vkCmdEndDebugUtilsLabelEXT");
    it->set_name =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(it->device, "vkSetDebugUtilsObjectNameEXT");
    return 0;
}

void
vk_device_finish(struct vk_device *it)
{
    vk_close(&(struct vk_open){.instance = it->instance, .device = it->device});
}

static int
allocate(const struct vk_device *device, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted,
         VkDeviceMemory *ret)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs->size};
    if (!vk_memory_type(device->physical, needs->memoryTypeBits, wanted, &info.memoryTypeIndex)) {
        fprintf(stderr, "no memory type with properties 0x%x\n", wanted);
        return -1;
    }
    return vk_failed(vkAllocateMemory(device->device, &info, NULL, ret), "vkAllocateMemory") ? -1 : 0;
}

int
vk_buffer_init(const struct vk_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
               struct vk_buffer *ret)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkMemoryRequirements needs;
    memset(ret, 0, sizeof(*ret));
    if (vk_failed(vkCreateBuffer(device->device, &info, NULL, &ret->buffer), "vkCreateBuffer"))
        return -1;
    vkGetBufferMemoryRequirements(device->device, ret->buffer, &needs);
    if (allocate(device, &needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                 &ret->memory) < 0 ||
        vk_failed(vkBindBufferMemory(device->device, ret->buffer, ret->memory, 0), "vkBindBufferMemory") ||
        vk_failed(vkMapMemory(device->device, ret->memory, 0, VK_WHOLE_SIZE, 0, &ret->mapped), "vkMapMemory"))
        return -1;
    return 0;
}

void
vk_buffer_finish(const struct vk_device *device, struct vk_buffer *it)
{
    vkDestroyBuffer(device->device, it->buffer, NULL);
    vkFreeMemory(device->device, it->memory, NULL);
}

int
vk_image_init(const struct vk_device *device, VkFormat format, VkExtent2D size, VkImageUsageFlags usage,
              struct vk_image *ret)
{
    const bool depth = usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {size.width, size.height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = usage,
    };
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {.levelCount = 1, .layerCount = 1},
    };
    VkMemoryRequirements needs;
    memset(ret, 0, sizeof(*ret));
    ret->format = format;
    ret->aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    if (vk_failed(vkCreateImage(device->device, &info, NULL, &ret->image), "vkCreateImage"))
        return -1;
    vkGetImageMemoryRequirements(device->device, ret->image, &needs);
    if (allocate(device, &needs, 0, &ret->memory) < 0 ||
        vk_failed(vkBindImageMemory(device->device, ret->image, ret->memory, 0), "vkBindImageMemory"))
        return -1;
    if (!(usage & ~(VkImageUsageFlags)(VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT)))
        return 0; /* an image that is only copied needs no view */
    view.image = ret->image;
    view.subresourceRange.aspectMask = ret->aspect;
    return vk_failed(vkCreateImageView(device->device, &view, NULL, &ret->view), "vkCreateImageView") ? -1
                                                                                                      : 0;
}

void
vk_image_finish(const struct vk_device *device, struct vk_image *it)
{
    vkDestroyImageView(device->device, it->view, NULL);
    vkDestroyImage(device->device, it->image, NULL);
    vkFreeMemory(device->device, it->memory, NULL);
}

void
vk_name(const struct vk_device *device, VkObjectType type, uint64_t handle, const char *name)
{
    const VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = name,
    };
    if (device->set_name)
        (void)device->set_name(device->device, &info);
}
